/** Ingest jobs as callers see them, one or a list: live ones by their actor, ended ones by their row. */
import type { Runtime } from '../../runtime/runtime.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { endJob } from './end-job.ts'
import { jobAddress, jobView, type JobBody, type JobStatus } from './job-view.ts'
import { jobColumns, keysOf, type JobRow } from './jobs.ts'

interface JobsDeps {
  readonly sql: Sql
  readonly runtime: Pick<Runtime, 'read'>
}

export async function viewOfRow({ sql, runtime }: JobsDeps, row: JobRow): Promise<JobBody> {
  if (row.outcome !== null) return row.outcome
  const actor = await runtime.read(jobAddress(row.id))
  if (actor === undefined) return accepted(row)
  // Whoever shows a job that has ended writes its figures down first: nobody shows others later.
  if (actor.status === 'done') return endJob(sql, row, actor)
  return jobView(actor, row.created_at, await keysOf(sql, actor))
}

/** Accepted, and its actor's first event is under way. */
function accepted(row: JobRow): JobBody {
  const nothing = { done: 0, failed: 0, skipped: 0, purged: 0, started_at: null, finished_at: null, errors: [] }
  const { id, repo, total } = row
  return { id, repo, status: 'queued', total, ...nothing, created_at: new Date(row.created_at).toISOString() }
}

interface JobQuery {
  readonly repo: string | undefined
  readonly status: JobStatus | undefined
  /** Older than the job of this number. */
  readonly before: number | undefined
  readonly limit: number
}

/** Newest first; rows and views, one more than asked for when there are more. */
export async function listJobs(
  deps: JobsDeps,
  { repo, status, before, limit }: JobQuery,
): Promise<readonly { readonly number: number; readonly view: JobBody }[]> {
  const found: { number: number; view: JobBody }[] = []
  let last = before ?? Number.MAX_SAFE_INTEGER
  for (;;) {
    const { rows } = await deps.sql.query<JobRow>(
      `select ${jobColumns} from ingest_job where not is_staged and number < $1
        and ($2::text is null or repo = $2)
        and ($3::text is null or outcome is null or outcome->>'status' = $3)
      order by number desc limit $4`,
      [last, repo ?? null, status ?? null, limit + 1],
    )
    for (const row of rows) {
      const view = await viewOfRow(deps, row)
      if (status === undefined || view.status === status) found.push({ number: row.number, view })
    }
    if (rows.length <= limit || found.length > limit) return found.slice(0, limit + 1)
    last = rows.at(-1)!.number
  }
}
