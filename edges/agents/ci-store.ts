import type { MigrationFolder } from '../../runtime/store/migrate.ts'
import type { Queryable } from '../../runtime/store/sql.ts'

export const agentMigrations: MigrationFolder = { owner: 'agents', folder: new URL('./migrations/', import.meta.url) }

interface StoredRead {
  readonly askedAt: number
  /** Absent: whoever asked has no answer yet. */
  readonly result: object | undefined
}

/** True: it is ours to ask the forge. False: somebody has asked since `since`. */
export async function claimRead(sql: Queryable, subject: string, now: number, since: number): Promise<boolean> {
  const { rows } = await sql.query(
    `insert into ci_read (subject, asked_at) values ($1, $2)
     on conflict (subject) do update set asked_at = $2, result = null where ci_read.asked_at <= $3
     returning subject`,
    [subject, now, since],
  )
  return rows.length > 0
}

export async function storeRead(sql: Queryable, subject: string, askedAt: number, result: object): Promise<void> {
  await sql.query('update ci_read set result = $3 where subject = $1 and asked_at = $2', [
    subject,
    askedAt,
    JSON.stringify(result),
  ])
}

export async function loadRead(sql: Queryable, subject: string): Promise<StoredRead | undefined> {
  const { rows } = await sql.query<{ askedAt: number; result: object | null }>(
    'select asked_at as "askedAt", result from ci_read where subject = $1',
    [subject],
  )
  const [row] = rows
  return row && { askedAt: row.askedAt, result: row.result ?? undefined }
}

/** An attempt that failed keeps nobody from the next. */
export async function dropRead(sql: Queryable, subject: string, askedAt: number): Promise<void> {
  await sql.query('delete from ci_read where subject = $1 and asked_at = $2', [subject, askedAt])
}

export async function dropReadsBefore(sql: Queryable, before: number): Promise<void> {
  await sql.query('delete from ci_read where asked_at < $1', [before])
}
