/**
 * Brings the thread of a Task up to how it stands: one comment, rewritten in place, and the parked marker on its issues.
 * Level-triggered like a status: whatever was missed or lost, the next writing says what is so then.
 */
import { sameLogin } from '../../../machines/rules/logins.ts'
import type { TaskContext } from '../../../machines/task/context.ts'
import type { Why } from '../../../machines/why/why.ts'
import { NotFoundError } from '../errors.ts'
import { hasTopicOf, standingTopic, topicMarker, withMarkers } from '../marker.ts'
import { targetOf, type OutboundDeps, type Target } from '../outbound/deps.ts'
import { labelSpecOf } from '../outbound/label-specs.ts'
import { inWordsOf } from '../words-of-forge.ts'
import { isMarkedParked, parkedMarker } from '../parked-marker.ts'
import type { ForgeComment } from '../port.ts'
import { standingText } from './text.ts'
import { threadOf, type Thread } from './thread.ts'

export type StandingDeps = Pick<OutboundDeps, 'directory' | 'openForge' | 'mirror'>

interface Standing {
  readonly context: TaskContext
  /** Asked for a Task that has a thread only. */
  readonly why: () => Promise<Why | undefined>
}

export async function writeStanding(deps: StandingDeps, { context, why: ask }: Standing): Promise<void> {
  const thread = await threadOf(deps.mirror, context)
  const why = thread && (await ask())
  if (thread === undefined || why === undefined) return
  const target = await targetOf(deps, thread)
  const mark = topicMarker(`${standingTopic}/${context.id}`)
  const standings = await knownStandings(deps, target, thread)
  await upsert(
    target,
    thread,
    standings.filter(({ body }) => body.includes(mark)),
    { mark, text: withMarkers(inWordsOf(target.project.scm.provider, thread.on, standingText(why)), mark) },
  )
  const isNewest = standings.at(-1)?.body.includes(mark) ?? true
  const isParked = context.stage.class === 'parked'
  for (const issue of markedIssues(context, thread, isNewest)) await markParked(deps, thread.project, issue, isParked)
}

/** The comments of all Tasks in this thread, oldest first, as the mirror has them. */
async function knownStandings(
  { mirror }: StandingDeps,
  target: Target,
  thread: Thread,
): Promise<readonly ForgeComment[]> {
  const comments = await mirror.comments(thread.project, thread.repository, thread.on, thread.number)
  return comments.flatMap(({ comment, deletedAt }) =>
    deletedAt === undefined && isOurs(target, comment) && hasTopicOf(comment.body, standingTopic) ? [comment] : [],
  )
}

interface Wanted {
  readonly mark: string
  readonly text: string
}

/** The mirror costs no request, and knows the comment unless its webhook is under way or lost: then the forge is asked. */
async function upsert(target: Target, thread: Thread, known: readonly ForgeComment[], wanted: Wanted): Promise<void> {
  if (known.length === 1 && (await rewritten(target, known[0]!, wanted.text))) return
  const [first, ...copies] = await ours(target, thread, wanted.mark)
  if (first === undefined) {
    await target.forge.createComment(target.path, thread.on, thread.number, wanted.text)
    return
  }
  await rewritten(target, first, wanted.text)
  // Two writers that did not know of each other: the later comments point to the first, and are no copy of it any more.
  for (const copy of copies)
    await target.forge.editComment(target.path, copy, 'The comment above shows the state of this Task.')
}

function isOurs({ project }: Target, { author }: ForgeComment): boolean {
  return sameLogin(author.login, project.scm.botLogin)
}

async function ours(target: Target, { on, number }: Thread, mark: string): Promise<readonly ForgeComment[]> {
  const all = await target.forge.listComments(target.path, on, number)
  return all.filter((comment) => isOurs(target, comment) && comment.body.includes(mark))
}

/** False: it is there no more. */
async function rewritten(
  { forge, path }: Target,
  { on, number, id, body }: ForgeComment,
  text: string,
): Promise<boolean> {
  if (body === text) return true
  try {
    await forge.editComment(path, { on, number, id }, text)
    return true
  } catch (error) {
    if (error instanceof NotFoundError) return false
    throw error
  }
}

type IssueRef = Pick<Thread, 'repository' | 'number'>

/**
 * Every issue of it that nobody else owns by now. A Task that declined gave its issue back: it marks that one for as long
 * as no newer Task has a comment there.
 */
function markedIssues(
  { forge: { issues, mergeRequests } }: TaskContext,
  thread: Thread,
  isNewest: boolean,
): readonly IssueRef[] {
  if (issues.length > 0) return issues.filter(({ state }) => state !== 'handedOver')
  return thread.on === 'issue' && mergeRequests.length === 0 && isNewest ? [thread] : []
}

async function markParked(
  deps: StandingDeps,
  project: string,
  { repository, number }: IssueRef,
  isParked: boolean,
): Promise<void> {
  const target = await targetOf(deps, { project, repository })
  const known = await deps.mirror.issue(project, repository, number)
  const { labels } = known?.issue ?? (await target.forge.issue(target.path, number))
  if (isMarkedParked(labels) === isParked) return
  if (isParked) await target.forge.ensureLabels(target.path, [labelSpecOf(parkedMarker, target.project)])
  const change = isParked ? { add: [parkedMarker], remove: [] } : { add: [], remove: [parkedMarker] }
  await target.forge.changeLabels(target.path, number, change)
}
