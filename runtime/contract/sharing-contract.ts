/** Several processes over one store: how they share the shards, and what becomes of one that dies or was away. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dice } from '../../property-tests/runtime/chaos/dice.ts'
import { sleep, type Clock } from '../clock.ts'
import { RuntimeStoppedError, TerminalError } from '../errors.ts'
import type { Delivery, EffectHandler, Receipt, Runtime } from '../runtime.ts'
import type { Queryable, Sql } from '../store/sql.ts'
import { event, task, until } from './harness.ts'
import type { Harness, LaunchOptions } from './harness.ts'
import { overStore } from './over-store.ts'

/** Long for the simulated clock's pace: a machine under load may look rarely. */
const leaseMs = 20_000
const shards = 12
const everything = 100_000

export function sharingContract(store: string, open: () => Promise<Sql>): void {
  describe(`processes that share ${store}`, () => {
    let sql: Sql
    let world: Harness
    let pump: NodeJS.Timeout

    overStore(open, (...given) => {
      ;[sql, world] = given
      pump = setInterval(() => world.clock.advance(100), 2)
    })
    afterEach(() => clearInterval(pump))

    async function join(owner: string, options: LaunchOptions = {}): ReturnType<Harness['start']> {
      return world.start({
        owner,
        leaseMs,
        shards,
        hint: () => instances.forEach((runtime) => runtime.wake()),
        ...options,
      })
    }
    let instances: Runtime[] = []
    beforeEach(() => void (instances = []))

    async function parts(): Promise<Readonly<Record<string, number>>> {
      const { rows } = await sql.query<{ owner: string | null; held: number }>(
        'select owner, count(*) as held from shard group by owner order by owner',
      )
      return Object.fromEntries(rows.map(({ owner, held }) => [owner ?? 'nobody', held]))
    }

    async function divided(expected: Readonly<Record<string, number>>): Promise<void> {
      await until(parts, (seen) => JSON.stringify(seen) === JSON.stringify(expected))
    }

    async function passed(ms: number): Promise<void> {
      const end = world.clock.elapsed() + ms
      await until(() => world.clock.elapsed() > end)
    }

    let refusals = 0
    beforeEach(() => void (refusals = 0))

    /** Through another, under the same key, when the one that was picked is about to stop. */
    async function sendTo(pick: () => Runtime, delivery: Delivery): Promise<Receipt> {
      for (;;) {
        try {
          return await pick().deliver(delivery)
        } catch (error) {
          if (!(error instanceof RuntimeStoppedError)) throw error
          refusals++
        }
      }
    }

    it('divides the shards evenly as they join, and again at once when one stops (SERVICE-7)', async () => {
      const one = await join('one')
      expect(await parts()).toEqual({ one: 12 })
      await join('two')
      await divided({ one: 6, two: 6 })
      const three = await join('three')
      await divided({ one: 4, three: 4, two: 4 })
      const beforeStop = world.clock.elapsed()
      await three.runtime.stop()
      await divided({ one: 6, two: 6 })
      expect(world.clock.elapsed() - beforeStop).toBeLessThan(leaseMs)
      await one.runtime.stop()
      await divided({ two: 12 })
    })

    it('performs what another process put back to life (R7)', async () => {
      let isDown = true
      const revived: string[] = []
      const call: EffectHandler = {
        onTerminal: 'dead-letter',
        async perform(_, { key }) {
          if (isDown) throw new TerminalError('down')
          revived.push(key)
          return []
        },
      }
      const options = { handlers: { call, callInOrder: call } }
      const one = await join('one', options)
      const two = await join('two', options)
      instances.push(one.runtime, two.runtime)
      await divided({ one: 6, two: 6 })
      const actors = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
      for (const id of actors) {
        await one.runtime.deliver({ to: task(id), key: 'k1', event: event('noted', { note: 'one' }) })
        await one.runtime.deliver({ to: task(id), key: 'k2', event: event('asked') })
      }
      const dead = await until(
        () => one.runtime.pendingEffects({ state: 'dead' }),
        (seen) => seen.length === actors.length,
      )
      isDown = false
      for (const { key } of dead) expect(await two.runtime.redeliver(key)).toBe(true)
      await until(() => revived.length === actors.length)
      expect(revived.toSorted()).toEqual(dead.map(({ key }) => key).toSorted())
    })

    it('keeps the order of every actor while its shard goes from one to another, as they join and as one leaves (R2)', async () => {
      const one = await join('one')
      instances.push(one.runtime)
      const actors = ['a', 'b', 'c', 'd', 'e']
      const over = new AbortController()
      const sending = actors.map(async (id, seed) => {
        const chance = dice(seed)
        const notes: string[] = []
        while (!over.signal.aborted) {
          const note = `n${notes.length}`
          await sendTo(() => chance.pick(instances), { to: task(id), key: note, event: event('noted', { note }) })
          notes.push(note)
          await sleep(world.clock, 300)
        }
        return notes
      })
      const two = await join('two')
      instances.push(two.runtime)
      await divided({ one: 6, two: 6 })
      instances.push((await join('three')).runtime)
      await divided({ one: 4, three: 4, two: 4 })
      const stopped = one.runtime.stop()
      await until(() => refusals > 0)
      instances.shift()
      await stopped
      await divided({ three: 6, two: 6 })
      over.abort()
      const sent = await Promise.all(sending)
      for (const [index, id] of actors.entries()) {
        const rows = await two.runtime.history(task(id), { limit: everything })
        expect(rows.map((row) => row.event['note'])).toEqual(sent[index])
      }
    })

    it('gives the shards of one that died to the others within its lease (R1)', async () => {
      const one = await join('one')
      const two = await join('two')
      await divided({ one: 6, two: 6 })
      const ids = Array.from({ length: 24 }, (_, index) => `x${index}`)
      await Promise.all(
        ids.map((id) => one.runtime.deliver({ to: task(id), key: 'k1', event: event('noted', { note: 'before' }) })),
      )
      const died = world.clock.elapsed()
      one.crash()
      await divided({ two: 12 })
      expect(world.clock.elapsed() - died).toBeLessThanOrEqual(leaseMs)
      for (const id of ids) {
        await two.runtime.deliver({ to: task(id), key: 'k2', event: event('noted', { note: 'after' }) })
        expect(await two.runtime.read(task(id))).toMatchObject({ context: { log: ['before', 'after'] } })
      }
    })

    it('lets one that was away begin no effect of what it lost, commit nothing, and join again (R5) (SERVICE-7)', async () => {
      const begun: string[] = []
      const handler = (owner: string): EffectHandler => ({
        perform: async (_, { key }) => (begun.push(`${owner} ${key}`), []),
      })
      const line = pausable(sql, world.clock)
      const away = await join('away', {
        sql: line.sql,
        clock: line.clock,
        handlers: { call: handler('away'), callInOrder: handler('away') },
      })
      await away.runtime.deliver({ to: task('a'), key: 'k1', event: event('noted', { note: 'one' }) })
      line.pause()
      const late = away.runtime.deliver({ to: task('a'), key: 'k2', event: event('asked', { name: 'late' }) })
      const other = await join('other', { handlers: { call: handler('other'), callInOrder: handler('other') } })
      await divided({ other: 12 })
      await other.runtime.deliver({ to: task('a'), key: 'k3', event: event('asked', { name: 'other' }) })
      await until(() => begun.length === 1)
      line.goOn()
      await divided({ away: 6, other: 6 })
      await late
      await until(() => begun.length === 2)
      const rows = await other.runtime.history(task('a'))
      expect(rows.map((row) => row.key)).toEqual(['k1', 'k3', 'k2'])
      const { rows: owners } = await sql.query<{ owner: string }>(
        `select owner from shard where shard = (select shard from actor where address = 'task:a')`,
      )
      expect(begun).toEqual(['other task:a/2/0', `${owners[0]?.owner} task:a/3/0`])
    })

    it('lets an effect that one was away in write nothing more, and not be lost where nobody took it (R5)', async () => {
      const written: string[] = []
      const looking = new Map<string, () => void>()
      /** Looks whether it was written, and then writes. */
      const handler = (owner: string): Pick<LaunchOptions, 'handlers'> => {
        const call: EffectHandler = {
          perform: async (_, context) => {
            await new Promise<void>((resolve) => looking.set(`${owner} ${context.key}`, resolve))
            context.assertHeld()
            written.push(`${owner} ${context.key} ${context.attempt}`)
            return []
          },
        }
        return { handlers: { call, callInOrder: call } }
      }
      const looked = async (name: string): Promise<void> => {
        await until(() => looking.has(name))
        const end = looking.get(name)
        looking.delete(name)
        end!()
      }
      const line = pausable(sql, world.clock)
      const away = await join('away', { sql: line.sql, clock: line.clock, ...handler('away') })
      await away.runtime.deliver({ to: task('a'), key: 'k1', event: event('noted', { note: 'first' }) })
      await away.runtime.deliver({ to: task('a'), key: 'k2', event: event('asked', { name: 'one' }) })
      await until(() => looking.has('away task:a/2/0'))
      line.pause()
      const other = await join('other', handler('other'))
      await divided({ other: 12 })
      await looked('other task:a/2/0')
      await until(() => written.length === 1)
      await looked('away task:a/2/0')
      line.goOn()
      await divided({ away: 6, other: 6 })
      expect(written).toEqual(['other task:a/2/0 1'])
      await other.runtime.stop()
      await divided({ away: 12 })

      await away.runtime.deliver({ to: task('a'), key: 'k3', event: event('asked', { name: 'two' }) })
      await until(() => looking.has('away task:a/3/0'))
      line.pause()
      const end = world.clock.elapsed() + 2 * leaseMs
      await until(() => world.clock.elapsed() > end)
      await looked('away task:a/3/0')
      line.goOn()
      await looked('away task:a/3/0')
      await until(() => written.length === 2)
      expect(written[1]).toBe('away task:a/3/0 1')
    })

    it('begins nothing of a commit whose answer came after its shard was lost and its effect performed elsewhere (R5)', async () => {
      const begun: string[] = []
      const handlers = (owner: string): Pick<LaunchOptions, 'handlers'> => {
        const call: EffectHandler = { perform: async (_, { key }) => (begun.push(`${owner} ${key}`), []) }
        return { handlers: { call, callInOrder: call } }
      }
      const isCommitted = async (): Promise<boolean> =>
        (await sql.query(`select 1 from event where actor = 'task:a' and key = 'k2'`)).rows.length > 0
      const store = answeringLate(sql, isCommitted)
      const line = pausable(store.sql, world.clock)
      const away = await join('away', { sql: line.sql, clock: line.clock, ...handlers('away') })
      await away.runtime.deliver({ to: task('a'), key: 'k1', event: event('noted', { note: 'one' }) })
      const late = away.runtime.deliver({ to: task('a'), key: 'k2', event: event('asked', { name: 'late' }) })
      await until(isCommitted)
      line.pause()
      const other = await join('other', handlers('other'))
      await divided({ other: 12 })
      await until(
        () => other.runtime.pendingEffects(),
        (left) => left.length === 0,
      )
      line.goOn()
      await passed(leaseMs)
      store.answer()
      await divided({ away: 6, other: 6 })
      await late
      await other.runtime.stop()
      await divided({ away: 12 })
      await passed(leaseMs)
      expect(begun).toEqual(['other task:a/2/0'])
    })

    it('calls nobody dead because a clock was set', async () => {
      await join('one')
      await join('two', { clock: { ...world.clock, now: () => world.clock.now() + 86_400_000 } })
      await divided({ one: 6, two: 6 })
      const { rows: before } = await sql.query('select shard, epoch from shard order by shard')
      const end = world.clock.elapsed() + 3 * leaseMs
      await until(() => world.clock.elapsed() > end)
      expect((await sql.query('select shard, epoch from shard order by shard')).rows).toEqual(before)
    })
  })
}

interface Pausable {
  readonly sql: Sql
  readonly clock: Clock
  pause(): void
  goOn(): void
}

/** A store that does what it is asked, and keeps the first answer after `isDue` to itself until it is told to. */
function answeringLate(sql: Sql, isDue: () => Promise<boolean>): { readonly sql: Sql; answer(): void } {
  const { promise: told, resolve: answer } = Promise.withResolvers<void>()
  let isHolding = false
  async function late<T>(run: () => Promise<T>): Promise<T> {
    const result = await run()
    if (isHolding || !(await isDue())) return result
    isHolding = true
    await told
    return result
  }
  const query = ((text: string, params?: readonly unknown[]) =>
    late(() => sql.query(text, params))) as Queryable['query']
  return { sql: { ...sql, query, tx: (run) => late(() => sql.tx(run)) }, answer }
}

/** What SIGSTOP and SIGCONT do to a process: answers and timers wait, and time goes on. */
function pausable(sql: Sql, clock: Clock): Pausable {
  let gate = Promise.resolve()
  let open = (): void => undefined
  async function held<T>(run: () => Promise<T>): Promise<T> {
    await gate
    const result = await run()
    await gate
    return result
  }
  return {
    sql: {
      durability: sql.durability,
      query: ((text: string, params?: readonly unknown[]) => held(() => sql.query(text, params))) as Queryable['query'],
      exec: (text) => held(() => sql.exec(text)),
      tx: (run) => held(() => sql.tx(run)),
      close: () => sql.close(),
    },
    clock: {
      now: () => clock.now(),
      elapsed: () => clock.elapsed(),
      setTimer: (delayMs, callback) => clock.setTimer(delayMs, () => void gate.then(callback)),
    },
    pause: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      open = resolve
    },
    goOn: () => open(),
  }
}
