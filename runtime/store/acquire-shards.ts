import type { Lease } from './rows.ts'
import type { Queryable } from './sql.ts'

interface Claim {
  readonly owner: string
  readonly shards: number
  readonly now: number
  readonly expiresAt: number
  /** Take what carries this owner's name too, expired or not. */
  readonly reclaim: boolean
}

/**
 * Takes every shard that is free or expired, or was this owner's in an earlier life, under a new epoch (R5).
 * Rows locked by a commit or another taker are left for the next time: waiting here could deadlock.
 */
export async function acquireShards(
  sql: Queryable,
  claim: Claim,
  except: readonly number[],
): Promise<readonly Lease[]> {
  await sql.query(
    `insert into shard (shard, owner, epoch, expires_at)
      select n, null, 0, 0 from generate_series(0, $1::int - 1) as n on conflict do nothing`,
    [claim.shards],
  )
  const { rows } = await sql.query<Lease>(
    `update shard set owner = $1, epoch = epoch + 1, expires_at = $2::bigint
      where shard in (select s.shard from shard s
        where (s.owner is null or ($6::boolean and s.owner = $1) or s.expires_at <= $3::bigint) and s.shard < $4::int and s.shard <> all($5::int[])
        order by s.shard for update skip locked)
      returning shard, epoch`,
    [claim.owner, claim.expiresAt, claim.now, claim.shards, except, claim.reclaim],
  )
  return rows
}
