/**
 * What a Task owns goes to another Task that is minted for it, in one commit: the subjects learn who will own them, and
 * wait for it as they wait for any mint. So there is no moment without exactly one owner (LAW-7, LAW-23).
 */
import { tellIssue, tellMergeRequest, tellQueue, type EffectAction } from '../emit.ts'
import type { TaskContext, TaskIssue, TaskMergeRequest } from './context.ts'
import type { OwnedIssue, OwnedMergeRequest, TaskSeed } from './events.ts'

export interface Heir {
  readonly to: string
  readonly entry: string
}

export function heirOf(task: string): Heir {
  return { to: task, entry: `mint/${task}` }
}

/** Owned and open: what is worth handing on. */
function isLive({ state }: { readonly state: string }): boolean {
  return state === 'open'
}

export function handedIssues(context: TaskContext): OwnedIssue[] {
  return context.forge.issues.filter(isLive).map(({ repository, number, issue, selfProposed, humanCommented }) => ({
    repository,
    number,
    issue,
    selfProposed,
    humanCommented,
  }))
}

export function handedMergeRequests(context: TaskContext): OwnedMergeRequest[] {
  return context.forge.mergeRequests
    .filter(isLive)
    .map(({ state: _state, mergeCommit: _mergeCommit, baseUntold: _untold, ...owned }) => owned)
}

export function handOver(
  context: TaskContext,
  { to, entry }: Heir,
): {
  readonly context: { readonly forge: Pick<TaskContext['forge'], 'issues' | 'mergeRequests'> }
  readonly effects: readonly EffectAction[]
} {
  const word = { task: context.id, to, entry }
  return {
    context: {
      forge: {
        issues: given<TaskIssue>(context.forge.issues),
        mergeRequests: given<TaskMergeRequest>(context.forge.mergeRequests),
      },
    },
    effects: [
      ...context.forge.issues
        .filter(isLive)
        .map(({ issue }) => tellIssue(issue, { type: 'issue.handedOver', ...word })),
      ...context.forge.mergeRequests
        .filter(isLive)
        .map(({ mergeRequest }) => tellMergeRequest(mergeRequest, { type: 'mr.handedOver', ...word })),
    ],
  }
}

function given<T extends { readonly state: string }>(things: readonly T[]): readonly T[] {
  return things.map((thing) => (isLive(thing) ? { ...thing, state: 'handedOver' } : thing))
}

/** The heir comes into being as every Task does: when a slot is free. */
export function mintHeir({ to, entry }: Heir, seed: TaskSeed): EffectAction {
  return tellQueue(seed.config.project, {
    type: 'queue.enqueue',
    entry,
    sort: 'mint',
    task: to,
    class: 'normal',
    priority: seed.priority,
    kind: seed.kind,
    seed,
  })
}
