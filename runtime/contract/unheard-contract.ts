/** Commits whose answer never came, or that came to pass when nobody waited any more, over any store (R6, R7). */
import { describe, expect, it } from 'vitest'
import { storeAttempts } from '../commit/failed-commits.ts'
import type { Runtime } from '../runtime.ts'
import type { Sql } from '../store/sql.ts'
import { event, pumping, task, until } from './harness.ts'
import type { Harness } from './harness.ts'
import { overStore } from './over-store.ts'
import { deafSql } from './store-faults.ts'
import type { DeafSql } from './store-faults.ts'

export function unheardContract(store: string, open: () => Promise<Sql>): void {
  describe(`a commit that nobody heard of, over ${store}`, () => {
    let sql: Sql
    let world: Harness

    overStore(open, (...given) => void ([sql, world] = given))

    const names = (): readonly string[] => world.performed.map(({ name }) => name)

    it('has its ordered effects performed before those of later steps, however late the store is read again (R6)', async () => {
      const deaf = deafSql(sql)
      const { runtime } = await world.start({ sql: deaf })
      await runtime.deliver({ to: task('a'), key: 'k0', event: event('noted') })
      deaf.keepUnread(true)
      deaf.loseAnswers(1)
      const pump = pumping(world)
      await runtime.deliver({ to: task('a'), key: 'k1', event: event('askedInOrder', { name: 'first' }) })
      await runtime.deliver({ to: task('a'), key: 'k2', event: event('askedInOrder', { name: 'second' }) })
      await until(() => deaf.unread() > 2)
      expect(names()).toEqual([])
      deaf.keepUnread(false)
      await until(() => world.performed.length === 2)
      pump.stop()
      expect(names()).toEqual(['first', 'second'])
    })

    it('and that came to pass after it was given up has its effects performed when the next step finds it', async () => {
      const { runtime, deaf } = await givenUp()
      await deaf.comeToPass()
      await runtime.deliver({ to: task('a'), key: 'k2', event: event('noted') })
      await until(() => world.performed.length === 1)
      expect(names()).toEqual(['late'])
    })

    it('or within a minute when there is no next step', async () => {
      const { deaf } = await givenUp()
      await deaf.comeToPass()
      const from = world.clock.now()
      const pump = pumping(world)
      await until(() => world.performed.length === 1)
      pump.stop()
      expect(names()).toEqual(['late'])
      expect(world.clock.now() - from).toBeLessThan(60_000)
    })

    /** A commit was, and the store has been read again since. */
    async function givenUp(): Promise<{ readonly runtime: Runtime; readonly deaf: DeafSql }> {
      const deaf = deafSql(sql)
      const { runtime } = await world.start({ sql: deaf })
      await runtime.deliver({ to: task('a'), key: 'k0', event: event('noted') })
      deaf.holdBack(storeAttempts)
      const asked = runtime.deliver({ to: task('a'), key: 'k1', event: event('asked', { name: 'late' }) })
      const refused = expect(asked).rejects.toThrow('the store did not take it')
      const pump = pumping(world)
      await refused
      await until(async () => {
        const from = world.clock.now()
        const before = deaf.readings()
        await until(() => world.clock.now() > from + 5000)
        return deaf.readings() === before
      })
      pump.stop()
      return { runtime, deaf }
    }
  })
}
