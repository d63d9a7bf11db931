import { afterAll, beforeAll, expect, it } from 'vitest'
import { ownDatabase, type OwnDatabase } from '../../../testing/own-database.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { systemClock } from '../../clock.ts'
import { until } from '../../contract/harness.ts'
import { silentLogger } from '../../logger.ts'
import { openPgHints, type PgHints } from './pg-hints.ts'
import { openPgSql } from './pg-sql.ts'

describeRequiring('postgres', 'a hint over Postgres', () => {
  let database: OwnDatabase
  let url: string

  beforeAll(async () => {
    database = await ownDatabase()
    url = database.url
  })
  afterAll(() => database.drop())

  /** Of this database: a test beside this one may listen in another. */
  const listening = `from pg_stat_activity where query = 'listen statewright_hint' and datname = current_database()`

  async function withHearers(
    run: (heard: Readonly<Record<string, number>>, hints: readonly PgHints[]) => Promise<void>,
  ): Promise<void> {
    const heard: Record<string, number> = {}
    const names = ['one', 'two', 'three']
    const hints = names.map((owner) =>
      openPgHints({ url, owner, clock: systemClock, random: Math.random, logger: silentLogger }),
    )
    hints.forEach((one, index) => {
      const owner = names[index] ?? ''
      one.listen(() => void (heard[owner] = (heard[owner] ?? 0) + 1))
    })
    try {
      // Each hears once when it is connected.
      await until(() => names.every((name) => heard[name] === 1))
      await run(heard, hints)
    } finally {
      await Promise.all(hints.map((one) => one.close()))
    }
  }

  it('is heard by whom it names, once for all that was told in the same moment', async () => {
    await withHearers(async (heard, [one, two]) => {
      for (let n = 0; n < 50; n++) one?.hint('two')
      await until(() => heard['two'] === 2)
      two?.hint('one')
      await until(() => heard['one'] === 2)
      expect(heard).toEqual({ one: 2, two: 2, three: 1 })
    })
  })

  it('for all is heard by everyone but its sender', async () => {
    await withHearers(async (heard, [one, two]) => {
      one?.hint(undefined)
      await until(() => heard['two'] === 2 && heard['three'] === 2)
      two?.hint('one')
      await until(() => heard['one'] === 2)
      expect(heard).toEqual({ one: 2, two: 2, three: 2 })
    })
  })

  it('that came while nobody listened yet is heard as soon as somebody does', async () => {
    const options = { url, clock: systemClock, random: Math.random, logger: silentLogger }
    const late = openPgHints({ ...options, owner: 'late' })
    const sql = await openPgSql({ url })
    try {
      await until(async () => {
        const { rows } = await sql.query(`select 1 ${listening}`)
        return rows.length > 0
      })
      await withHearers(async (heard, [one]) => {
        one?.hint('late')
        one?.hint('two')
        await until(() => heard['two'] === 2)
      })
      let times = 0
      late.listen(() => void times++)
      await until(() => times > 0)
      expect(times).toBe(1)
    } finally {
      await Promise.all([late.close(), sql.close()])
    }
  })

  it('is heard again after the connection was lost, and what anybody else writes to the channel does nothing', async () => {
    const sql = await openPgSql({ url })
    try {
      // Those of the test before may not have ended yet.
      await until(async () => (await sql.query(`select 1 ${listening}`)).rows.length === 0)
      await withHearers(async (heard, [one]) => {
        const { rowCount } = await sql.query(`select pg_terminate_backend(pid) ${listening}`)
        expect(rowCount).toBe(3)
        await until(() => heard['one'] === 2 && heard['two'] === 2 && heard['three'] === 2)
        await sql.query(
          `select pg_notify('statewright_hint', 'no json'), pg_notify('statewright_hint', '{"to":"two"}')`,
        )
        one?.hint('two')
        await until(() => heard['two'] === 3)
        expect(heard).toEqual({ one: 2, two: 3, three: 2 })
      })
    } finally {
      await sql.close()
    }
  })
})
