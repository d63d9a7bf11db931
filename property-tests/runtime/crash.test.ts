import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate } from '../../runtime/store/migrate.ts'
import { openMemorySql } from '../../runtime/store/pglite/pglite-memory.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { plan } from './crash-plan.ts'
import { live } from './crash-run.ts'
import { brokenLaws } from './laws.ts'

/** About a tenth of a second each on the machine of record. */
const runs = 120

describe('whatever is sent and whenever the process dies', () => {
  let sql: Sql
  beforeAll(async () => {
    sql = await openMemorySql()
    await migrate(sql)
  })
  afterAll(() => sql.close())

  it(
    'nothing acknowledged is lost, nothing is applied twice, order and keys hold, and the journal replays (R1-R4, R6, R9, R11)',
    { timeout: 240_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(plan, async (one) => {
          expect(brokenLaws(one, await live(sql, one))).toEqual([])
        }),
        { numRuns: runs },
      )
    },
  )
})
