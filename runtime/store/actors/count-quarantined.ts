import type { Queryable } from '../sql.ts'

/** Actors of all processes that this code could not load (R10), by kind. Reads the rows of all that have not ended. */
export async function countQuarantined(sql: Queryable): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql.query<{ kind: string; count: number }>(
    `select kind, count(*) as count from actor where status = 'quarantined' group by kind order by kind`,
  )
  return new Map(rows.map(({ kind, count }) => [kind, count]))
}
