/** Rows of ingest jobs: what is unfinished, and how the finished ones ended. */
import type { ActorView } from '../../runtime/runtime.ts'
import type { Queryable } from '../../runtime/store/sql.ts'
import type { JobBody } from './job-view.ts'

export interface JobRow {
  readonly id: string
  readonly number: number
  readonly repo: string
  readonly total: number
  readonly created_at: number
  readonly outcome: JobBody | null
}

export const jobColumns = 'id, number, repo, total, created_at, outcome'

export async function findJobRow(sql: Queryable, id: string): Promise<JobRow | undefined> {
  const { rows } = await sql.query<JobRow>(`select ${jobColumns} from ingest_job where id = $1 and not is_staged`, [id])
  return rows[0]
}

/** Accepted and not ended, as far as the rows know: an actor that ended a moment ago may still be among them. */
export async function unfinishedJobs(sql: Queryable, repo?: string): Promise<readonly JobRow[]> {
  const { rows } = await sql.query<JobRow>(
    `select ${jobColumns} from ingest_job where outcome is null and not is_staged ${repo === undefined ? '' : 'and repo = $1'}
    order by number`,
    repo === undefined ? [] : [repo],
  )
  return rows
}

export async function keysOf(
  sql: Queryable,
  actor: ActorView<'ingest-job'>,
): Promise<(index: number) => string | null> {
  const { errors } = actor.context
  if (errors.length === 0) return () => null
  const { rows } = await sql.query<{ index: number; idempotency_key: string | null }>(
    'select index, idempotency_key from ingest_item where job = $1 and index = any($2::int[])',
    [actor.id, errors.map(({ index }) => index)],
  )
  const keys = new Map(rows.map((row) => [row.index, row.idempotency_key]))
  return (index) => keys.get(index) ?? null
}
