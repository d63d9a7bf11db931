import type { Queryable, Sql } from '../store/sql.ts'

const tables = 'process, shard, actor, snapshot, baseline, event, inbox, effect, timer, dead_letter, compaction'

/**
 * A store as it is before its first start: every table of the runtime, so that one test leaves the next nothing. A runtime
 * that crashed hears of no answer, but the server still works on what it was sent: this would meet its locks.
 */
export async function emptyStore(sql: AwaitedSql): Promise<void> {
  await sql.idle()
  await sql.exec(`truncate ${tables}`)
}

export interface AwaitedSql extends Sql {
  /** Resolves when no statement is under way. */
  idle(): Promise<void>
}

export function awaitedSql(sql: Sql): AwaitedSql {
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
