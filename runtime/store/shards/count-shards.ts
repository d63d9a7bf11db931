import type { Queryable } from '../sql.ts'

/** How many shards this store was divided into; none before its first start. */
export async function countShards(sql: Queryable): Promise<number> {
  const { rows } = await sql.query<{ count: number }>('select count(*) as count from shard')
  return rows[0]?.count ?? 0
}
