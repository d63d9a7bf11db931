/** The budget over a server that several processes share. */
import { expect, it } from 'vitest'
import { simulatedClock } from '../../../runtime/simulated-clock.ts'
import { migrate } from '../../../runtime/store/migrate.ts'
import { openPgSql } from '../../../runtime/store/postgres/pg-sql.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { ownDatabase } from '../../../testing/own-database.ts'
import { forgeMigrations } from '../forge-edge.ts'
import { createBudget, type Budget } from './rate-limit.ts'

describeRequiring('postgres', 'the request budget on a server', () => {
  it('gives requests that come at once from two processes no more than one bucket, and closes for both (FORGE-BUDGET-1)', async () => {
    const { url, drop } = await ownDatabase()
    const stores = [await openPgSql({ url }), await openPgSql({ url })]
    try {
      await migrate(stores[0]!, [forgeMigrations])
      const clock = simulatedClock(1_000_000)
      const budgetOn = (sql: (typeof stores)[0]): Budget =>
        createBudget({ sql, clock, account: 'a', burst: 10, perSecond: 1, longestWaitMs: 0 })
      const [one, two] = stores.map(budgetOn) as [Budget, Budget]
      const tries = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? one : two).take('x'))
      const settled = await Promise.allSettled(tries)
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
      clock.advance(10_000)
      await one.close('x', 'secondary', 5000)
      await expect(two.take('x')).rejects.toMatchObject({ limitType: 'secondary', retryAfterMs: 5000 })
    } finally {
      for (const sql of stores) await sql.close()
      await drop()
    }
  })
})
