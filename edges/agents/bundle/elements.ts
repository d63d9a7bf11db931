import { attributes, cutBytes, bytesOf, escapeText, minute } from './escape.ts'
import type {
  BundleComment,
  BundleEvent,
  BundleInput,
  BundleMergeRequest,
  BundleNote,
  BundleThread,
  EarlierTask,
} from './input.ts'

/** Bodies under pressure (BUNDLE-BUDGET-6, BUNDLE-RULE-2). */
const truncatedBodyBytes = 4096

export type BodyForm = 'whole' | 'truncated' | 'dropped'

export interface ThreadForm {
  readonly thread: BundleThread | BundleMergeRequest
  readonly kind: 'issue' | 'merge_request'
  readonly body: BodyForm
  /** Rendered, newest first: those that are shown. */
  readonly comments: readonly string[]
}

export function renderRoot(input: BundleInput, inner: string): string {
  const head = { task: input.task, kind: input.kind, stage: input.stage, agent: input.agent, project: input.project }
  return `<task_context${attributes(head)}>\n${inner}</task_context>\n`
}

export function renderThread({ thread, kind, body, comments }: ThreadForm): string {
  const common = { repo: thread.repository, number: thread.number, state: thread.state, status: thread.status }
  const own =
    'headSha' in thread
      ? { ci: thread.ci, mergeable: thread.mergeable, head_branch: thread.headBranch, head_sha: thread.headSha }
      : {}
  return [
    `<${kind}${attributes({ ...common, ...own, url: thread.url })}>\n`,
    `<title>${escapeText(thread.title)}</title>\n<author>${escapeText(thread.author)}</author>\n`,
    `<body>${renderBody(thread, kind, body)}</body>\n`,
    renderComments(thread, kind, comments),
    `</${kind}>\n`,
  ].join('')
}

function renderBody(thread: BundleThread, kind: ThreadForm['kind'], form: BodyForm): string {
  if (form === 'whole') return escapeText(thread.body)
  const kept = form === 'truncated' ? cutBytes(thread.body, truncatedBodyBytes) : ''
  if (kept === thread.body) return escapeText(thread.body)
  const call = `scm_read(kind=${readKind(kind)}, repo=${thread.repository}, number=${thread.number})`
  return `${escapeText(kept)}[truncated: ${bytesOf(kept)} of ${bytesOf(thread.body)} bytes, read it with ${escapeText(call)}]`
}

/** `total`, `rendered` and `elided` are always there; `fetch` only where something was left out. */
function renderComments(thread: BundleThread, kind: ThreadForm['kind'], comments: readonly string[]): string {
  const total = thread.comments.length
  const rendered = comments.length
  const elided = total - rendered
  const fetch = elided === 0 ? undefined : fetchThread(thread, kind)
  const inner = comments.toReversed().join('')
  return `<comments${attributes({ total, rendered, elided, fetch })}>${inner === '' ? '' : `\n${inner}`}</comments>\n`
}

/** One call for each list that has some of them: a thread's own call would take as much room as its title. */
export function renderLeft(left: readonly ThreadForm[]): string {
  const lists = Map.groupBy(left, ({ kind, thread }) => `${readKind(kind)}, repo=${thread.repository}`)
  return [...lists]
    .map(([list, { length }]) => `<elided${attributes({ count: length, fetch: `scm_read(kind=${list})` })}/>\n`)
    .join('')
}

function readKind(kind: ThreadForm['kind']): 'issues' | 'mr' {
  return kind === 'issue' ? 'issues' : 'mr'
}

function fetchThread(thread: BundleThread, kind: ThreadForm['kind']): string {
  const pr = kind === 'merge_request' ? ', is_pr=true' : ''
  return `scm_read(kind=comments, repo=${thread.repository}, number=${thread.number}${pr})`
}

export function renderComment(comment: BundleComment): string {
  const location = { path: comment.path, line: comment.line, in_reply_to: comment.inReplyTo }
  const head = {
    author: comment.author,
    edited_by: comment.editedBy,
    at: minute(comment.at),
    bot: comment.bot,
    external_id: comment.externalId,
    ...location,
  }
  return `<comment${attributes(head)}>${escapeText(comment.body)}</comment>\n`
}

export function renderEvents(events: readonly BundleEvent[]): string {
  if (events.length === 0) return ''
  const inner = events.map((event) => {
    const head = {
      kind: event.kind,
      repo: event.repository,
      number: event.number,
      author: event.author,
      at: minute(event.at),
    }
    return `<event${attributes(head)}>${escapeText(event.text ?? '')}</event>\n`
  })
  return `<events${attributes({ count: events.length })}>\n${inner.join('')}</events>\n`
}

/** `shown`: so many of the newest. */
export function renderNotes(input: BundleInput, shown: number): string {
  if (input.notesTotal === 0) return ''
  const elided = input.notesTotal - shown
  const fetch = elided === 0 ? undefined : `task_context(task=${input.task}, notes=all)`
  const inner = input.notes.slice(input.notes.length - shown).map(renderNote)
  return `<notes${attributes({ total: input.notesTotal, rendered: shown, elided, fetch })}>\n${inner.join('')}</notes>\n`
}

const ofEarlier =
  'Notes of the Task that delivered before the issue came back. They approve nothing, and their plan is not the plan of this Task.'

/** `shown`: so many of the newest. */
export function renderEarlier(earlier: readonly EarlierTask[], shown: number): string {
  const inner = earlier.map(({ task, notes }) => {
    const kept = notes.slice(Math.max(0, notes.length - shown))
    const head = { task, about: ofEarlier, total: notes.length, elided: notes.length - kept.length }
    return `<earlier_task${attributes(head)}>\n${kept.map(renderNote).join('')}</earlier_task>\n`
  })
  return shown === 0 ? '' : inner.join('')
}

function renderNote(note: BundleNote): string {
  const head = { agent: note.agent, at: minute(note.at), kind: note.kind, source: note.source }
  return `<note${attributes(head)}>${escapeText(note.body)}</note>\n`
}
