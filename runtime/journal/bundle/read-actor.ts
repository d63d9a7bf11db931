import type { ActorAddress } from '../../../machines/definition.ts'
import { listBaselines } from '../../store/journal/list-baselines.ts'
import { listEffects } from '../../store/effects/list-effects.ts'
import { loadActors } from '../../store/actors/load-actors.ts'
import { readJournal } from '../../store/journal/read-journal.ts'
import type { EventRow, SnapshotRow } from '../../store/rows.ts'
import type { Queryable, Sql } from '../../store/sql.ts'
import type { ActorBundle, BundledEvent, BundledSnapshot } from './schema.ts'

/** A journal is exported whole or not at all: cut, it would fold to nothing. Retention keeps living ones shorter. */
const maxExportedEvents = 50_000

export class JournalTooLongError extends Error {
  override readonly name = 'JournalTooLongError'
}

/** Everything that is stored of an actor, as of one moment. Not redacted. Undefined: there is no such actor. */
export function readActor(sql: Sql, address: ActorAddress): Promise<ActorBundle | undefined> {
  return sql.tx(async (tx) => {
    await tx.exec('set transaction isolation level repeatable read read only')
    return readIn(tx, address)
  })
}

async function readIn(tx: Queryable, address: ActorAddress): Promise<ActorBundle | undefined> {
  const stored = (await loadActors(tx, [address])).get(address)
  if (!stored) return undefined
  const { row, snapshot, timers } = stored
  const rows = await readJournal(tx, { actor: address, from: 1, limit: maxExportedEvents + 1 })
  if (rows.length > maxExportedEvents)
    throw new JournalTooLongError(`${address} has more than ${maxExportedEvents} events in its journal`)
  const effects = await listEffects(tx, address)
  return {
    address,
    kind: row.kind,
    seq: row.seq,
    version: row.version,
    machineHash: row.machineHash,
    status: row.status,
    path: row.path,
    fault: row.fault,
    replay: { ok: true },
    baselines: (await listBaselines(tx, address)).map(bundledSnapshot),
    snapshot: snapshot ? bundledSnapshot(snapshot) : null,
    events: rows.map(bundledEvent),
    effects: effects.map(({ seq, idx, type, params, attempts, notBefore, lastError, dead }) => ({
      seq,
      index: idx,
      type,
      params: JSON.parse(params) as Record<string, unknown>,
      attempts,
      notBefore,
      lastError,
      dead,
    })),
    timers: timers.map(({ id, seq, dueAt, body }) => ({
      id,
      seq,
      dueAt,
      event: JSON.parse(body) as ActorBundle['timers'][number]['event'],
    })),
  }
}

function bundledSnapshot({ seq, version, machineHash, body }: SnapshotRow): BundledSnapshot {
  return { seq, version, machineHash, snapshot: JSON.parse(body) as Record<string, unknown> }
}

function bundledEvent(row: EventRow): BundledEvent {
  return {
    seq: row.seq,
    key: row.key,
    event: JSON.parse(row.body) as BundledEvent['event'],
    effects: JSON.parse(row.effects) as BundledEvent['effects'],
    path: row.path,
    status: row.status,
    handled: row.handled,
    fault: row.fault,
    machineHash: row.machineHash,
    at: row.at,
  }
}
