import type { ProcessId } from '../rows.ts'
import type { Queryable } from '../sql.ts'

/** One sign of life. False: this incarnation was replaced or called dead. */
export async function beatProcess(sql: Queryable, { owner, incarnation }: ProcessId): Promise<boolean> {
  const { rows } = await sql.query(
    'update process set beat = beat + 1 where owner = $1 and incarnation = $2::bigint returning 1 as found',
    [owner, incarnation],
  )
  return rows.length > 0
}
