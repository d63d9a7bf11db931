import type { ActorAddress } from '../../../machines/definition.ts'
import type { Queryable } from '../sql.ts'

/** Sorts behind every text that goes on from the prefix. */
const lastCharacter = '\u{10ffff}'

/** Addresses that begin with the prefix, in byte order, behind `after`. */
export async function listActors(
  sql: Queryable,
  query: { readonly prefix: string; readonly after: string; readonly limit: number },
): Promise<readonly ActorAddress[]> {
  const { rows } = await sql.query<{ address: ActorAddress }>(
    `select address from actor where address > $1 and address >= $2 and address < $3 order by address limit $4::int`,
    [query.after, query.prefix, `${query.prefix}${lastCharacter}`, query.limit],
  )
  return rows.map((row) => row.address)
}
