/** What becomes of the timers of actors whose machine was upgraded, over any store (R10). */
import { createMachine } from 'xstate'
import { describe, expect, it } from 'vitest'
import type { JsonObject, MachineDefinition } from '../../machines/definition.ts'
import type { Sql } from '../store/sql.ts'
import { event, task, until } from './harness.ts'
import type { Harness } from './harness.ts'
import { podDefinition, toyDefinition } from './toy-machine.ts'
import { overStore } from './over-store.ts'

const old = 'xstate.after.5000.toy.waiting'

/** The toy of tomorrow: `waiting` is called `expecting`, and `idle` ends by itself. */
const tomorrow: MachineDefinition = {
  ...toyDefinition,
  version: 2,
  machine: createMachine({
    id: 'toy',
    initial: 'idle',
    states: {
      idle: { on: { armed: 'expecting' }, after: { 9000: 'rung' } },
      expecting: { on: { disarmed: 'idle' }, after: { 5000: 'rung' } },
      rung: { on: { 'later.came': 'idle' } },
    },
  }),
  upgrades: {
    1: (snapshot): JsonObject => ({
      ...snapshot,
      value: snapshot['value'] === 'waiting' ? 'expecting' : snapshot['value'],
    }),
  },
  renamedTimers: { [old]: 'xstate.after.5000.toy.expecting' },
}

export function rearmContract(store: string, open: () => Promise<Sql>): void {
  describe(`the timers of an upgraded actor over ${store}`, () => {
    let sql: Sql
    let world: Harness
    overStore(open, (...given) => void ([sql, world] = given))

    async function yesterday(...types: readonly string[]): Promise<void> {
      const { runtime } = await world.start()
      await runtime.deliver({ to: task('a'), key: '0', event: event('opened') })
      for (const type of types) await runtime.deliver({ to: task('a'), key: type, event: event(type) })
      await runtime.stop()
    }

    async function today(definition: MachineDefinition = tomorrow): Promise<Awaited<ReturnType<Harness['start']>>> {
      const started = await world.start({ definitions: [definition, podDefinition] })
      await until(
        async () =>
          (await sql.query('select 1 from actor where version = 1 and status = $1', ['active'])).rows.length === 0,
      )
      return started
    }

    it('goes on under the name of its renamed state, due when it was due, though nobody spoke to the actor', async () => {
      await yesterday('armed')
      world.clock.advance(2000)
      const { runtime } = await today()
      expect(await runtime.pendingTimers()).toMatchObject([
        { id: 'xstate.after.5000.toy.expecting', dueAt: 1_700_000_005_000 },
      ])
      world.clock.advance(3001)
      await until(async () => (await runtime.read(task('a')))?.path === 'rung')
      expect(await runtime.pendingTimers()).toEqual([])
      expect((await runtime.replay(task('a'))).equal).toBe(true)
    })

    it('is armed where the state had none, counted from the last step', async () => {
      await yesterday()
      const { runtime } = await today()
      expect(await runtime.pendingTimers()).toMatchObject([
        { id: 'xstate.after.9000.toy.idle', dueAt: 1_700_000_009_000 },
      ])
      world.clock.advance(9001)
      await until(async () => (await runtime.read(task('a')))?.path === 'rung')
    })

    it('is dropped where no active state declares it, and starts anew where no name leads on', async () => {
      await yesterday('armed')
      world.clock.advance(2000)
      const { renamedTimers: _, ...nameless } = tomorrow
      const { runtime } = await today(nameless)
      expect((await runtime.pendingTimers()).map(({ id, dueAt }) => [id, dueAt])).toEqual([
        ['xstate.after.5000.toy.expecting', 1_700_000_005_000],
      ])
    })

    it('stays as it is while the version does, and what is no `after` stays in any case', async () => {
      await yesterday('armed', 'later')
      const same = await world.start()
      const before = await same.runtime.pendingTimers()
      expect(before.map(({ id }) => id).toSorted()).toEqual(['later', old])
      await same.runtime.stop()
      const { runtime } = await today()
      expect((await runtime.pendingTimers()).map(({ id }) => id).toSorted()).toEqual([
        'later',
        'xstate.after.5000.toy.expecting',
      ])
    })

    it('is left where the actor cannot be upgraded: it is quarantined at the start and says why, the others run', async () => {
      await yesterday('armed')
      const first = await world.start()
      await first.runtime.deliver({ to: task('b'), key: '0', event: event('opened') })
      await first.runtime.stop()
      const picky = {
        ...tomorrow,
        upgrades: {
          1: (snapshot: JsonObject): JsonObject => {
            if (snapshot['value'] === 'waiting') throw new Error('nobody knows what it waited for')
            return snapshot
          },
        },
      }
      const { runtime } = await today(picky)
      expect(await runtime.read(task('a'))).toMatchObject({
        status: 'quarantined',
        fault: 'nobody knows what it waited for',
      })
      expect((await sql.query('select status, fault from actor where address = $1', ['task:a'])).rows).toEqual([
        { status: 'quarantined', fault: 'nobody knows what it waited for' },
      ])
      expect((await runtime.read(task('b')))?.status).toBe('active')
      expect((await runtime.pendingTimers({ actor: task('a') })).map(({ id }) => id)).toEqual([old])
    })
  })
}
