import type { ActorAddress } from '../../../machines/definition.ts'
import type { Queryable } from '../sql.ts'

/** Actors of these shards that earlier code could not load. */
export async function quarantinedActors(sql: Queryable, shards: readonly number[]): Promise<readonly ActorAddress[]> {
  const { rows } = await sql.query<{ address: ActorAddress }>(
    `select address from actor where status = 'quarantined' and shard = any($1::int[]) order by address`,
    [shards],
  )
  return rows.map((row) => row.address)
}
