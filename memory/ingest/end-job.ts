import type { ActorView } from '../../runtime/runtime.ts'
import type { Queryable, Sql } from '../../runtime/store/sql.ts'
import { keysOf, type JobRow } from './jobs.ts'
import { jobView, type JobBody } from './job-view.ts'
import { recordCommit, recordFiles } from './record.ts'

/**
 * Writes down how a job ended and lets its items go; what it began to store is from now on the feed's. Whoever comes
 * first decides the figures, and everybody gets those (INGEST-JOBS-5). May be repeated.
 */
export async function endJob(sql: Sql, row: JobRow, actor: ActorView<'ingest-job'>): Promise<JobBody> {
  return sql.tx(async (tx) => {
    const { rows } = await tx.query<Pick<JobRow, 'outcome'>>(
      'select outcome from ingest_job where id = $1 for no key update',
      [row.id],
    )
    const written = rows[0]?.outcome ?? null
    if (written !== null) return written
    const view = jobView(actor, row.created_at, await keysOf(tx, actor))
    const cut = view.reason === 'cancelled' ? await begun(tx, row.id) : {}
    const counted = { ...view, ...cut, ...(await overwritten(tx, row.id)) }
    await recordFiles(tx, row.id, row.repo)
    if (view.status === 'succeeded') await recordCommit(tx, row.id, view.finished_at!)
    await tx.query('update memory set job = null where job = $1', [row.id])
    await tx.query('update ingest_job set outcome = $2::jsonb where id = $1', [row.id, JSON.stringify(counted)])
    await tx.query('delete from ingest_item where job = $1', [row.id])
    await tx.query('delete from ingest_file where job = $1', [row.id])
    return counted
  })
}

const mostOverwritten = 100

/** Two items of one text are one memory; of a key that both have one value is gone (INGEST-18). */
async function overwritten(tx: Queryable, job: string): Promise<Pick<JobBody, 'overwritten'>> {
  const { rows } = await tx.query<{ index: number; keys: string[] }>(
    `select i.index, array(select key from jsonb_each_text(i.metadata) as e (key, value)
      where m.metadata->>key is distinct from value order by key) as keys
    from ingest_item i join memory m on m.id = i.memory_id
    where i.job = $1 and not m.metadata @> i.metadata order by i.index limit ${mostOverwritten}`,
    [job],
  )
  return rows.length === 0 ? {} : { overwritten: [...rows] }
}

/**
 * Of a cancelled job: items stored ahead of where the actor stood are stored all the same. Those under way hold a lock on
 * their items, which lets this wait until it sees them; items that begin later find no row.
 */
async function begun(tx: Queryable, job: string): Promise<Partial<JobBody>> {
  await tx.query('select from ingest_item where job = $1 for update', [job])
  const { rows } = await tx.query<{ done: number; skipped: number }>(
    `select count(*) filter (where memory_id is not null and outcome is distinct from 'skipped') as done,
      count(*) filter (where outcome = 'skipped') as skipped
    from ingest_item where job = $1`,
    [job],
  )
  return rows[0] ?? {}
}
