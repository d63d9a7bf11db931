import { describe, expect, it } from 'vitest'
import type { ActorAddress } from '../../machines/definition.ts'
import { silentLogger } from '../logger.ts'
import { silentObserver } from '../observer.ts'
import { Recovery } from './recovery.ts'
import { simulatedClock } from '../simulated-clock.ts'
import type { StoredInboxRow } from '../store/inbox/pending-inbox.ts'
import type { Queryable, Sql } from '../store/sql.ts'
import { actorOf } from '../work.ts'

const actor: ActorAddress = 'task:a'

interface Fixture {
  readonly recovery: Recovery
  /** What the store would give of the inbox. */
  readonly stored: StoredInboxRow[]
  /** What was handed on, in its order. */
  readonly handedOn: string[]
  /** The commit that was under way has ended. */
  readonly endCommit: () => Promise<void>
}

/** A commit is under way: no reading begins before it has ended. */
function fixture(): Fixture {
  const stored: StoredInboxRow[] = []
  const handedOn: string[] = []
  const commit = Promise.withResolvers<void>()
  const readings: Promise<unknown>[] = []
  const query = (): Promise<unknown> => Promise.resolve({ rows: [...stored], rowCount: stored.length })
  const room = { size: 100, bytes: 1e6 }
  const recovery = new Recovery({
    sql: { query: query as Queryable['query'] } as Sql,
    clock: simulatedClock(0),
    random: () => 0.5,
    logger: silentLogger,
    observer: silentObserver,
    pollMs: 250,
    mostQueued: room,
    queue: {
      waiting: { size: 0, bytes: 0 },
      mayTake: () => true,
      crowding: () => new Set(),
      submit: (work) => void handedOn.push(work.kind === 'event' ? work.key : actorOf(work)),
    },
    definitions: [],
    shards: () => [0],
    shardOf: () => 0,
    alone: (task) => {
      const reading = commit.promise.then(task)
      readings.push(reading)
      return reading
    },
    resume: () => Promise.resolve(0),
    look: () => Promise.resolve(),
  })
  const endCommit = async (): Promise<void> => {
    commit.resolve()
    await Promise.all(readings)
  }
  return { recovery, stored, handedOn, endCommit }
}

function row(id: number): StoredInboxRow {
  const body = JSON.stringify({ type: 'noted' })
  return { id, actor, shard: 0, key: `event ${id}`, body, at: 0 }
}

describe('a row of a commit of this process', () => {
  it('is handed on at once', () => {
    const { recovery, handedOn } = fixture()
    recovery.receive(row(1))
    expect(handedOn).toEqual(['event 1'])
  })

  it('waits behind what the store holds and is nowhere here, from the moment the full reading was asked for (R2)', async () => {
    const { recovery, stored, handedOn, endCommit } = fixture()
    recovery.requestFullRead()
    stored.push(row(1), row(2))
    recovery.receive(row(2))
    expect(handedOn).toEqual([])
    await endCommit()
    expect(handedOn).toEqual(['event 1', 'event 2'])
  })

  it('is handed on at once again when all that waited was read', async () => {
    const { recovery, stored, handedOn, endCommit } = fixture()
    recovery.requestFullRead()
    stored.push(row(1))
    await endCommit()
    recovery.receive(row(2))
    expect(handedOn).toEqual(['event 1', 'event 2'])
  })
})
