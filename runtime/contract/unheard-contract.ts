/** Commits whose answer never came, or that came to pass when nobody waited any more, over any store (R6, R7). */
import { describe, expect, it } from 'vitest'
import { SqlError } from '../store/sql-error.ts'
import type { Queryable, Sql } from '../store/sql.ts'
import { event, pumping, task, until } from './harness.ts'
import type { Harness } from './harness.ts'
import { overStore } from './over-store.ts'

/** Of one commit, before its events are given up. */
const attempts = 4

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
      const deaf = deafSql(sql)
      const { runtime } = await world.start({ sql: deaf })
      await runtime.deliver({ to: task('a'), key: 'k0', event: event('noted') })
      await givesUp(runtime.deliver({ to: task('a'), key: 'k1', event: event('asked', { name: 'late' }) }), deaf)
      await deaf.comeToPass()
      await runtime.deliver({ to: task('a'), key: 'k2', event: event('noted') })
      await until(() => world.performed.length === 1)
      expect(names()).toEqual(['late'])
    })

    it('or within a minute when there is no next step', async () => {
      const deaf = deafSql(sql)
      const { runtime } = await world.start({ sql: deaf })
      await runtime.deliver({ to: task('a'), key: 'k0', event: event('noted') })
      await givesUp(runtime.deliver({ to: task('a'), key: 'k1', event: event('asked', { name: 'late' }) }), deaf)
      await deaf.comeToPass()
      const from = world.clock.now()
      const pump = pumping(world)
      await until(() => world.performed.length === 1)
      pump.stop()
      expect(names()).toEqual(['late'])
      expect(world.clock.now() - from).toBeLessThan(60_000)
    })

    /** And has read the store again since. */
    async function givesUp(delivery: Promise<unknown>, deaf: DeafSql): Promise<void> {
      deaf.holdBack(attempts)
      const refused = expect(delivery).rejects.toThrow('the store did not take it')
      const pump = pumping(world)
      await refused
      await until(async () => {
        const from = world.clock.now()
        const before = deaf.readings()
        await until(() => world.clock.now() > from + 5000)
        return deaf.readings() === before
      })
      pump.stop()
    }
  })
}

interface DeafSql extends Sql {
  /** The next so many commits happen, and their answers are lost. */
  loseAnswers(count: number): void
  /** The next so many commits are not answered; the first of them happens when it is let. */
  holdBack(count: number): void
  comeToPass(): Promise<unknown>
  /** No reading of effects is answered. */
  keepUnread(isUnread: boolean): void
  unread(): number
  /** Readings of effects since commits were held back. */
  readings(): number
}

function deafSql(sql: Sql): DeafSql {
  let [toLose, toHold, unread, readings] = [0, 0, 0, 0]
  let isUnread = false
  let late: (() => Promise<unknown>) | undefined
  const lost = new SqlError('connection lost', { code: 'unreachable' })
  const query = async (text: string, params?: readonly unknown[]): Promise<unknown> => {
    if (isReadingOfEffects(text)) {
      if (isUnread) throw (unread++, lost)
      readings++
    }
    if (!text.startsWith('with x_leases')) return sql.query(text, params)
    if (toHold > 0) {
      toHold--
      late ??= () => sql.query(text, params)
      throw lost
    }
    const result = await sql.query(text, params)
    if (toLose > 0) throw (toLose--, lost)
    return result
  }
  return {
    ...sql,
    query: query as Queryable['query'],
    loseAnswers: (count) => void (toLose = count),
    holdBack: (count) => void ([toHold, readings] = [count, 0]),
    comeToPass: () => late!(),
    keepUnread: (kept) => void (isUnread = kept),
    unread: () => unread,
    readings: () => readings,
  }
}

function isReadingOfEffects(text: string): boolean {
  return text.includes('e.not_before <= $7')
}
