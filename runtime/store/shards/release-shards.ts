import { arraySource } from '../columns.ts'
import type { Lease } from '../rows.ts'
import type { Queryable } from '../sql.ts'

/** Gives leases back before their time, so that another process need not wait for them. */
export async function releaseShards(sql: Queryable, leases: readonly Lease[], owner: string): Promise<void> {
  const source = arraySource(
    [
      ['shard', 'int'],
      ['epoch', 'bigint'],
    ],
    leases,
    2,
  )
  await sql.query(
    `update shard s set owner = null from ${source.sql} where s.shard = r.shard and s.epoch = r.epoch and s.owner = $1`,
    [owner, ...source.params],
  )
}
