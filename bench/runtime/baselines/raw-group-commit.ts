/**
 * A cell: what this Postgres takes at most. The rows of a runtime that writes every snapshot (actor with 2 KB, journal
 * row, outbox row, an outbox row deleted) for whatever waits, in one statement, with a payload that costs nothing: no
 * machine is stepped and nothing is serialised. No fence and no unique key either, so no runtime can quite get there.
 */
import pg from 'pg'
import { runCell } from '../../kit/measure/cell.ts'
import { eventIds } from '../contenders/event-ids.ts'
import { actorTurns } from '../contenders/turns.ts'
import { binaryArray, element } from './binary-array.ts'
import { initialBody } from './tables.ts'

const mostInBatch = 1000
const effects = JSON.stringify([{ type: 'perform', params: { id: 'evt-raw-abcdefgh' } }])

const statement = `
with a as (update actor x set rev = v.rev, snapshot = v.body
    from unnest($1::int[], $2::bigint[], $3::bigint[], $4::text[]) v(id, rev, before, body)
    where x.id = v.id and x.rev = v.before returning 1),
  e as (insert into event (actor, seq, key, body) select * from unnest($1::int[], $2::bigint[], $5::text[], $6::text[])),
  o as (insert into outbox (actor, seq, effect) select * from unnest($1::int[], $2::bigint[], $7::text[])),
  d as (delete from outbox x using unnest($8::int[], $9::bigint[]) v(actor, seq) where x.actor = v.actor and x.seq = v.seq)
select count(*)::int as updated from a`

interface Waiting {
  readonly actor: number
  readonly id: string
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface Written {
  readonly actor: number
  readonly rev: number
}

await runCell(async (spec) => {
  const client = new pg.Client(spec.store)
  await client.connect()
  const actors = Number(spec.options['actors'])
  // A client has an actor of its own at a time, so a batch holds no actor twice.
  const pick = actorTurns(spec)
  const nextId = eventIds(spec.tag)
  const revisions = new Float64Array(actors)
  const waiting: Waiting[] = []
  let settled: readonly Written[] = []
  let isWriting = false

  async function write(batch: readonly Waiting[]): Promise<void> {
    const written = batch.map(({ actor }) => ({ actor, rev: ++revisions[actor]! }))
    const events = batch.map(({ id }) => JSON.stringify({ type: 'ring.moved', at: 0, id }))
    const values = [
      binaryArray(
        written.map(({ actor }) => actor),
        element.int4,
      ),
      binaryArray(
        written.map(({ rev }) => rev),
        element.int8,
      ),
      binaryArray(
        written.map(({ rev }) => rev - 1),
        element.int8,
      ),
      binaryArray(
        batch.map(() => initialBody),
        element.text,
      ),
      binaryArray(
        batch.map(({ id }) => id),
        element.text,
      ),
      binaryArray(events, element.text),
      binaryArray(
        batch.map(() => effects),
        element.text,
      ),
      binaryArray(
        settled.map(({ actor }) => actor),
        element.int4,
      ),
      binaryArray(
        settled.map(({ rev }) => rev),
        element.int8,
      ),
    ]
    const { rows } = await client.query<{ updated: number }>({ name: 'group', text: statement, values })
    if (rows[0]?.updated !== batch.length) throw new Error('an actor was not where it should have been')
    settled = written
  }

  async function pump(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, mostInBatch)
      try {
        await write(batch)
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isWriting = false
  }

  function send(actor: number): Promise<void> {
    return new Promise((resolve, reject) => {
      waiting.push({ actor, id: nextId(), resolve, reject })
      if (isWriting) return
      isWriting = true
      setImmediate(() => void pump())
    })
  }

  return {
    async once(clientNumber, window) {
      const at = performance.now()
      await send(pick(clientNumber))
      window.acknowledged(performance.now() - at)
    },
    close: () => client.end(),
  }
})
