/** The rows of a ledger (LEDGER, docs/rules.md): reserve before a turn, settle after it. */
import { newLedger, type LedgerContext } from '../../../machines/ledger/context.ts'
import type { LedgerEvent } from '../../../machines/ledger/events.ts'
import { Asking, type Mutable, type Rows } from './draft.ts'

const dayMs = 86_400_000
type Draft = Mutable<LedgerContext>

interface Limit {
  readonly name: 'task' | 'day' | 'project'
  readonly limit: number
  readonly spent: number
  readonly reserved: number
}

function limitsOf(l: Draft, task: string): readonly Limit[] {
  const reserved = (isMeant: (one: { task: string }) => boolean): number =>
    l.reservations.filter(isMeant).reduce((sum, { tokens }) => sum + tokens, 0)
  const { tokensPerTask, tokensPerDay, tokensPerProject } = l.limits
  const own = l.tasks[task] ?? { spent: 0, raised: 0 }
  const of = (name: Limit['name'], limit: number, account: { spent: number; raised: number }, held: number): Limit[] =>
    limit === 0 ? [] : [{ name, limit: limit + account.raised, spent: account.spent, reserved: held }]
  return [
    ...of(
      'task',
      tokensPerTask,
      own,
      reserved((one) => one.task === task),
    ),
    ...of(
      'day',
      tokensPerDay,
      l.today,
      reserved(() => true),
    ),
    ...of(
      'project',
      tokensPerProject,
      l.total,
      reserved(() => true),
    ),
  ]
}

/** Everybody who waits is judged again, oldest first. */
function judgeWaiting(l: Draft, asking: Asking): void {
  const { waiting } = l
  l.waiting = []
  for (const { turn, task } of waiting) {
    const size = l.limits.tokensPerTurn
    const limits = limitsOf(l, task)
    const full = limits.find(({ spent, limit }) => spent + size > limit)
    if (full) {
      if (full.name === 'day' && !l.held.includes(task)) l.held = [...l.held, task]
      const detail = `${full.name}: ${full.spent} of ${full.limit} tokens`
      asking.tell(`turn:${turn}`, 'reservation.refused', { reason: detail })
      asking.tell(`task:${task}`, 'budget.exhausted', { detail })
    } else if (limits.some(({ spent, reserved, limit }) => spent + reserved + size > limit)) {
      l.waiting = [...l.waiting, { turn, task }]
    } else {
      l.reservations = [...l.reservations, { turn, task, tokens: size }]
      asking.tell(`turn:${turn}`, 'reservation.granted')
    }
  }
}

function add(l: Draft, task: string, spent: number, raised: number): void {
  const plus = (one: { spent: number; raised: number } = { spent: 0, raised: 0 }) => ({
    spent: one.spent + spent,
    raised: one.raised + raised,
  })
  Object.assign(l, { tasks: { ...l.tasks, [task]: plus(l.tasks[task]) }, today: plus(l.today), total: plus(l.total) })
}

function hear(l: Draft, event: LedgerEvent, asking: Asking): void {
  switch (event.type) {
    case 'ledger.configured':
      l.limits = event.limits
      return
    case 'reservation.asked': {
      const isKnown = [...l.reservations, ...l.waiting].some(({ turn }) => turn === event.turn)
      if (!isKnown) l.waiting = [...l.waiting, { turn: event.turn, task: event.task }]
      return
    }
    case 'reservation.settled': {
      const mine = l.reservations.find(({ turn }) => turn === event.turn)
      l.waiting = l.waiting.filter(({ turn }) => turn !== event.turn)
      if (!mine) return
      l.reservations = l.reservations.filter((one) => one !== mine)
      return add(l, mine.task, event.tokens ?? mine.tokens, 0)
    }
    case 'raise.asked': {
      const { task, by, amount } = event
      const left = Math.max(0, l.limits.maxRaisePerDay - l.today.raised)
      if (amount > left) return asking.tell(`task:${task}`, 'budget.refused', { by, amount, left })
      add(l, task, 0, amount)
      l.held = l.held.filter((one) => one !== task)
      return asking.tell(`task:${task}`, 'budget.raised', { by, amount })
    }
    case 'task.settled': {
      l.tasks = Object.fromEntries(Object.entries(l.tasks).filter(([task]) => task !== event.task))
      l.held = l.held.filter((one) => one !== event.task)
    }
  }
}

export const ledgerRows: Rows = (before, event, id) => {
  const l: Draft = { ...(before ? (before.context as LedgerContext) : newLedger(id)) }
  const asking = new Asking()
  l.at = Math.max(l.at, event.at)
  const day = Math.floor(l.at / dayMs)
  if (day > l.day) {
    for (const task of l.held) asking.tell(`task:${task}`, 'budget.renewed')
    Object.assign(l, { day, today: { spent: 0, raised: 0 }, held: [] })
  }
  hear(l, event as unknown as LedgerEvent, asking)
  judgeWaiting(l, asking)
  const isHeld = l.held.length > 0
  return {
    leaves: [isHeld ? 'spentToday' : 'open'],
    context: l,
    effects: asking.effects,
    timers: isHeld ? ['nextDay'] : [],
  }
}
