/** What a ledger does on each event: fold it in, then settle what follows. */
import { decideBy, type EventOf } from '../decide.ts'
import { tellTask, type EffectAction } from '../emit.ts'
import { onDayOf, spentBy, type LedgerContext, type Spent } from './context.ts'
import type { LedgerEvent } from './events.ts'
import { settle } from './settle.ts'

interface Fold {
  readonly context?: Partial<LedgerContext>
  readonly effects?: readonly EffectAction[]
}

const { on, always } = decideBy<LedgerContext, LedgerEvent, Fold>((context, event, fold) => {
  const now = onDayOf(context, event.at)
  const { context: patch, effects = [] } = fold(now)
  const settled = settle(context, { ...now, ...patch })
  return { context: settled.context, effects: [...effects, ...settled.effects] }
})

function ask(context: LedgerContext, { turn, task }: EventOf<LedgerEvent, 'reservation.asked'>): Fold {
  const isKnown = [...context.reservations, ...context.waiting].some((one) => one.turn === turn)
  return isKnown ? {} : { context: { waiting: [...context.waiting, { turn, task }] } }
}

function plus({ spent, raised }: Spent, more: Partial<Spent>): Spent {
  return { spent: spent + (more.spent ?? 0), raised: raised + (more.raised ?? 0) }
}

function added(context: LedgerContext, task: string, more: Partial<Spent>): Partial<LedgerContext> {
  return {
    tasks: { ...context.tasks, [task]: plus(spentBy(context, task), more) },
    today: plus(context.today, more),
    total: plus(context.total, more),
  }
}

/** Once: a reservation that is gone was settled. Of a turn that nobody heard the end of, all of it counts. */
function close(context: LedgerContext, { turn, tokens }: EventOf<LedgerEvent, 'reservation.settled'>): Fold {
  const waiting = context.waiting.filter((one) => one.turn !== turn)
  const mine = context.reservations.find((one) => one.turn === turn)
  if (!mine) return { context: { waiting } }
  const reservations = context.reservations.filter((one) => one !== mine)
  return { context: { ...added(context, mine.task, { spent: tokens ?? mine.tokens }), reservations, waiting } }
}

/** Added to every limit that the Task is under: which of them held it is no matter of whoever lets it go on. */
function raise(context: LedgerContext, { task, by, amount }: EventOf<LedgerEvent, 'raise.asked'>): Fold {
  const left = Math.max(0, context.limits.maxRaisePerDay - context.today.raised)
  if (amount > left) return { effects: [tellTask(task, { type: 'budget.refused', by, amount, left })] }
  return {
    context: { ...added(context, task, { raised: amount }), held: context.held.filter((one) => one !== task) },
    effects: [tellTask(task, { type: 'budget.raised', by, amount })],
  }
}

function forget(context: LedgerContext, { task }: EventOf<LedgerEvent, 'task.settled'>): Fold {
  const { [task]: _gone, ...tasks } = context.tasks
  return { context: { tasks, held: context.held.filter((one) => one !== task) } }
}

export const ledgerActions = {
  configure: on('ledger.configured', (_context, { limits }) => ({ context: { limits } })),
  ask: on('reservation.asked', ask),
  close: on('reservation.settled', close),
  raise: on('raise.asked', raise),
  forget: on('task.settled', forget),
  /** One armed on an earlier day finds that day gone already, and changes nothing. */
  beginDay: always(() => ({})),
}
