import { later } from '../decide.ts'
import { dayOf, type Account } from '../rules/spending.ts'
import type { SpendingLimits } from './events.ts'

interface Reservation {
  readonly turn: string
  readonly task: string
  readonly tokens: number
}

interface Wish {
  readonly turn: string
  readonly task: string
}

/** What was spent, and what maintainers added to the limit. */
export interface Spent {
  readonly spent: number
  readonly raised: number
}

/** Everything a Project's ledger knows; plain JSON. Tokens throughout. */
export interface LedgerContext {
  readonly id: string
  /** Time of the newest event. */
  readonly at: number
  readonly limits: SpendingLimits
  /** Number of the UTC day that `today` counts. */
  readonly day: number
  readonly today: Spent
  readonly total: Spent
  /** Of Tasks that have not ended. */
  readonly tasks: { readonly [task: string]: Spent }
  readonly reservations: readonly Reservation[]
  /** Turns that fit once others have settled, oldest first. */
  readonly waiting: readonly Wish[]
  /** Tasks that the day's limit holds. */
  readonly held: readonly string[]
}

const nothing: Spent = { spent: 0, raised: 0 }

/** Before it is configured nothing is limited, and a turn is as large as it says afterwards. */
export function newLedger(id: string): LedgerContext {
  return {
    id,
    at: 0,
    limits: { tokensPerTurn: 1, tokensPerTask: 0, tokensPerDay: 0, tokensPerProject: 0, maxRaisePerDay: 0 },
    day: 0,
    today: nothing,
    total: nothing,
    tasks: {},
    reservations: [],
    waiting: [],
    held: [],
  }
}

export function spentBy({ tasks }: LedgerContext, task: string): Spent {
  return tasks[task] ?? nothing
}

function reservedFor(reservations: readonly Reservation[]): number {
  return reservations.reduce((sum, { tokens }) => sum + tokens, 0)
}

function account(name: Account['name'], limit: number, { spent, raised }: Spent, reserved: number): Account {
  return { name, limit: limit === 0 ? 0 : limit + raised, spent, reserved }
}

/** What a turn of this Task is counted against. */
export function accountsOf(context: LedgerContext, task: string): readonly Account[] {
  const { limits, reservations } = context
  const all = reservedFor(reservations)
  const own = reservedFor(reservations.filter((one) => one.task === task))
  return [
    account('task', limits.tokensPerTask, spentBy(context, task), own),
    account('day', limits.tokensPerDay, context.today, all),
    account('project', limits.tokensPerProject, context.total, all),
  ]
}

/** A new day: what was spent and added yesterday counts no more, and nobody is held by it. */
export function onDayOf(context: LedgerContext, at: number): LedgerContext {
  const now = later(context.at, at)
  const day = dayOf(now)
  return day > context.day ? { ...context, at: now, day, today: nothing, held: [] } : { ...context, at: now }
}
