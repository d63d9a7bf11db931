import type { ActorAddress } from '../../../machines/definition.ts'
import type { Queryable } from '../sql.ts'

interface OutdatedQuery {
  readonly shards: readonly number[]
  /** The version of this code by kind. */
  readonly versions: ReadonlyMap<string, number>
  readonly limit: number
}

/** Living actors whose row is by an older version than this code's (R10). */
export async function outdatedActors(
  sql: Queryable,
  { shards, versions, limit }: OutdatedQuery,
): Promise<readonly ActorAddress[]> {
  const { rows } = await sql.query<{ address: ActorAddress }>(
    `select a.address from actor a join unnest($2::text[], $3::int[]) as r(kind, version) on a.kind = r.kind
      where a.status = 'active' and a.shard = any($1::int[]) and a.version < r.version limit $4::int`,
    [shards, [...versions.keys()], [...versions.values()], limit],
  )
  return rows.map((row) => row.address)
}
