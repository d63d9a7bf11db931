/** What the spending ledger does to a Task: held with its state and a reason, never killed (LEDGER-4). */
import type { EventOf } from '../decide.ts'
import type { Change } from './chart.ts'
import type { TaskEvent } from './events.ts'
import { afterPod, comments } from './comments.ts'
import { withChanges, type TaskContext } from './context.ts'

export function holdForBudget(context: TaskContext, { detail }: EventOf<TaskEvent, 'budget.exhausted'>): Change {
  const why = detail === undefined ? '' : ` (${detail})`
  const body = `The token budget of this Task is used up${why}. The Task waits and loses nothing. A maintainer can raise the budget with \`/budget +N\`, or continue with \`/retry\`.`
  const said = afterPod(context, comments(context, body))
  return { ...said, context: withChanges(said.context, { stage: { reason: 'budget', detail: detail ?? null } }) }
}

/** Said to whoever asked; a Task that is held stays so. */
export function sayNotRaised(context: TaskContext, { by, amount, left }: EventOf<TaskEvent, 'budget.refused'>): Change {
  const rest = left > 0 ? `${left} tokens are left for today` : 'nothing is left for today, or `/budget` is off'
  return { effects: comments(context, `@${by}: the platform did not raise the budget by ${amount} tokens: ${rest}.`) }
}

export function raiseBudget(context: TaskContext, { amount }: EventOf<TaskEvent, 'budget.raised'>): Change {
  return { context: { forge: { budgetRaised: context.forge.budgetRaised + amount } } }
}
