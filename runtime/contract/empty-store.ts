import type { Queryable, Sql } from '../store/sql.ts'

const tables =
  'process, shard, actor, snapshot, baseline, event, inbox, effect, timer, dead_letter, compaction, listing'

/** To delete a few rows takes 50 ms less than `truncate`. A table above ten pages is truncated: dead rows would show. */
const emptied = `do $$ declare used text; begin
  foreach used in array string_to_array('${tables}', ', ') loop
    if pg_relation_size(used::regclass) > 10 * 8192 then execute 'truncate ' || used;
    elsif pg_relation_size(used::regclass) > 0 then execute 'delete from ' || used; end if;
  end loop; end $$`

/**
 * A store as it is before its first start: every table of the runtime, so that one test leaves the next nothing. A runtime
 * that crashed hears of no answer, but the server still works on what it was sent: this would meet its locks.
 */
export async function emptyStore(sql: AwaitedSql): Promise<void> {
  await sql.idle()
  await sql.exec(emptied)
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
