import { selectList } from '../columns.ts'
import type { ActorRow, ActorStatus } from '../rows.ts'
import type { Queryable } from '../sql.ts'
import { actorColumns } from '../tables.ts'

export interface ActorQuery {
  /** Addresses that begin with it. */
  readonly prefix: string
  readonly status: ActorStatus | undefined
  readonly after: string
  readonly limit: number
}

/** Sorts behind every text that goes on from the prefix. */
const lastCharacter = '\u{10ffff}'

/** Actors as their rows have them, in byte order of their addresses, behind `after`. */
export async function findActors(sql: Queryable, query: ActorQuery): Promise<readonly ActorRow[]> {
  const { rows } = await sql.query<ActorRow>(
    `select ${selectList(actorColumns, 'a')} from actor a
      where a.address > $1 and a.address >= $2 and a.address < $3 and ($4::text is null or a.status = $4)
      order by a.address limit $5::int`,
    [query.after, query.prefix, `${query.prefix}${lastCharacter}`, query.status ?? null, query.limit],
  )
  return rows
}
