import { selectList } from '../columns.ts'
import type { ActorRow } from '../rows.ts'
import type { Queryable } from '../sql.ts'
import { actorColumns } from '../tables.ts'
import { lastCharacter, ofStatus, type ActorQuery } from './actor-query.ts'

/** Actors as their rows have them, in byte order of their addresses, behind `after`. */
export async function findActors(sql: Queryable, query: ActorQuery): Promise<readonly ActorRow[]> {
  const { rows } = await sql.query<ActorRow>(
    `select ${selectList(actorColumns, 'a')} from actor a
      where a.address > $1 and a.address >= $2 and a.address < $3${ofStatus[query.status ?? 'any']}
      order by a.address limit $4::int`,
    [query.after, query.prefix, `${query.prefix}${lastCharacter}`, query.limit],
  )
  return rows
}
