import { arraySource } from './columns.ts'
import type { Lease } from './rows.ts'
import type { Queryable } from './sql.ts'

/** Extends the leases that are still this owner's and returns them; the others were taken over. */
export async function renewShards(
  sql: Queryable,
  leases: readonly Lease[],
  until: { readonly owner: string; readonly expiresAt: number },
): Promise<readonly Lease[]> {
  const source = arraySource(
    [
      ['shard', 'int'],
      ['epoch', 'bigint'],
    ],
    leases,
    3,
  )
  const { rows } = await sql.query<Lease>(
    `update shard s set expires_at = $2::bigint from ${source.sql}
      where s.shard = r.shard and s.epoch = r.epoch and s.owner = $1 returning s.shard, s.epoch`,
    [until.owner, until.expiresAt, ...source.params],
  )
  return rows
}
