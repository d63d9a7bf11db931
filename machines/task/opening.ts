/** `reviewing.opening`: the merge requests of the pushed heads, once no pod lives [STAGE-8, STAGE-9]. */
import { effect } from '../emit.ts'
import { coversRepositories } from '../rules/merge-order.ts'
import type { Cause, EventOf } from '../decide.ts'
import type { Change } from './chart.ts'
import type { TaskEvent } from './events.ts'
import { withChanges, type TaskContext } from './context.ts'
import { maxFailedOpenings } from './budgets.ts'
import { afterPod, comments } from './comments.ts'
import { branchIn, grantsHold, isMergedIn, liveIssues, openMergeRequests, planHolds } from './queries.ts'
import { tell } from './pending.ts'

/** Repositories with a pushed branch, or an open merge request that came with the Task, and nothing merged yet. */
function opensIn(context: TaskContext): readonly string[] {
  const open = openMergeRequests(context).map(({ repository }) => repository)
  return [...new Set([...context.turn.pushedRepositories, ...open])].filter(
    (repository) => !isMergedIn(context, repository),
  )
}

/** Why it cannot open, or null. The gate is read again: a withdrawal may have come while the pod stopped (FORGE-WRITES-2). */
export function openingFault(context: TaskContext): string | null {
  if (context.turn.lastFailedRepos.length > 0) return `push failed: ${context.turn.lastFailedRepos.join(', ')}`
  if (opensIn(context).length === 0) return 'nothing was pushed'
  if (!grantsHold(context)) return 'an approval is missing'
  if (!planHolds(context)) return 'the plan changed since it was approved'
  if (!coversRepositories(context.forge.submission?.mergeOrder ?? null, opensIn(context))) {
    return 'merge_order must name every repository with changes'
  }
  return null
}

function failedOpening(context: TaskContext, text: string, at?: { readonly repository: string }): Change {
  const told = tell(context, 'push', text, at)
  return {
    context: withChanges(told.context, {
      forge: { failedOpenings: context.forge.failedOpenings + 1 },
      stage: { detail: text },
    }),
  }
}

/** Submitted again and again with nothing to show: an agent that cannot push learns nothing from another turn. */
export function isLastOpening(context: TaskContext): boolean {
  return context.forge.failedOpenings + 1 >= maxFailedOpenings
}

/** After the failure was recorded: `stage.detail` has its words. */
export function sayNeverOpened(context: TaskContext): Change {
  const why = context.stage.detail ?? ''
  const body = `The agent submitted its work ${maxFailedOpenings} times, but the platform could not open a merge request: ${why}. The Task waits. A comment here continues it.`
  const said = afterPod(context, comments(context, body))
  return { ...said, context: withChanges(said.context, { stage: { reason: 'not-opened', detail: why } }) }
}

export function opened(): Change {
  return { context: { forge: { failedOpenings: 0 } } }
}

export function sayOpeningFault(context: TaskContext): Change {
  return failedOpening(context, `no merge request was opened: ${openingFault(context) ?? ''}`)
}

export function sayOpenFailed(
  context: TaskContext,
  { repository, reason }: EventOf<TaskEvent, 'mr.openFailed'>,
): Change {
  return failedOpening(context, `the merge request could not be opened: ${reason}`, { repository })
}

export function isOwnOpening(context: TaskContext, { attempt }: EventOf<TaskEvent, 'mr.openFailed'>): boolean {
  return attempt === context.forge.openAttempt
}

export function askToOpen(context: TaskContext, _event: Cause): Change {
  const repositories = opensIn(context)
  const attempt = context.forge.openAttempt + 1
  const { title, body } = context.forge.submission ?? { title: context.goal, body: '' }
  return {
    context: { forge: { openAttempt: attempt, awaitingOpen: repositories } },
    effects: repositories.map((repository) =>
      effect('openMergeRequest', {
        project: context.config.project,
        repository,
        branch: branchIn(context, repository),
        title,
        body,
        closes: liveIssues(context)
          .filter((issue) => issue.repository === repository)
          .map(({ number }) => number),
        attempt,
      }),
    ),
  }
}

export function withdrawOpening(): Change {
  return { effects: [effect('withdrawEffects', { types: ['openMergeRequest'] })] }
}
