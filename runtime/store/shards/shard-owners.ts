import type { Queryable } from '../sql.ts'

/** Who holds these shards now; a shard that nobody holds is missing. */
export async function shardOwners(sql: Queryable, shards: readonly number[]): Promise<readonly string[]> {
  const { rows } = await sql.query<{ owner: string }>(
    'select distinct owner from shard where shard = any($1::int[]) and owner is not null',
    [shards],
  )
  return rows.map((row) => row.owner)
}
