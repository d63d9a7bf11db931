/** A Task comes into being: by hand, by a sweep, or by an admitted `mint` entry that brings its slot along [STAGE-2]. */
import { tellIssue, tellMergeRequest, tellQueue } from '../emit.ts'
import type { EventOf } from '../decide.ts'
import type { Change } from './chart.ts'
import type { TaskContext, TaskIssue, TaskMergeRequest } from './context.ts'
import type { OwnedIssue, OwnedMergeRequest, TaskSeed, TaskEvent } from './events.ts'
import { ownStageOf, type WorkStage } from './queries.ts'

type Minted = EventOf<TaskEvent, 'task.minted'>

export type FirstStage = WorkStage | 'refined' | 'backlog-sweep'

/** Where a seed begins. `minted by an entry` needs no `refined`: its slot is there already. */
export function firstStage({ seed, entry }: Minted): FirstStage {
  if (isBacklog(seed)) return 'backlog-sweep'
  return seed.kind === 'implement' && entry === undefined ? 'refined' : ownStageOf(seed.kind)
}

/** PROJECT-16: off parks every self-proposed chain until a human comments. */
function isBacklog({ kind, issues, config }: TaskSeed): boolean {
  const ownWish =
    issues.length > 0 && issues.every(({ selfProposed, humanCommented }) => selfProposed && !humanCommented)
  return kind === 'implement' && config.autoApproveMaxSignificance === 'off' && ownWish
}

/** The slot of the entry is used at once. */
export function startsWithSlot(event: Minted): boolean {
  return event.entry !== undefined && firstStage(event) !== 'backlog-sweep'
}

function asIssue(issue: OwnedIssue): TaskIssue {
  return { ...issue, state: 'open', accepted: false, grant: null }
}

function asMergeRequest(mr: OwnedMergeRequest): TaskMergeRequest {
  return { ...mr, state: 'open', mergeCommit: null }
}

export function adopt(context: TaskContext, { seed }: Minted): Change {
  const { kind, goal, repositories, priority, origin, config } = seed
  const issues = seed.issues.map(asIssue)
  const mergeRequests = seed.mergeRequests.map(asMergeRequest)
  return {
    context: {
      kind,
      goal,
      repositories,
      priority,
      origin,
      config,
      forge: { issues, mergeRequests, everOwnedIssue: issues.length > 0 },
    },
    effects: [
      ...issues.map(({ issue }) => tellIssue(issue, { type: 'issue.owned', task: context.id })),
      ...mergeRequests.map(({ mergeRequest }) =>
        tellMergeRequest(mergeRequest, { type: 'mr.owned', task: context.id }),
      ),
    ],
  }
}

/**
 * An entry that this Task has no use for frees its slot: a park needs none, and a Task is minted once. Released, not
 * withdrawn: only the Task may give back a slot that minted it.
 */
export function returnSlot(context: TaskContext, { seed, entry }: Minted): Change {
  if (entry === undefined || entry === context.pod.entry) return {}
  return { effects: [tellQueue(seed.config.project, { type: 'queue.release', entry })] }
}
