import type { ActorAddress } from '../../../machines/definition.ts'
import type { Queryable } from '../sql.ts'

/** The newest event behind `seq` that was stepped before a time; `seq` itself when there is none. */
export async function lastEventBefore(
  sql: Queryable,
  { actor, seq, before }: { readonly actor: ActorAddress; readonly seq: number; readonly before: number },
): Promise<number> {
  const { rows } = await sql.query<{ seq: number }>(
    `select e.seq from event e where e.actor = $1 and e.seq > $2::bigint and e.at < $3::bigint order by e.seq desc limit 1`,
    [actor, seq, before],
  )
  return rows[0]?.seq ?? seq
}
