import type { ActorView } from '../../runtime/runtime.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { keysOf, type JobRow } from './jobs.ts'
import { jobView, type JobBody } from './job-view.ts'

/**
 * Writes down how a job ended and lets its items go; what it began to store is from now on the feed's. May be repeated.
 */
export async function endJob(sql: Sql, row: JobRow, actor: ActorView): Promise<JobBody> {
  const view = jobView(actor, row.created_at, await keysOf(sql, actor))
  return sql.tx(async (tx) => {
    const counted = view.reason === 'cancelled' ? { ...view, ...(await begun(tx, row.id)) } : view
    await tx.query('update memory set job = null where job = $1', [row.id])
    const { rowCount } = await tx.query('update ingest_job set outcome = $2::jsonb where id = $1 and outcome is null', [
      row.id,
      JSON.stringify(counted),
    ])
    if (rowCount > 0) await tx.query('delete from ingest_item where job = $1', [row.id])
    await tx.query('delete from ingest_file where job = $1', [row.id])
    return counted
  })
}

/** Of a cancelled job: items stored ahead of where the actor stood are stored all the same. */
async function begun(tx: Parameters<Parameters<Sql['tx']>[0]>[0], job: string): Promise<Partial<JobBody>> {
  const { rows } = await tx.query<{ done: number; skipped: number }>(
    `select count(*) filter (where memory_id is not null and outcome is distinct from 'skipped') as done,
      count(*) filter (where outcome = 'skipped') as skipped
    from ingest_item where job = $1`,
    [job],
  )
  return rows[0] ?? {}
}
