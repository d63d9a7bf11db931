/** How long a text may be, in characters, as each forge says it where one is longer. */
import type { Dialect } from './records.ts'
import { Refusal } from './refusal.ts'

type Sort = 'title' | 'body' | 'comment' | 'label' | 'labelDescription'

/** GitHub's of labels by docs.github.com, "REST API endpoints for labels"; GitLab's by its models `Issuable`, `Note` and `Label`. */
const limits: Readonly<Record<Dialect, Readonly<Record<Sort, number>>>> = {
  github: { title: 256, body: 65_536, comment: 65_536, label: 50, labelDescription: 100 },
  gitlab: { title: 255, body: 1_048_576, comment: 1_000_000, label: 255, labelDescription: 524_288 },
}

const fields = {
  title: 'title',
  body: 'body',
  comment: 'body',
  label: 'name',
  labelDescription: 'description',
} as const

export function checkLength(
  { dialect }: { readonly dialect: Dialect },
  sort: Sort,
  text: string,
  resource: string,
): void {
  if (isTooLong({ dialect }, sort, text))
    throw new Refusal('too-long', { resource, field: fields[sort], detail: String(limits[dialect][sort]) })
}

export function isTooLong({ dialect }: { readonly dialect: Dialect }, sort: Sort, text: string): boolean {
  const most = limits[dialect][sort]
  return text.length > most && [...text].length > most
}
