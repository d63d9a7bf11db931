import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { migrate } from '../store/migrate.ts'
import type { Sql } from '../store/sql.ts'
import { awaitedSql, emptyStore, type AwaitedSql } from './empty-store.ts'
import { harness } from './harness.ts'
import type { Harness } from './harness.ts'

/** One migrated store for the tests of a suite, emptied before each of them, and for each a world of its own. */
export function overStore(open: () => Promise<Sql>, begin: (sql: AwaitedSql, world: Harness) => void): void {
  let sql: AwaitedSql
  let world: Harness
  beforeAll(async () => {
    sql = awaitedSql(await open())
    await migrate(sql)
  })
  afterAll(() => sql.close())
  beforeEach(async () => {
    await emptyStore(sql)
    world = harness(sql)
    begin(sql, world)
  })
  afterEach(() => world.end())
}
