import type { ActorAddress, ActorKind } from '../../../machines/definition.ts'
import type { Queryable } from '../sql.ts'
import { lastCharacter, ofStatus, type ActorQuery } from './actor-query.ts'

/** Addresses that begin with the prefix, in byte order, behind `after`. */
export async function listActors(
  sql: Queryable,
  { prefix, status, after, limit }: ActorQuery,
): Promise<readonly ActorAddress[]> {
  const { rows } = await sql.query<{ address: ActorAddress }>(
    `select address from actor where address > $1 and address >= $2 and address < $3${ofStatus[status ?? 'any']} order by address limit $4::int`,
    [after, prefix, `${prefix}${lastCharacter}`, limit],
  )
  return rows.map((row) => row.address)
}

/**
 * The newest first. By no index: one with `updated_at` in it would move the row of an actor at each of its steps. So the rows of the
 * whole kind are read, about 10 ms for 20,000 of them.
 */
export async function endedActors(
  sql: Queryable,
  kind: ActorKind,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<readonly ActorAddress[]> {
  const { rows } = await sql.query<{ address: ActorAddress }>(
    `select address from actor where address >= $1 and address < $2 and status = 'done' and updated_at >= $3::bigint
      order by updated_at desc, address limit $4::int`,
    [`${kind}:`, `${kind};`, since, limit],
  )
  return rows.map(({ address }) => address)
}
