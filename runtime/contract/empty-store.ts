import type { Queryable } from '../store/sql.ts'

const tables = 'process, shard, actor, snapshot, baseline, event, inbox, effect, timer, dead_letter, compaction'

/** A store as it is before its first start: every table of the runtime, so that one test leaves the next nothing. */
export function emptyStore(sql: Queryable): Promise<void> {
  return sql.exec(`truncate ${tables}`)
}
