/**
 * What tells two standings of a Task apart for the search: everything that a guard of the table may ask. Counters that
 * only name things (ordinals, attempts), times and texts are left out or made yes and no, or no standing would ever be
 * met twice.
 */
import type { TaskContext } from '../../task/context.ts'
import { servesStage } from '../../task/queries.ts'

export function searchKey(context: TaskContext): string {
  const {
    forge: { issues, mergeRequests, verdict, reviewed, goAheads, merging, checkQuestion, folds },
    pod: { recordedOutcome },
    journal: { pending },
  } = context
  return JSON.stringify([
    context.stage.name,
    context.stage.reason,
    context.stage.parkedFrom,
    context.stage.wants,
    context.stage.deadlines,
    context.stage.reviewLaps,
    context.forge.failedOpenings,
    servesStage(context),
    context.pod.alive,
    context.pod.entry !== null,
    context.pod.agentKind,
    context.turn.nudged,
    context.turn.asked,
    context.turn.spoke,
    context.turn.silentInRow,
    context.turn.failedInRow,
    context.pod.lostInRow,
    context.pod.startFailures,
    context.pod.respawnDelayMs > 0,
    context.turn.pushedRepositories,
    context.turn.lastFailedRepos,
    context.forge.awaitingOpen,
    context.journal.planHash !== null,
    context.forge.claims,
    pending.length > 0,
    recordedOutcome?.pod === context.pod.ordinal,
    issues.map(({ state, accepted, grant }) => [state, accepted, grant?.planHash === context.journal.planHash]),
    mergeRequests.map(({ repository, number, state, headSha, baseBranch, baseUntold }) => [
      ...[repository, number, state, headSha, baseBranch, baseUntold !== undefined],
    ]),
    [verdict, reviewed, goAheads, merging, checkQuestion],
    folds.map(({ answer }) => answer !== null),
  ])
}
