import type { ActorAddress } from '../../../machines/definition.ts'
import { arraySource } from '../columns.ts'
import type { ActorStatus } from '../rows.ts'
import type { Queryable } from '../sql.ts'

/** What became of an event that was handed to another process, as far as the store can tell. */
export interface ForwardOutcome {
  readonly actor: ActorAddress
  readonly key: string
  /** Of the journal row; null while there is none. */
  readonly seq: number | null
  readonly answer: string | null
  readonly actorSeq: number
  readonly status: ActorStatus | null
  /** Dead letters of this key, earlier attempts' included. */
  readonly letters: number
}

export async function forwardOutcomes(
  sql: Queryable,
  keys: readonly { readonly actor: ActorAddress; readonly key: string }[],
): Promise<readonly ForwardOutcome[]> {
  const source = arraySource(
    [
      ['actor', 'text'],
      ['key', 'text'],
    ],
    keys,
    1,
  )
  const { rows } = await sql.query<ForwardOutcome>(
    `select r.actor, r.key, e.seq, e.answer, coalesce(a.seq, 0) as "actorSeq", a.status,
        (select count(*) from dead_letter d where d.actor = r.actor and d.key = r.key) as letters
      from ${source.sql} left join event e on e.actor = r.actor and e.key = r.key left join actor a on a.address = r.actor`,
    source.params,
  )
  return rows
}
