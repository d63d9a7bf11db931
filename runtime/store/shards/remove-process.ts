import type { ProcessId } from '../rows.ts'
import type { Queryable } from '../sql.ts'

/** Takes a process from the living: its shards are free from then on. With `beat`, only if it has not moved since. */
export async function removeProcess(
  sql: Queryable,
  { owner, incarnation }: ProcessId,
  beat?: number,
): Promise<boolean> {
  const { rows } = await sql.query(
    `delete from process where owner = $1 and incarnation = $2::bigint and ($3::bigint is null or beat = $3::bigint)
      returning 1 as found`,
    [owner, incarnation, beat ?? null],
  )
  return rows.length > 0
}
