/** Retention over any store: what goes, what stays, and that replay goes on from there (R3, R10, R11). */
import { describe, expect, it } from 'vitest'
import { readActor } from '../journal/bundle/read-actor.ts'
import { silentLogger } from '../logger.ts'
import { startRetention } from '../journal/retention.ts'
import type { RetentionPolicy, Sweep } from '../journal/retention.ts'
import type { Receipt, Runtime } from '../runtime.ts'
import type { Sql } from '../store/sql.ts'
import { event, task, until } from './harness.ts'
import type { Harness } from './harness.ts'
import { podDefinition, toyDefinition, toyMachine } from './toy-machine.ts'
import { overStore } from './over-store.ts'

const dayMs = 86_400_000
const forEver: RetentionPolicy = { days: 0, events: 0, finalDays: 0 }

export function retentionContract(store: string, open: () => Promise<Sql>): void {
  describe(`retention over ${store}`, () => {
    let sql: Sql
    let world: Harness
    overStore(open, (...given) => void ([sql, world] = given))

    async function sweep(policy: Partial<RetentionPolicy>, owner = 'one', definition = toyDefinition): Promise<Sweep> {
      const definitions = [definition, podDefinition]
      const given = { sql, ...world, random: Math.random, logger: silentLogger, everyMs: dayMs }
      const retention = startRetention({ ...given, definitions, owner, policy: { ...forEver, ...policy } })
      const done = await retention.sweep()
      await retention.stop()
      return done
    }

    function note(runtime: Runtime, count: number, from = 1): Promise<Receipt[]> {
      const keys = Array.from({ length: count }, (_, index) => `k${from + index}`)
      return Promise.all(
        keys.map((key) => runtime.deliver({ to: task('a'), key, event: event('noted', { note: key }) })),
      )
    }

    async function life(count: number): Promise<Runtime> {
      const first = await world.start({ snapshotEvery: 5 })
      await note(first.runtime, count)
      await first.runtime.stop()
      return (await world.start({ snapshotEvery: 5 })).runtime
    }

    it('leaves the newest events of an actor and a baseline that its replay starts from (R11)', async () => {
      const runtime = await life(1203)
      expect(await sweep({ events: 100 })).toMatchObject({ actors: 1, compacted: 1, events: 1103, refused: [] })
      const rows = await runtime.history(task('a'), { limit: 5000 })
      expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 100 }, (_, index) => 1104 + index))
      expect(await runtime.replay(task('a'))).toEqual({ address: 'task:a', steps: 100, equal: true })
      expect((await readActor(sql, task('a')))?.baselines.map(({ seq }) => seq)).toEqual([1103])
    })

    it('leaves events whose effects wait to be performed, and takes them when they are settled (R6)', async () => {
      world.behave = () => new Promise(() => undefined)
      const first = await world.start({ snapshotEvery: 5 })
      await note(first.runtime, 3)
      await first.runtime.deliver({ to: task('a'), key: 'ask', event: event('asked', { name: 'late' }) })
      await note(first.runtime, 20, 4)
      expect(await sweep({ events: 5 })).toMatchObject({ events: 3, refused: [] })
      first.crash()
      world.behave = async () => []
      const second = await world.start({ snapshotEvery: 5 })
      await until(
        () => second.runtime.pendingEffects(),
        (pending) => pending.length === 0,
      )
      expect(world.performed.map(({ name }) => name)).toEqual(['late', 'late'])
      expect(await sweep({ events: 5 })).toMatchObject({ events: 16, refused: [] })
    })

    it('knows the key of an event that it took, with the first answer, in this life and the next (R3)', async () => {
      const runtime = await life(20)
      await sweep({ events: 5 })
      const first = { key: 'k1', applied: false, seq: 1, answer: { status: 200, body: { count: 1 } } }
      expect((await note(runtime, 1))[0]).toEqual(first)
      await runtime.stop()
      const second = await world.start()
      expect((await note(second.runtime, 1))[0]).toEqual(first)
      expect(await second.runtime.read(task('a'))).toMatchObject({ context: { count: 20 } })
    })

    it('takes events by their age, and goes on where it ended', async () => {
      const runtime = await life(10)
      world.clock.advance(3 * dayMs)
      await note(runtime, 10, 11)
      expect(await sweep({ days: 2 })).toMatchObject({ events: 10 })
      expect(await sweep({ days: 2 })).toMatchObject({ events: 0, compacted: 0 })
      await runtime.stop()
      world.clock.advance(3 * dayMs)
      const next = await world.start()
      expect(await sweep({ days: 2 })).toMatchObject({ events: 10 })
      expect(await next.runtime.replay(task('a'))).toMatchObject({ steps: 0, equal: true })
      expect((await note(next.runtime, 1, 21))[0]).toMatchObject({ applied: true, seq: 21 })
      expect(await next.runtime.replay(task('a'))).toMatchObject({ steps: 1, equal: true })
    })

    it('never goes beyond the newest snapshot, which a load folds from', async () => {
      const { runtime } = await world.start({ snapshotEvery: 8 })
      for (let key = 1; key <= 13; key += 1) await note(runtime, 1, key)
      expect(await sweep({ events: 1 })).toMatchObject({ events: 8 })
      const second = await world.start({ owner: 'two' })
      expect(await second.runtime.read(task('a'))).toMatchObject({ context: { count: 13 } })
    })

    it('takes the whole journal of an actor that ended long ago, and an event to it still changes nothing', async () => {
      const runtime = await life(7)
      await runtime.deliver({ to: task('a'), key: 'end', event: event('closed') })
      expect(await sweep({ finalDays: 1 })).toMatchObject({ events: 0 })
      world.clock.advance(2 * dayMs)
      expect(await sweep({ finalDays: 1 })).toMatchObject({ events: 8 })
      expect((await sql.query('select 1 from event')).rows).toHaveLength(0)
      expect(await runtime.replay(task('a'))).toMatchObject({ steps: 0, equal: true })
      expect((await note(runtime, 1))[0]?.answer).toEqual({ status: 409, body: { code: 'actor-final' } })
      expect(await runtime.read(task('a'))).toMatchObject({ context: { count: 7 } })
      expect(await runtime.replay(task('a'))).toMatchObject({ steps: 1, equal: true })
    })

    it('leaves a journal alone that does not replay, and says so: it is evidence', async () => {
      await life(20)
      await sql.exec(`update event set effects = '[]' where seq = 3`)
      const { refused, events } = await sweep({ events: 5 })
      expect(refused).toEqual([{ address: 'task:a', reason: expect.stringContaining('replay differs at task:a 3') }])
      expect(events).toBe(0)
      expect((await sql.query(`select 1 from event where body = ''`)).rows).toHaveLength(0)
    })

    it('takes what other code made once newer code has gone on from it, and not before (R10)', async () => {
      const first = await world.start({ snapshotEvery: 5 })
      await note(first.runtime, 12)
      await first.runtime.stop()
      const newer = {
        ...toyDefinition,
        machine: toyMachine.provide({ guards: { isOpen: ({ context }) => context.count < 1_000_001 } }),
      }
      expect(await sweep({ events: 2 }, 'one', newer)).toMatchObject({ events: 0, refused: [] })
      const second = await world.start({ definitions: [newer, podDefinition], snapshotEvery: 5 })
      await note(second.runtime, 13, 13)
      expect(await sweep({ events: 2 }, 'one', newer)).toMatchObject({ events: 23, refused: [] })
      expect(await second.runtime.replay(task('a'))).toMatchObject({ steps: 2, equal: true })
    })

    it('touches the shards of its own process only', async () => {
      await life(20)
      expect(await sweep({ events: 5 }, 'another')).toMatchObject({ actors: 0, events: 0 })
    })
  })
}
