/** The plan of a Task as it stands on its issue: what a maintainer reads, and what `/approve` binds to (APPROVAL-10, APPROVAL-11). */
import { topicMarker, withoutMarkers } from '../../edges/forge/marker.ts'
import type { ForgeComment, ForgeSubjectKind } from '../../edges/forge/port.ts'
import { inWordsOf } from '../../edges/forge/words-of-forge.ts'
import { planComment } from '../../machines/issue/plan.ts'
import { inert } from '../../machines/rules/executed-text.ts'
import { sameLogin } from '../../machines/rules/logins.ts'
import { commentLines } from './comment-text.ts'
import type { Thread } from './thread.ts'

export interface ShownPlan {
  /** Short, as the comment names it. */
  readonly hash: string
  /** The whole comment, without the platform's marks. */
  readonly words: string
  readonly at: number
  /** The newest comment of the issue, unless it is older than the plan. */
  readonly newest?: { readonly author: string; readonly body: string; readonly at: number }
}

interface CommentsPort {
  listComments(
    path: string,
    on: ForgeSubjectKind,
    number: number,
  ): Promise<
    readonly (Pick<ForgeComment, 'body' | 'updatedAt'> & {
      readonly author: { readonly login: string }
    })[]
  >
}

/** Undefined: the issue does not show this plan of its Task, or not yet. */
export async function planOn(
  port: CommentsPort,
  { path, number, botLogin, forge }: Pick<Thread, 'path' | 'number' | 'botLogin' | 'forge'>,
  planHash: string,
): Promise<ShownPlan | undefined> {
  const comments = await port.listComments(path, 'issue', number)
  const found = comments.find(
    ({ author, body }) => sameLogin(author.login, botLogin) && body.includes(topicMarker('plan')),
  )
  if (found === undefined) return undefined
  const words = withoutMarkers(found.body)
  const title = firstLine(inWordsOf(forge.provider, 'issue', inert(planComment(planHash, ''))))
  const hash = /`([^`]+)`/.exec(title)?.[1]
  if (firstLine(words) !== title || hash === undefined) return undefined
  const [newest] = comments.filter((one) => one !== found && one.updatedAt >= found.updatedAt).slice(-1)
  const shown = { hash, words, at: found.updatedAt }
  return newest === undefined
    ? shown
    : { ...shown, newest: { author: newest.author.login, body: newest.body, at: newest.updatedAt } }
}

function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').trim()
}

export function planLines(
  { name, url, task }: Pick<Thread, 'name'> & { readonly url?: string; readonly task: string },
  { hash, words }: ShownPlan,
): readonly string[] {
  return [`plan ${hash} of ${task}, on ${name}${url === undefined ? '' : `: ${url}`}`, '', ...commentLines(words), '']
}
