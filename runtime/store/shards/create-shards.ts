import type { Queryable } from '../sql.ts'

/** Divides the store; what is divided already stays as it is. */
export async function createShards(sql: Queryable, shards: number): Promise<void> {
  await sql.query(
    `insert into shard (shard, owner, epoch) select n, null, 0 from generate_series(0, $1::int - 1) as n
      on conflict do nothing`,
    [shards],
  )
}
