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
export const lastCharacter = '\u{10ffff}'

/** As SQL, not as a parameter: a server that plans a prepared statement without its values then knows that `actor_live` has them all. */
export const ofStatus: Readonly<Record<ActorStatus | 'any', string>> = {
  active: ` and status = 'active'`,
  done: ` and status = 'done'`,
  quarantined: ` and status = 'quarantined'`,
  any: '',
}

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
