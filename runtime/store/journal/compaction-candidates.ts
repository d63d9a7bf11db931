import type { ActorAddress } from '../../../machines/definition.ts'
import type { ActorStatus } from '../rows.ts'
import type { Queryable } from '../sql.ts'

export interface Candidate {
  readonly address: ActorAddress
  readonly kind: string
  readonly seq: number
  readonly status: ActorStatus
  readonly updatedAt: number
  readonly snapshotSeq: number
  /** Up to here its journal was compacted before; 0: never. */
  readonly compactedSeq: number
  /** Effects decided behind this event wait to be performed, and the journal alone tells them. */
  readonly settledSeq: number
  /** When the oldest event of the rest was stepped. */
  readonly oldestAt: number
}

/** Actors of this owner's shards with a snapshot and events that are not compacted, by address behind `after`. */
export async function compactionCandidates(
  sql: Queryable,
  query: { readonly owner: string; readonly after: string; readonly limit: number },
): Promise<readonly Candidate[]> {
  const { rows } = await sql.query<Candidate>(
    `select a.address, a.kind, a.seq, a.status, a.updated_at as "updatedAt", s.seq as "snapshotSeq",
      coalesce(c.seq, 0) as "compactedSeq", coalesce(split_part(a.pending, '.', 1)::bigint - 1, a.seq) as "settledSeq", (select e.at from event e
        where e.actor = a.address and e.seq > coalesce(c.seq, 0) order by e.seq limit 1) as "oldestAt"
      from actor a join snapshot s on s.actor = a.address left join compaction c on c.actor = a.address
      where a.address > $1 and a.seq > coalesce(c.seq, 0) and a.shard in (select shard from shard where owner = $2)
      order by a.address limit $3::int`,
    [query.after, query.owner, query.limit],
  )
  return rows
}
