/** Rows of ingest jobs: what is unfinished, how the finished ones ended, and lists of both. */
import type { ActorView, Runtime } from '../../runtime/runtime.ts'
import type { Queryable, Sql } from '../../runtime/store/sql.ts'
import { jobAddress, jobView, type JobBody, type JobStatus } from './job-view.ts'

export interface JobRow {
  readonly id: string
  readonly number: number
  readonly repo: string
  readonly total: number
  readonly created_at: number
  readonly outcome: JobBody | null
}

export interface JobsDeps {
  readonly sql: Sql
  readonly runtime: Pick<Runtime, 'read'>
}

const columns = 'id, number, repo, total, created_at, outcome'

export async function findJobRow(sql: Queryable, id: string): Promise<JobRow | undefined> {
  const { rows } = await sql.query<JobRow>(`select ${columns} from ingest_job where id = $1 and not is_staged`, [id])
  return rows[0]
}

/** Accepted and not ended, as far as the rows know: an actor that ended a moment ago may still be among them. */
export async function unfinishedJobs(sql: Queryable, repo?: string): Promise<readonly JobRow[]> {
  const { rows } = await sql.query<JobRow>(
    `select ${columns} from ingest_job where outcome is null and not is_staged ${repo === undefined ? '' : 'and repo = $1'}
    order by number`,
    repo === undefined ? [] : [repo],
  )
  return rows
}

export async function viewOfRow({ sql, runtime }: JobsDeps, row: JobRow): Promise<JobBody> {
  if (row.outcome !== null) return row.outcome
  const actor = await runtime.read(jobAddress(row.id))
  return actor ? jobView(actor, row.created_at, await keysOf(sql, actor)) : accepted(row)
}

/** Accepted, and its actor's first event is under way. */
function accepted(row: JobRow): JobBody {
  const nothing = { done: 0, failed: 0, skipped: 0, purged: 0, started_at: null, finished_at: null, errors: [] }
  const { id, repo, total } = row
  return { id, repo, status: 'queued', total, ...nothing, created_at: new Date(row.created_at).toISOString() }
}

export async function keysOf(sql: Queryable, actor: ActorView): Promise<(index: number) => string | null> {
  const { errors } = actor.context as { readonly errors: readonly { readonly index: number }[] }
  if (errors.length === 0) return () => null
  const { rows } = await sql.query<{ index: number; idempotency_key: string | null }>(
    'select index, idempotency_key from ingest_item where job = $1 and index = any($2::int[])',
    [actor.id, errors.map(({ index }) => index)],
  )
  const keys = new Map(rows.map((row) => [row.index, row.idempotency_key]))
  return (index) => keys.get(index) ?? null
}

export interface JobQuery {
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
      `select ${columns} from ingest_job where not is_staged and number < $1
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
