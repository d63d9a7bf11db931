import type { ActorAddress } from '../../../machines/definition.ts'
import { selectList } from '../columns.ts'
import type { SnapshotRow } from '../rows.ts'
import type { Queryable } from '../sql.ts'
import { snapshotColumns } from '../tables.ts'

/** Every point from which an actor's journal may be folded, oldest first; of one point, the newest code last. */
export async function listBaselines(sql: Queryable, actor: ActorAddress): Promise<readonly SnapshotRow[]> {
  const { rows } = await sql.query<SnapshotRow>(
    `select ${selectList(snapshotColumns, 'b')} from baseline b where b.actor = $1 order by b.seq, b.at, b.machine_hash`,
    [actor],
  )
  return rows
}
