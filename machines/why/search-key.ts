/**
 * What tells two standings of a Task apart for the search: everything that a guard of the table may ask. Counters that
 * only name things (ordinals, attempts), times and texts are left out or made yes and no, or no standing would ever be
 * met twice.
 */
import type { TaskContext } from '../task/context.ts'
import { servesStage } from '../task/queries.ts'

export function searchKey(context: TaskContext): string {
  const { issues, mergeRequests, verdict, reviewed, goAheads, merging, recordedOutcome, pending, folds } = context
  return JSON.stringify([
    context.stage,
    context.stageReason,
    context.parkedFrom,
    context.wants,
    context.deadlines,
    context.reviewLaps,
    context.failedOpenings,
    servesStage(context),
    context.podAlive,
    context.entry !== null,
    context.agentKind,
    context.nudged,
    context.asked,
    context.turnSpoke,
    context.silentTurns,
    context.failedTurns,
    context.lostInRow,
    context.startFailures,
    context.respawnDelayMs > 0,
    context.pushedRepositories,
    context.lastTurnFailedRepos,
    context.awaitingOpen,
    context.planHash !== null,
    context.claims,
    pending.length > 0,
    recordedOutcome?.pod === context.podOrdinal,
    issues.map(({ state, accepted, grant }) => [state, accepted, grant?.planHash === context.planHash]),
    mergeRequests.map(({ repository, number, state, headSha }) => [repository, number, state, headSha]),
    [verdict, reviewed, goAheads, merging].map((heads) => heads),
    folds.map(({ answer }) => answer !== null),
  ])
}
