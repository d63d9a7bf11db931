/**
 * The edge's inbox: a verified delivery is a row before it is answered, and its key makes the next one a duplicate.
 * Rows are worked off from here, so a crash after the 202 loses nothing (R1).
 */
import type { Queryable } from '../../../runtime/store/sql.ts'

export interface NewDelivery {
  /** Uid of the Project resource: what came for another of its name is a delivery of that one. */
  readonly project: string
  readonly delivery: string
  readonly provider: string
  readonly event: string
  readonly body: string
  readonly at: number
}

export interface StoredDelivery extends NewDelivery {
  readonly seq: number
  readonly attempts: number
  readonly notBefore: number
}

/** False: it was here already. */
export async function insertDelivery(sql: Queryable, row: NewDelivery): Promise<boolean> {
  const { rowCount } = await sql.query(
    `insert into forge_delivery (project, delivery, provider, event, body, state, attempts, not_before, received_at)
     values ($1, $2, $3, $4, $5, 'pending', 0, $6, $6) on conflict (project, delivery) do nothing`,
    [row.project, row.delivery, row.provider, row.event, row.body, row.at],
  )
  return rowCount > 0
}

export async function pendingDeliveries(
  sql: Queryable,
  now: number,
  limit: number,
): Promise<readonly StoredDelivery[]> {
  const { rows } = await sql.query<StoredDelivery>(
    `select project, delivery, provider, event, body, seq, attempts, not_before as "notBefore", received_at as at
     from forge_delivery where state = 'pending' and not_before <= $1 order by seq limit $2`,
    [now, limit],
  )
  return rows
}

export async function nextDeliveryAt(sql: Queryable): Promise<number | undefined> {
  const { rows } = await sql.query<{ at: number | null }>(
    `select min(not_before) as at from forge_delivery where state = 'pending'`,
  )
  return rows[0]?.at ?? undefined
}

/** The body goes, the key stays. */
export async function settleDelivery(sql: Queryable, project: string, delivery: string): Promise<void> {
  await sql.query(`update forge_delivery set state = 'done', body = '' where project = $1 and delivery = $2`, [
    project,
    delivery,
  ])
}

export async function postponeDelivery(
  sql: Queryable,
  row: StoredDelivery,
  to: { readonly attempts: number; readonly notBefore: number; readonly error: string },
): Promise<void> {
  await sql.query(
    `update forge_delivery set attempts = $3, not_before = $4, last_error = $5 where project = $1 and delivery = $2 and state = 'pending'`,
    [row.project, row.delivery, to.attempts, to.notBefore, to.error],
  )
}

/** Kept with its body, so that it can be looked at; the resync reads back what it told. */
export async function buryDelivery(sql: Queryable, row: StoredDelivery, error: string): Promise<void> {
  await sql.query(
    `update forge_delivery set attempts = attempts + 1, state = 'dead', last_error = $3 where project = $1 and delivery = $2`,
    [row.project, row.delivery, error],
  )
}

export async function seenDeliveries(
  sql: Queryable,
  project: string,
  deliveries: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql.query<{ delivery: string }>(
    'select delivery from forge_delivery where project = $1 and delivery = any($2::text[])',
    [project, [...deliveries]],
  )
  return new Set(rows.map((row) => row.delivery))
}
