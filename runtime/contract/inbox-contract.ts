/** How an owner reads what waits for it in the store, over any store: bounded (back-pressure), fair, and in order (R2). */
import { describe, expect, it } from 'vitest'
import { shardOf } from '../address.ts'
import { storeAttempts } from '../commit/failed-commits.ts'
import { silentObserver } from '../observer.ts'
import type { Runtime } from '../runtime.ts'
import { insertInbox } from '../store/inbox/insert-inbox.ts'
import type { Queryable, Sql } from '../store/sql.ts'
import { event, pumping, task, until } from './harness.ts'
import type { Harness } from './harness.ts'
import { deafSql, heldCommits, isCommit } from './store-faults.ts'
import { overStore } from './over-store.ts'

const shards = 4

export function inboxContract(store: string, open: () => Promise<Sql>): void {
  describe(`the inbox over ${store}`, () => {
    let sql: Sql
    let world: Harness

    overStore(open, (...given) => void ([sql, world] = given))

    async function left(id: string, count: number): Promise<readonly string[]> {
      const keys = Array.from({ length: count }, (_, index) => `${id}${index}`)
      const actor = task(id)
      const body = JSON.stringify(event('noted', { note: 'of the inbox' }))
      const row = { actor, shard: shardOf(actor, shards), body, at: world.clock.now() }
      for (const key of keys) await insertInbox(sql, [{ ...row, key }])
      return keys
    }

    /** In the order in which they were stepped. */
    function stepped(runtime: Runtime): readonly { readonly address: string; readonly key: string }[] {
      const rows: { readonly address: string; readonly key: string }[] = []
      runtime.subscribe(({ address, key }) => void rows.push({ address, key }))
      return rows
    }

    it('lets a busy actor hold its share of the queue and reads the others’ events past it, all in order (R2)', async () => {
      const busy = await left('a', 120)
      const others = [...(await left('b', 2)), ...(await left('c', 2))]
      const slow = slowCommits(sql, () => world.clock.advance(20))
      const { runtime } = await world.start({ sql: slow, maxQueued: 40, maxBatch: 4 })
      const rows = stepped(runtime)
      const pump = pumping(world)
      await until(() => rows.length >= 116 + others.length)
      await until(async () => (await sql.query('select 1 from inbox')).rows.length === 0)
      pump.stop()
      const lastOther = rows.findLastIndex(({ address }) => address !== task('a'))
      expect(lastOther).toBeLessThan(60)
      const keys = rows.map(({ key }) => key)
      expect(keys.filter((key) => others.includes(key)).toSorted()).toEqual(others)
      expect((await runtime.history(task('a'))).map(({ key }) => key)).toEqual(busy)
    })

    it('leaves deliveries of a commit in the store while the queue is full, and reads them when it is not', async () => {
      const ids = Array.from({ length: 24 }, (_, index) => `t${index}`)
      const held = heldCommits(sql)
      let longest = 0
      const observer = {
        ...silentObserver,
        batchCommitted: ({ queued }: { queued: number }) => void (longest = Math.max(longest, queued)),
      }
      const { runtime } = await world.start({ sql: held, maxQueued: 12, observer })
      for (const id of ids) await runtime.deliver({ to: task(id), key: 'first', event: event('noted') })
      const tell = (id: string): Promise<unknown> =>
        runtime.deliver({ to: task(id), key: 'told', event: event('told', { note: 'hi' }) })
      held.hold()
      const first = Promise.all(ids.slice(0, 12).map(tell))
      await held.isHeld()
      const second = Promise.all(ids.slice(12).map(tell))
      held.letGo()
      await first
      await second
      const pump = pumping(world)
      const answered = async (id: string): Promise<boolean> =>
        (await runtime.history(task(id))).some((row) => row.event.type === 'pod.answered')
      for (const id of ids) await until(() => answered(id))
      pump.stop()
      expect(longest).toBeLessThanOrEqual(12)
      expect(longest).toBeGreaterThan(0)
    })

    it('reads an event that was given up again before those that came after it (R2)', async () => {
      const keys = await left('a', 3)
      const away = deafSql(sql)
      away.holdBack(storeAttempts)
      const { runtime } = await world.start({ sql: away, maxBatch: 1 })
      const pump = pumping(world)
      await until(async () => (await sql.query('select 1 from inbox')).rows.length === 0)
      pump.stop()
      expect((await runtime.history(task('a'))).map(({ key }) => key)).toEqual(keys)
    })

    it('is looked into as often as it was, however often it held more than there was room for', async () => {
      let readings = 0
      const counting = { ...sql, query: counted(sql, () => (readings += 1)) }
      const { runtime } = await world.start({ sql: counting, maxQueued: 2, pollMs: 250, idleSnapshotMs: 1e9 })
      const rows = stepped(runtime)
      for (let round = 1; round <= 4; round++) {
        for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await left(`${id}${round}`, 1)
        const pump = pumping(world)
        await until(() => rows.length === 6 * round)
        pump.stop()
      }
      await runtime.read(task('a1'))
      const before = readings
      for (let passed = 0; passed < 2500; passed += 50) {
        world.clock.advance(50)
        await runtime.deliver({ to: task('a1'), key: `k${passed}`, event: event('noted') })
      }
      expect(readings - before).toBeGreaterThan(5)
      expect(readings - before).toBeLessThan(13)
    })
  })
}

/** Commits during each of which time goes by. */
function slowCommits(sql: Sql, pass: () => void): Sql {
  const query = async (text: string, params?: readonly unknown[]): Promise<unknown> => {
    if (isCommit(text)) pass()
    return sql.query(text, params)
  }
  return { ...sql, query: query as Queryable['query'] }
}

function counted(sql: Sql, count: () => void): Queryable['query'] {
  const query = async (text: string, params?: readonly unknown[]): Promise<unknown> => {
    if (text.startsWith('select id,') && text.includes('from inbox')) count()
    return sql.query(text, params)
  }
  return query as Queryable['query']
}
