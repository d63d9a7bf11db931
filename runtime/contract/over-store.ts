import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { migrate } from '../store/migrate.ts'
import type { Sql } from '../store/sql.ts'
import { emptyStore } from './empty-store.ts'
import { harness } from './harness.ts'
import type { Harness } from './harness.ts'

/** One migrated store for the tests of a suite, emptied before each of them, and for each a world of its own. */
export function overStore(open: () => Promise<Sql>, begin: (sql: Sql, world: Harness) => void): void {
  let sql: Sql
  let world: Harness
  beforeAll(async () => {
    sql = await open()
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
