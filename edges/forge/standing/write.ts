/**
 * Brings the thread of a Task up to how it stands: one comment, rewritten in place, and the parked marker on its issues.
 * Level-triggered like a status: whatever was missed or lost, the next writing says what is so then.
 */
import { sameLogin } from '../../../machines/rules/logins.ts'
import type { TaskContext } from '../../../machines/task/context.ts'
import type { Why } from '../../../machines/why/why.ts'
import { NotFoundError } from '../errors.ts'
import { standingTopic, topicMarker, withMarkers } from '../marker.ts'
import { targetOf, type OutboundDeps, type Target } from '../outbound/deps.ts'
import { labelSpecOf } from '../outbound/label-specs.ts'
import { isMarkedParked, parkedMarker } from '../parked-marker.ts'
import type { ForgeComment } from '../port.ts'
import { standingText } from './text.ts'
import { threadOf, type Thread } from './thread.ts'

export type StandingDeps = Pick<OutboundDeps, 'directory' | 'openForge' | 'mirror'>

export interface Standing {
  readonly context: TaskContext
  readonly why: Why
}

export async function writeStanding(deps: StandingDeps, { context, why }: Standing): Promise<void> {
  const thread = threadOf(context)
  if (thread === undefined) return
  const target = await targetOf(deps, thread)
  const mark = topicMarker(`${standingTopic}/${context.id}`)
  await upsert(deps, target, thread, { mark, text: withMarkers(standingText(why), mark) })
  await markParked(deps, target, context)
}

interface Wanted {
  readonly mark: string
  readonly text: string
}

/** The mirror costs no request, and knows the comment unless its webhook is under way or lost: then the forge is asked. */
async function upsert(deps: StandingDeps, target: Target, thread: Thread, wanted: Wanted): Promise<void> {
  const known = (await deps.mirror.comments(thread.project, thread.repository, thread.on, thread.number)).flatMap(
    ({ comment, deletedAt }) => (deletedAt === undefined && isOurs(target, comment, wanted.mark) ? [comment] : []),
  )
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

function isOurs({ project }: Target, { author, body }: ForgeComment, mark: string): boolean {
  return sameLogin(author.login, project.scm.botLogin) && body.includes(mark)
}

async function ours(target: Target, { on, number }: Thread, mark: string): Promise<readonly ForgeComment[]> {
  const all = await target.forge.listComments(target.path, on, number)
  return all.filter((comment) => isOurs(target, comment, mark))
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

/** On every issue of it that nobody else owns by now. */
async function markParked(deps: StandingDeps, { project }: Target, context: TaskContext): Promise<void> {
  const isParked = context.stageClass === 'parked'
  for (const { repository, number, state } of context.issues) {
    if (state === 'handedOver') continue
    const { forge, path } = await targetOf(deps, { project: context.config.project, repository })
    const known = await deps.mirror.issue(context.config.project, repository, number)
    const { labels } = known?.issue ?? (await forge.issue(path, number))
    if (isMarkedParked(labels) === isParked) continue
    if (isParked) await forge.ensureLabels(path, [labelSpecOf(parkedMarker, project)])
    const change = isParked ? { add: [parkedMarker], remove: [] } : { add: [], remove: [parkedMarker] }
    await forge.changeLabels(path, number, change)
  }
}
