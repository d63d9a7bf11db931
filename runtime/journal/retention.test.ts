import { afterAll, beforeAll, expect, test } from 'vitest'
import { retentionContract } from '../contract/retention-contract.ts'
import { silentLogger } from '../logger.ts'
import { simulatedClock } from '../simulated-clock.ts'
import type { Sql } from '../store/sql.ts'
import { openSharedSql } from '../store/testing/shared-store.ts'
import { startRetention } from './retention.ts'

retentionContract('PGlite in memory', openSharedSql)

const dayMs = 86_400_000
let sql: Sql
beforeAll(async () => void (sql = await openSharedSql()))
afterAll(() => sql.close())

test.each([
  [{ days: 90, events: 0, finalDays: 30 }, [30]],
  [{ days: 7, events: 0, finalDays: 30 }, [7]],
  [{ days: 0, events: 0, finalDays: 30 }, [30]],
  [{ days: 0, events: 4, finalDays: 0 }, []],
])(
  'a walk under %j drops what is kept beside journals that ended %j days ago (OPERATIONS-16)',
  async (policy, days) => {
    const dropped: number[] = []
    const clock = simulatedClock(100 * dayMs)
    const given = {
      sql,
      clock,
      policy,
      random: () => 0,
      logger: silentLogger,
      everyMs: dayMs,
      definitions: [],
      owner: 'a',
    }
    const dropBefore = async (before: number): Promise<void> => void dropped.push(100 - before / dayMs)
    const retention = startRetention({ ...given, dropBefore })
    await retention.sweep()
    await retention.stop()
    expect(dropped).toEqual(days)
  },
)
