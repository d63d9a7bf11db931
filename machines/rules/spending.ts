/**
 * What counts against a spending limit, and what still fits under it (LEDGER, docs/rules.md). A reservation is as large as
 * a turn may get, so that spent and reserved together are never more than was allowed: what a turn did not use is free
 * again when it is settled. Limits of 0 are none.
 */

/** A turn with its sub-agents rarely needs more; a Project that knows better says so. */
export const defaultTokensPerTurn = 2_000_000

/** All that the model read and wrote, sub-agents included: the wrapper counts each message of a turn once. */
export function tokensOf(usage: Readonly<Record<string, unknown>>): number {
  return ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens']
    .map((name) => usage[name])
    .reduce((sum: number, count) => sum + (typeof count === 'number' ? count : 0), 0)
}

export interface Account {
  /** Which limit it is, as people are told: `task`, `day`, `project`. */
  readonly name: 'task' | 'day' | 'project'
  readonly limit: number
  readonly spent: number
  readonly reserved: number
}

/** `full`: no settlement of what is reserved can make room for it. */
type Room = 'fits' | 'waits' | 'full'

export function roomFor(tokens: number, { limit, spent, reserved }: Omit<Account, 'name'>): Room {
  if (limit === 0 || spent + reserved + tokens <= limit) return 'fits'
  return spent + tokens <= limit ? 'waits' : 'full'
}

/** The first limit that leaves no room for good, in the order in which they are given. */
export function exhausted(tokens: number, accounts: readonly Account[]): Account | undefined {
  return accounts.find((account) => roomFor(tokens, account) === 'full')
}

export function fitsAll(tokens: number, accounts: readonly Account[]): boolean {
  return accounts.every((account) => roomFor(tokens, account) === 'fits')
}

const day = 24 * 60 * 60 * 1000

/** Days are those of UTC, whatever zone schedules have: a limit must not depend on where it is read. */
export function dayOf(at: number): number {
  return Math.floor(at / day)
}

export function untilNextDay(at: number): number {
  return (dayOf(at) + 1) * day - at
}

const units: Readonly<Record<string, number>> = { '': 1, k: 1000, m: 1_000_000 }
/** Beyond it a number is a slip of the finger. */
const maxRaise = 1_000_000_000

/** `+N`, `+Nk` or `+NM` tokens; undefined: it names no amount. */
export function amountOf(argument: string): number | undefined {
  const [, digits, unit] = /^\+(\d{1,12})([km]?)$/i.exec(argument.trim()) ?? []
  if (digits === undefined) return undefined
  const amount = Number(digits) * (units[(unit ?? '').toLowerCase()] ?? 1)
  return amount > 0 && amount <= maxRaise ? amount : undefined
}
