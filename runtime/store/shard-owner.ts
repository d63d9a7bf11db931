import type { Queryable } from './sql.ts'

/** Who holds the shard now. */
export async function shardOwner(sql: Queryable, shard: number): Promise<string | undefined> {
  const { rows } = await sql.query<{ owner: string | null }>('select owner from shard where shard = $1::int', [shard])
  return rows[0]?.owner ?? undefined
}
