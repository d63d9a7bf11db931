import type { ActorAddress } from '../../machines/definition.ts'
import { selectList } from './columns.ts'
import type { SnapshotRow } from './rows.ts'
import type { Queryable } from './sql.ts'
import { snapshotColumns } from './tables.ts'

/** What the actor was when this code took it over; undefined when all its steps are this code's. */
export async function lastBaseline(
  sql: Queryable,
  actor: ActorAddress,
  machineHash: string,
): Promise<SnapshotRow | undefined> {
  const { rows } = await sql.query<SnapshotRow>(
    `select ${selectList(snapshotColumns, 'b')} from baseline b where b.actor = $1 and b.machine_hash = $2 order by b.seq desc limit 1`,
    [actor, machineHash],
  )
  return rows[0]
}
