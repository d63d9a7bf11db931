import type { ActorAddress } from '../../../machines/definition.ts'
import { selectList } from '../columns.ts'
import type { SnapshotRow } from '../rows.ts'
import type { Queryable } from '../sql.ts'
import { snapshotColumns } from '../tables.ts'

/**
 * What a journal is folded from: what the actor was when this code took it over; of a compacted journal, of which nothing
 * older is left, else what any code made of it last. Undefined: from nothing.
 */
export async function lastBaseline(
  sql: Queryable,
  actor: ActorAddress,
  machineHash: string,
): Promise<SnapshotRow | undefined> {
  const { rows } = await sql.query<SnapshotRow>(
    `select ${selectList(snapshotColumns, 'b')} from baseline b
      where b.actor = $1 and (b.machine_hash = $2 or exists (select 1 from compaction c where c.actor = $1))
      order by (b.machine_hash = $2) desc, b.seq desc limit 1`,
    [actor, machineHash],
  )
  return rows[0]
}
