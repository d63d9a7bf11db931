import type { ActorAddress } from '../../../machines/definition.ts'
import { selectList } from '../columns.ts'
import type { TimerRow } from '../rows.ts'
import type { Queryable } from '../sql.ts'
import { timerColumns } from '../tables.ts'

/** Armed timers, of one actor or of all, earliest first. */
export async function listTimers(sql: Queryable, actor: ActorAddress | undefined): Promise<readonly TimerRow[]> {
  const { rows } = await sql.query<TimerRow>(
    `select ${selectList(timerColumns, 't')} from timer t where $1::text is null or t.actor = $1 order by t.due_at, t.actor, t.id`,
    [actor ?? null],
  )
  return rows
}
