import type { Queryable } from '../../../../runtime/store/sql.ts'

export interface Cursor {
  readonly since: number
  readonly hasChecks: boolean
}

export async function loadCursor(sql: Queryable, project: string, repository: string): Promise<Cursor | undefined> {
  const { rows } = await sql.query<Cursor>(
    'select since, has_checks as "hasChecks" from forge_cursor where project = $1 and repository = $2',
    [project, repository],
  )
  return rows[0]
}

/** Never goes back. */
export async function advanceCursor(sql: Queryable, project: string, repository: string, since: number): Promise<void> {
  await sql.query(
    `insert into forge_cursor (project, repository, since, has_checks) values ($1, $2, $3, false)
     on conflict (project, repository) do update set since = greatest(forge_cursor.since, excluded.since)`,
    [project, repository, since],
  )
}

/** This repository runs checks: a head without any is one whose checks are still to come (MERGE-4). */
export async function markHasChecks(sql: Queryable, project: string, repository: string): Promise<void> {
  await sql.query(
    `insert into forge_cursor (project, repository, since, has_checks) values ($1, $2, 0, true)
     on conflict (project, repository) do update set has_checks = true`,
    [project, repository],
  )
}
