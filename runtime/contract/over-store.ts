import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { migrate } from '../store/migrate.ts'
import type { Queryable, Sql } from '../store/sql.ts'
import { emptyStore } from './empty-store.ts'
import { harness } from './harness.ts'
import type { Harness } from './harness.ts'

/** One migrated store for the tests of a suite, emptied before each of them, and for each a world of its own. */
export function overStore(open: () => Promise<Sql>, begin: (sql: Sql, world: Harness) => void): void {
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
  afterEach(async () => {
    await world.end()
    // A crash hears of no answer, but the server still works: emptying the store would meet its locks.
    await sql.idle()
  })
}

interface AwaitedSql extends Sql {
  /** Resolves when no statement is under way. */
  idle(): Promise<void>
}

function awaitedSql(sql: Sql): AwaitedSql {
  const underWay = new Set<Promise<unknown>>()
  function awaited<T>(answer: Promise<T>): Promise<T> {
    const ended = answer.then(
      () => void underWay.delete(ended),
      () => void underWay.delete(ended),
    )
    underWay.add(ended)
    return answer
  }
  return {
    ...sql,
    query: (text, params) => awaited(sql.query(text, params)) as ReturnType<Queryable['query']> as never,
    exec: (text) => awaited(sql.exec(text)),
    tx: (run) => awaited(sql.tx(run)),
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
