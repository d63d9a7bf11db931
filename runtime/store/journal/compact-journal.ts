import type { ActorAddress } from '../../../machines/definition.ts'
import type { SnapshotRow } from '../rows.ts'
import type { Queryable, Sql } from '../sql.ts'

export interface Compaction {
  readonly actor: ActorAddress
  /** Events behind `from`, up to `upTo`: few enough for one transaction. */
  readonly from: number
  readonly upTo: number
  readonly at: number
  /** What the journal is folded from afterwards, where it does not stand there already. */
  readonly baseline?: SnapshotRow
  /** Keys go too: nothing can happen to the actor any more. */
  readonly isFinal: boolean
}

export interface Compacted {
  readonly events: number
  /** Characters of events, effects and answers that are gone. */
  readonly characters: number
}

/**
 * Takes the bodies of events out of the journal. Their keys stay where R3 looks for them, in the same rows under the same
 * index, with what was answered; the rows of a final actor go.
 */
export function compactJournal(sql: Sql, compaction: Compaction): Promise<Compacted> {
  return sql.tx(async (tx) => {
    const { actor, upTo, at, baseline } = compaction
    if (baseline) {
      await tx.query(
        `insert into baseline (actor, seq, version, machine_hash, body, at)
          values ($1, $2::bigint, $3::int, $4, $5, $6::bigint) on conflict do nothing`,
        [actor, baseline.seq, baseline.version, baseline.machineHash, baseline.body, at],
      )
    }
    const compacted = await takeOut(tx, compaction)
    await tx.query('delete from baseline where actor = $1 and seq < $2::bigint', [actor, upTo])
    await tx.query(
      `insert into compaction (actor, seq, at) values ($1, $2::bigint, $3::bigint)
        on conflict (actor) do update set seq = excluded.seq, at = excluded.at`,
      [actor, upTo, at],
    )
    return compacted
  })
}

async function takeOut(tx: Queryable, { actor, from, upTo, isFinal }: Compaction): Promise<Compacted> {
  const range = 'e.actor = $1 and e.seq > $2::bigint and e.seq <= $3::bigint'
  const taken = isFinal
    ? `delete from event e where ${range} returning e.seq`
    : `update event e set body = '', effects = '', path = '', status = '', machine_hash = '', fault = null, state_hash = null
        where ${range} and e.body <> '' returning e.seq`
  const { rows } = await tx.query<Compacted>(
    `with old as (select e.seq, length(e.body) + length(e.effects) as characters from event e where ${range}),
      gone as (${taken})
      select count(*) as events, coalesce(sum(old.characters), 0)::bigint as characters from gone join old on old.seq = gone.seq`,
    [actor, from, upTo],
  )
  return rows[0] ?? { events: 0, characters: 0 }
}
