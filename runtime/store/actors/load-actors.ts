import type { ActorAddress } from '../../../machines/definition.ts'
import { selectList } from '../columns.ts'
import type { ActorRow, EventRow, SnapshotRow, TimerRow } from '../rows.ts'
import type { Queryable } from '../sql.ts'
import { actorColumns, eventColumns, snapshotColumns, timerColumns } from '../tables.ts'

/** An actor as stored: its row, its newest snapshot, the events behind that, its timers. */
export interface StoredActor {
  readonly row: ActorRow
  readonly snapshot: SnapshotRow | undefined
  readonly tail: readonly EventRow[]
  readonly timers: readonly TimerRow[]
}

interface Everything {
  readonly actor: ActorRow
  readonly snapshot: SnapshotRow | null
  readonly tail: EventRow[] | null
  readonly timers: TimerRow[] | null
}

const text = `select
  (select row_to_json(x) from (select ${selectList(actorColumns, 'a')}) x) as actor,
  (select row_to_json(x) from (select ${selectList(snapshotColumns, 's')}) x where s.actor is not null) as snapshot,
  (select json_agg(x order by x.seq) from (select ${selectList(eventColumns, 'e')} from event e
    where e.actor = a.address and e.seq > coalesce(s.seq, 0)) x) as tail,
  (select json_agg(x) from (select ${selectList(timerColumns, 't')} from timer t where t.actor = a.address) x) as timers
  from actor a left join snapshot s on s.actor = a.address where a.address = any($1::text[])`

/** One statement, so that row, snapshot and events belong together. Unknown addresses are missing in the result. */
export async function loadActors(
  sql: Queryable,
  addresses: readonly ActorAddress[],
): Promise<Map<ActorAddress, StoredActor>> {
  const { rows } = await sql.query<Everything>(text, [addresses])
  return new Map(
    rows.map(({ actor, snapshot, tail, timers }) => [
      actor.address,
      { row: actor, snapshot: snapshot ?? undefined, tail: tail ?? [], timers: timers ?? [] },
    ]),
  )
}
