/** Sorts of states, of which a life alone keeps a few each: by leaf states, and by each thing that guards ask about. */
import type { ActorKind } from '../../../machines/definition.ts'
import type { PodContext } from '../../../machines/pod/context.ts'
import type { TaskContext } from '../../../machines/task/context.ts'
import type { Snapshot } from '../../machines/world/trace.ts'
import { leavesOf } from '../rows/draft.ts'

/** Many of machines of few states. */
const most: Partial<Readonly<Record<ActorKind, number>>> = {
  turn: 8,
  queue: 20,
  ledger: 100,
  issue: 50,
  'merge-request': 50,
  project: 4,
}

export function mostOf(kind: ActorKind): number {
  return most[kind] ?? 1
}

function ofTask({ context }: Snapshot): readonly unknown[] {
  const c = context as TaskContext
  const grants = c.issues.map(({ state, grant }) => (grant ? `${state} granted ${grant.self}` : state)).join(',')
  const merges = c.mergeRequests.map(({ state }) => state).join(',')
  return [
    ['kind', c.kind],
    ['reason', c.stageReason],
    ['from', c.parkedFrom],
    ['asked', c.asked],
    ['spoke', c.turnSpoke],
    ['pushed', c.pushedRepositories.length],
    ['unpushed', c.lastTurnFailedRepos.length],
    ['grants', grants],
    ['merge requests', merges],
    ['pending', c.pending.length > 0],
    ['claims', c.claims.length],
    ['laps', c.reviewLaps],
    ['silent', c.silentTurns],
    ['failed', c.failedTurns],
    ['lost', Math.min(4, c.lostInRow)],
    ['starts', c.startFailures],
    ['openings', c.failedOpenings],
    ['awaited', c.awaitingOpen.length],
    ['deadlines', c.deadlines],
    ['folds', c.folds.map(({ answer }) => answer?.accepted)],
    ['plan', c.planNoteId !== null, c.notes.length > 1],
    ['worked', c.podWorked],
    ['visit', c.podAlive, c.podVisit === c.visit],
    ['significance', c.significance, c.submission?.mergeOrder],
    ['went ahead', c.goAheads.length, c.reviewed === null],
    ['verdict', c.verdict === null],
    ['recorded', c.recordedOutcome === null],
    ['resident', c.visitResidencyMs > 3_600_000],
  ]
}

function ofPod({ context }: Snapshot): readonly unknown[] {
  const { noted, stopAsked, asked, turnOpen, agentLost, noteAsked, turns, ledger } = context as PodContext
  return [
    ['noted', noted, noteAsked],
    ['stop', stopAsked, agentLost],
    ['asked', asked === null, turnOpen],
    ['turns', turns > 0, turns > 1, ledger],
  ]
}

/** A Project is seven regions that know nothing of each other: each leaf counts for itself. */
export function sortsOf(kind: ActorKind, snapshot: Snapshot): readonly string[] {
  const leaves = leavesOf(snapshot.value)
  if (kind === 'project') return leaves
  const all = leaves.join(' ')
  if (kind === 'pod') return [all, ...ofPod(snapshot).map((one) => `${all} ${JSON.stringify(one)}`)]
  if (kind !== 'task') return [all]
  const stage = leaves.find((leaf) => leaf.startsWith('stage'))
  return [all, ...ofTask(snapshot).map((one) => `${stage} ${JSON.stringify(one)}`)]
}
