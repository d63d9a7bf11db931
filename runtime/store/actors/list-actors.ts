import type { ActorAddress } from '../../../machines/definition.ts'
import type { Queryable } from '../sql.ts'
import { lastCharacter, ofStatus, type ActorQuery } from './find-actors.ts'

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
