/** Reads what the render needs: the Task as committed, its threads from the mirror, its notes. */
import type { Note, TaskContext, TaskIssue, TaskMergeRequest } from '../../../machines/task/context.ts'
import type { PendingEvent } from '../../../machines/task/events.ts'
import { platformAuthor } from '../../../machines/task/pending.ts'
import type { AgentApiDeps } from '../deps.ts'
import { findTask } from '../caller.ts'
import { isSince } from '../find-tasks.ts'
import { bareName } from '../../../crd/resource-id.ts'
import { withWords } from '../spilled-notes.ts'
import type { BundleComment, BundleInput, BundleMergeRequest, BundleNote, BundleThread, EarlierTask } from './input.ts'
import type { MirroredComment } from '../../ports/threads.ts'

/** BUNDLE-RULE-3: the newest 30 notes or 64 KiB, the newest one whatever its size, and always the plans and hand-offs of the last two pods. */
const recentNotes = 30
const recentBytes = 64 * 1024

interface CollectOptions {
  readonly notes: 'recent' | 'all'
  /** Pending events up to this number. */
  readonly eventsUpTo: number
}

export async function collectBundle(
  deps: Pick<AgentApiDeps, 'runtime' | 'gatedThreads' | 'sql' | 'pushRefusal' | 'lifeOf'>,
  task: TaskContext,
  options: CollectOptions,
): Promise<BundleInput> {
  const all = options.notes === 'all'
  const notes = await withWords(deps.sql, task.id, task.journal.notes, (note) => all || isLasting(task, note))
  const issues = await Promise.all(task.forge.issues.map((issue) => issueThread(deps, task, issue)))
  const owned = task.forge.mergeRequests.map((mr) => mergeRequestThread(deps, task, mr))
  return {
    task: bareName(task.id),
    kind: task.kind,
    stage: task.stage.name,
    agent: task.pod.agentKind || (task.stage.wants ?? ''),
    project: bareName(task.config.project),
    issues: issues.filter((issue) => issue !== undefined),
    mergeRequests: (await Promise.all(owned)).filter((mr) => mr !== undefined),
    events: await withRefusals(
      deps,
      task,
      task.journal.pending.filter((event) => event.n <= options.eventsUpTo),
    ),
    notes: (all ? notes : recent(task, notes)).map(toNote),
    notesTotal: notes.length,
    earlier: await earlierTasks(deps, task),
  }
}

/** An issue that came back is worked on by what its earlier Task wrote down; of an earlier Project of the name nobody learns. */
async function earlierTasks(
  { runtime, sql, lifeOf }: Pick<AgentApiDeps, 'runtime' | 'sql' | 'lifeOf'>,
  task: TaskContext,
): Promise<readonly EarlierTask[]> {
  const views = await Promise.all(task.forge.issues.map(({ issue }) => runtime.read(`issue:${issue}`)))
  const ids = views.map((view) => view?.context['deliveredBy'])
  const since = (await lifeOf(task.config.project))?.since
  const found = [...new Set(ids)].map(async (id): Promise<readonly EarlierTask[]> => {
    const found = typeof id !== 'string' || id === task.id ? undefined : await findTask({ runtime }, id)
    if (found === undefined || !isSince(found.task, since)) return []
    const earlier = found.task
    const words = await withWords(sql, earlier.id, earlier.journal.notes, (note) => isLasting(earlier, note))
    const notes = words.filter((note) => isLasting(earlier, note)).map(toNote)
    return notes.length === 0 ? [] : [{ task: bareName(earlier.id), notes }]
  })
  return (await Promise.all(found)).flat()
}

/** The Task knows that a push failed; the words in which it was refused say what to do. They stand behind the newest event about it. */
async function withRefusals(
  { pushRefusal }: Pick<AgentApiDeps, 'pushRefusal'>,
  task: TaskContext,
  events: readonly PendingEvent[],
): Promise<readonly PendingEvent[]> {
  const newest = events.findLastIndex(({ kind, author }) => kind === 'push' && author === platformAuthor)
  if (newest < 0 || pushRefusal === undefined) return events
  const refusals = await Promise.all(
    task.turn.lastFailedRepos.map(async (repository) => {
      const reason = await pushRefusal(task.config.project, repository, task.id)
      return reason === undefined ? [] : [`${repository}: ${reason}`]
    }),
  )
  return events.map((event, index) =>
    index === newest ? { ...event, text: [event.text ?? '', ...refusals.flat()].join('. ') } : event,
  )
}

async function issueThread(
  deps: Pick<AgentApiDeps, 'runtime' | 'gatedThreads'>,
  task: TaskContext,
  { repository, number, issue: actor }: Pick<TaskIssue, 'repository' | 'number' | 'issue'>,
): Promise<BundleThread | undefined> {
  const { project } = task.config
  const issue = await deps.gatedThreads.issue(project, repository, number)
  if (issue === undefined) return undefined
  const comments = await deps.gatedThreads.comments(project, repository, number, 'issue')
  const { state, title, author, body, url } = issue
  return {
    repository,
    number,
    state,
    title,
    author,
    body,
    url,
    status: await statusOf(deps, `issue:${actor}`),
    comments: comments.map(toComment),
  }
}

async function mergeRequestThread(
  deps: Pick<AgentApiDeps, 'runtime' | 'gatedThreads'>,
  task: TaskContext,
  { repository, number, mergeRequest: actor }: Pick<TaskMergeRequest, 'repository' | 'number' | 'mergeRequest'>,
): Promise<BundleMergeRequest | undefined> {
  const { project } = task.config
  const mr = await deps.gatedThreads.mergeRequest(project, repository, number)
  if (mr === undefined) return undefined
  const comments = await deps.gatedThreads.comments(project, repository, number, 'mr')
  const { state, title, author, body, url, ci, headBranch, headSha } = mr
  const status = await statusOf(deps, `merge-request:${actor}`)
  const mergeable = mr.mergeable === null ? 'unknown' : String(mr.mergeable)
  return {
    repository,
    number,
    state,
    title,
    author,
    body,
    url,
    status,
    ci,
    mergeable,
    headBranch,
    headSha,
    comments: comments.map(toComment),
  }
}

function toComment(comment: MirroredComment): BundleComment {
  const { id, author, editedBy, bot, body, createdAt, path, line, inReplyTo } = comment
  return {
    externalId: id,
    author,
    bot,
    body,
    at: createdAt,
    ...(editedBy && { editedBy }),
    ...(path && { path }),
    ...(line !== undefined && { line }),
    ...(inReplyTo && { inReplyTo }),
  }
}

async function statusOf(
  deps: Pick<AgentApiDeps, 'runtime'>,
  address: `issue:${string}` | `merge-request:${string}`,
): Promise<string> {
  const path = (await deps.runtime.read(address))?.path ?? ''
  return path.slice(path.lastIndexOf('.') + 1)
}

function toNote({ agent, at, kind, source, body }: Note): BundleNote {
  return { agent, at, kind, source, body }
}

/** What the next pod goes on from. */
function isLasting({ pod: { ordinal: podOrdinal } }: TaskContext, { kind, pod }: Note): boolean {
  return (kind === 'plan' || kind === 'handoff') && pod >= podOrdinal - 1
}

function recent(task: TaskContext, notes: readonly Note[]): readonly Note[] {
  let bytes = 0
  const kept = notes.toReversed().filter((note, index) => {
    bytes += Buffer.byteLength(note.body)
    return index === 0 || (index < recentNotes && bytes <= recentBytes) || isLasting(task, note)
  })
  return kept.toReversed()
}
