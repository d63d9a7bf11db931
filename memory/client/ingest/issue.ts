/**
 * An issue and its comments as one text.
 * 1. A line at the left edge is this program's: whatever somebody wrote is indented, and no line is so long that a chunk begins within it.
 * 2. `<issue` and `<comment` are this program's too: no title and no body has them.
 */
import { Type, type Static } from 'typebox'
import { clean, withoutBase64 } from './clean.ts'

const Login = Type.String()

/** As forges export it; `thread` has the comments, oldest first. */
export const Issue = Type.Object({
  number: Type.Number(),
  title: Type.String(),
  body: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  state: Type.Optional(Type.String()),
  html_url: Type.Optional(Type.String()),
  pull_request: Type.Optional(Type.Unknown()),
  user: Type.Optional(Type.Union([Type.Object({ login: Login }), Type.Null()])),
  thread: Type.Optional(
    Type.Array(
      Type.Object({
        author: Login,
        /** Who wrote it over, where that was somebody else. */
        edited_by: Type.Optional(Login),
        body: Type.String(),
      }),
    ),
  ),
})
export type Issue = Static<typeof Issue>

export function textOfIssue({ number, title, body, user, thread = [] }: Issue): string {
  const head = `#${number} ${indented(title).trim()}`
  const comments = thread.map(({ author: by, edited_by, body: text }) => section('comment', { by, edited_by }, text))
  return [head, section('issue', { by: user?.login }, body ?? ''), ...comments]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** What people wrote, as they wrote it. */
export function wordsOfIssue({ title, body, thread = [] }: Issue): string {
  return clean([title, body ?? '', ...thread.map((comment) => comment.body)].join('\n\n'))
}

function section(name: string, people: Readonly<Record<string, string | undefined>>, body: string): string {
  if (body.trim() === '') return ''
  const named = Object.entries(people).flatMap(([as, who]) => (who === undefined ? [] : [` ${as}="${plain(who)}"`]))
  return `<${name}${named.join('')}>\n${indented(body)}\n</${name}>`
}

/** Visible in whatever an engine makes of it, and not to be taken for another name. */
function plain(login: string): string {
  return clean(login).replaceAll(/["<>]/g, '\uFFFD').split(lineEnd).join(' ')
}

const lineEnd = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/
const ownMark = /<(?=[^\p{L}<]*(?:comment|issue)\b)/giu
/** In code points: fewer units of UTF-16 than a chunk of an engine has, so that it is cut at the ends of lines. */
const longestLine = 700
const piece = new RegExp(`.{1,${longestLine}}(?=\\s|$)|.{1,${longestLine}}`, 'gsu')

function indented(text: string): string {
  return withoutBase64(clean(text))
    .replaceAll(ownMark, '&lt;')
    .split(lineEnd)
    .flatMap((line) => (line.trim() === '' ? [''] : (line.trimEnd().match(piece) ?? [])))
    .map((line) => (line === '' ? line : `  ${line}`))
    .join('\n')
}
