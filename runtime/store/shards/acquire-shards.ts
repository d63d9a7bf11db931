import type { Lease } from '../rows.ts'
import type { Queryable } from '../sql.ts'

interface Claim {
  readonly owner: string
  readonly limit: number
  /** Shards that this process holds: they carry its name and are not free. */
  readonly except: readonly number[]
}

/**
 * Takes up to `limit` shards that are free, those that an earlier life of this owner left first, each under a new
 * epoch (R5). Rows locked by a commit or another taker are left for the next time: waiting here could deadlock.
 */
export async function acquireShards(sql: Queryable, { owner, limit, except }: Claim): Promise<readonly Lease[]> {
  const { rows } = await sql.query<Lease>(
    `update shard set owner = $1, epoch = epoch + 1
      where shard in (select s.shard from shard s
        where s.shard <> all($2::int[])
          and (s.owner is null or s.owner = $1 or not exists (select from process p where p.owner = s.owner))
        order by s.owner is distinct from $1, s.shard limit $3::int for update of s skip locked)
      returning shard, epoch`,
    [owner, except, limit],
  )
  return rows
}
