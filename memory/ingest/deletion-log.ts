import type { LogActionFor } from '../action-log.ts'
import type { Sql } from '../../runtime/store/sql.ts'

/** A memory that a job deleted: its key moved on to other content, or its file was reconciled. */
export interface Deleted {
  readonly id: string
  readonly reason: 'replaced' | 'reconciled'
}

export interface DeletionLogDeps {
  readonly sql: Sql
  readonly logActionFor: LogActionFor
}

/** One line of the action log for each, under the request that the job came with (MEMORY-LOG-6). After their commit. */
export async function logDeleted(
  { sql, logActionFor }: DeletionLogDeps,
  job: string,
  deleted: readonly Deleted[],
  startedAt: number,
): Promise<void> {
  if (deleted.length === 0) return
  const { rows } = await sql.query<{ user: string | null; id: string | null }>(
    'select requested_by as user, request_id as id from ingest_job where id = $1',
    [job],
  )
  const by = { user: rows[0]?.user ?? 'unknown', requestId: rows[0]?.id ?? 'unknown' }
  for (const { id, reason } of deleted)
    logActionFor(by, { action: 'memory.delete', resourceId: id, startedAt, more: { reason, job } })
}
