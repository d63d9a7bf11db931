import type { Queryable } from '../../../../runtime/store/sql.ts'
import { columnOf, ofColumn, type RepositoryKey } from './places.ts'

interface Cursor {
  readonly since: number
  readonly hasChecks: boolean
}

export async function loadCursor(sql: Queryable, repositoryKey: RepositoryKey): Promise<Cursor | undefined> {
  const { rows } = await sql.query<Cursor>(
    'select since, has_checks as "hasChecks" from forge_cursor where project = $1 and repository = $2',
    [repositoryKey.project, columnOf(repositoryKey)],
  )
  return rows[0]
}

/** Never goes back. */
export async function advanceCursor(sql: Queryable, repositoryKey: RepositoryKey, since: number): Promise<void> {
  await sql.query(
    `insert into forge_cursor (project, repository, since, has_checks) values ($1, $2, $3, false)
     on conflict (project, repository) do update set since = greatest(forge_cursor.since, excluded.since)`,
    [repositoryKey.project, columnOf(repositoryKey), since],
  )
}

export interface ResyncTrouble extends Omit<RepositoryKey, 'project'> {
  /** In a row. */
  readonly failures: number
  readonly failure: string
}

/** Counted once in `apartMs`: an effect that is tried again within moments is one resync. */
export async function countFailedResync(
  sql: Queryable,
  repositoryKey: RepositoryKey,
  { failure, at, apartMs }: { readonly failure: string; readonly at: number; readonly apartMs: number },
): Promise<void> {
  await sql.query(
    `insert into forge_cursor (project, repository, since, has_checks, failures, failure, failed_at) values ($1, $2, 0, false, 1, $3, $4)
     on conflict (project, repository) do update set failure = excluded.failure,
       failures = forge_cursor.failures + case when excluded.failed_at >= forge_cursor.failed_at + $5::bigint then 1 else 0 end,
       failed_at = case when excluded.failed_at >= forge_cursor.failed_at + $5::bigint then excluded.failed_at else forge_cursor.failed_at end`,
    [repositoryKey.project, columnOf(repositoryKey), failure, at, apartMs],
  )
}

export async function forgetFailedResyncs(sql: Queryable, repositoryKey: RepositoryKey): Promise<void> {
  await sql.query(
    `update forge_cursor set failures = 0, failure = '', failed_at = 0 where project = $1 and repository = $2 and failures > 0`,
    [repositoryKey.project, columnOf(repositoryKey)],
  )
}

export async function listResyncTrouble(
  sql: Queryable,
  project: string,
  least: number,
): Promise<readonly ResyncTrouble[]> {
  const { rows } = await sql.query<Omit<ResyncTrouble, 'forgeId'>>(
    'select repository, failures, failure from forge_cursor where project = $1 and failures >= $2 order by repository',
    [project, least],
  )
  return rows.map(({ repository, ...rest }) => ({ ...rest, ...ofColumn(repository) }))
}

/** This repository runs checks: a head without any is one whose checks are still to come (MERGE-4). */
export async function markHasChecks(sql: Queryable, repositoryKey: RepositoryKey): Promise<void> {
  await sql.query(
    `insert into forge_cursor (project, repository, since, has_checks) values ($1, $2, 0, true)
     on conflict (project, repository) do update set has_checks = true`,
    [repositoryKey.project, columnOf(repositoryKey)],
  )
}
