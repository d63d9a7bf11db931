/** What follows from a change of the ledger, whatever event made it: who may begin, who is held, who goes on. */
import { tellTask, tellTurn, type EffectAction } from '../emit.ts'
import { exhausted, fitsAll, type Account } from '../rules/spending.ts'
import { accountsOf, type LedgerContext } from './context.ts'

interface Settled {
  readonly context: LedgerContext
  readonly effects: readonly EffectAction[]
}

type Wish = LedgerContext['waiting'][number]

/** Every turn that waits is judged again, oldest first; one that still waits holds up nobody of another account. */
export function settle(before: LedgerContext, changed: LedgerContext): Settled {
  const renewed = changed.day > before.day ? before.held : []
  const start: Settled = {
    context: { ...changed, waiting: [] },
    effects: renewed.map((task) => tellTask(task, { type: 'budget.renewed' })),
  }
  return changed.waiting.reduce(judge, start)
}

function judge({ context, effects }: Settled, wish: Wish): Settled {
  const tokens = context.limits.tokensPerTurn
  const accounts = accountsOf(context, wish.task)
  const full = exhausted(tokens, accounts)
  if (full) return { context: hold(context, wish, full), effects: [...effects, ...refuse(wish, full)] }
  if (!fitsAll(tokens, accounts)) return { context: { ...context, waiting: [...context.waiting, wish] }, effects }
  const reservations = [...context.reservations, { ...wish, tokens }]
  return {
    context: { ...context, reservations },
    effects: [...effects, tellTurn(wish.turn, { type: 'reservation.granted' })],
  }
}

/** Only the day's limit ends by itself. */
function hold(context: LedgerContext, { task }: Wish, { name }: Account): LedgerContext {
  return name === 'day' && !context.held.includes(task) ? { ...context, held: [...context.held, task] } : context
}

function refuse({ turn, task }: Wish, { name, spent, limit }: Account): readonly EffectAction[] {
  const detail = `${name}: ${spent} of ${limit} tokens`
  return [
    tellTurn(turn, { type: 'reservation.refused', reason: detail }),
    tellTask(task, { type: 'budget.exhausted', detail }),
  ]
}
