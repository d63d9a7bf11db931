import type { Queryable } from '../../../../runtime/store/sql.ts'

/** A token bucket; what is lent in advance is waited for. */
interface BucketRates {
  readonly burst: number
  readonly perSecond: number
  /** The fewest tokens that may be left: below 0, as many as somebody waits for. */
  readonly least: number
}

export type ClosedBy = 'primary' | 'secondary'

interface BudgetState {
  readonly tokens: number
  readonly isClosed: boolean
  readonly closedUntil: number
  readonly closedBy: ClosedBy
}

/** Clocks of processes differ by less; a time further ahead is of a clock that was set back since. */
const MOST_SKEW_MS = 60_000

const isClosed = `(b.closed_until > $2::bigint and b.closed_at <= $2::bigint + $5::bigint)`
const refilled = `least($3::float8, b.tokens + greatest(0, $2::bigint - b.filled_at) / 1000.0 * $4::float8)`
const filledAt = `case when b.filled_at > $2::bigint + $5::bigint then $2::bigint else greatest(b.filled_at, $2::bigint) end`

/** Takes one token; what is left, or undefined: it is closed, or too many wait already. */
export async function takeToken(
  sql: Queryable,
  account: string,
  now: number,
  { burst, perSecond, least }: BucketRates,
): Promise<number | undefined> {
  const { rows } = await sql.query<{ tokens: number }>(
    `insert into forge_budget as b (account, tokens, filled_at, closed_at, closed_until, closed_by)
     values ($1, $3::float8 - 1, $2::bigint, 0, 0, 'primary')
     on conflict (account) do update set tokens = ${refilled} - 1, filled_at = ${filledAt}
     where not ${isClosed} and ${refilled} - 1 >= $6::float8
     returning tokens`,
    [account, now, burst, perSecond, MOST_SKEW_MS, least],
  )
  return rows[0]?.tokens
}

export async function loadBudget(
  sql: Queryable,
  account: string,
  now: number,
  { burst, perSecond }: BucketRates,
): Promise<BudgetState> {
  const { rows } = await sql.query<BudgetState>(
    `select ${refilled} as tokens, ${isClosed} as "isClosed", closed_until as "closedUntil", closed_by as "closedBy"
     from forge_budget b where account = $1`,
    [account, now, burst, perSecond, MOST_SKEW_MS],
  )
  return rows[0] ?? { tokens: burst, isClosed: false, closedUntil: 0, closedBy: 'primary' }
}

/** Until the latest time that the forge named. */
export async function closeBudget(
  sql: Queryable,
  account: string,
  now: number,
  until: number,
  closedBy: ClosedBy,
): Promise<void> {
  await sql.query(
    `insert into forge_budget as b (account, tokens, filled_at, closed_at, closed_until, closed_by)
     values ($1, 0, $2::bigint, $2::bigint, $3::bigint, $4)
     on conflict (account) do update set closed_at = $2::bigint, closed_by = $4,
       closed_until = case when b.closed_at > $2::bigint + $5::bigint then $3::bigint else greatest(b.closed_until, $3::bigint) end`,
    [account, now, until, closedBy, MOST_SKEW_MS],
  )
}
