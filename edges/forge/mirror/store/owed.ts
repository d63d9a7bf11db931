import type { Queryable } from '../../../../runtime/store/sql.ts'
import { columnOf, type RepositoryKey } from './places.ts'
import type { SubjectKey } from '../facts/records.ts'

type Owed = Pick<SubjectKey, 'kind' | 'number'>

/** Those that were tried least come first, so that none keeps the others waiting. */
export async function listOwed(sql: Queryable, repositoryKey: RepositoryKey, limit: number): Promise<readonly Owed[]> {
  const { rows } = await sql.query<Owed>(
    `select sort as "kind", number from forge_owed where project = $1 and repository = $2
     order by attempts, tried_at, sort, number limit $3`,
    [repositoryKey.project, columnOf(repositoryKey), limit],
  )
  return rows
}

export async function owe(sql: Queryable, key: SubjectKey, error: string, at: number): Promise<void> {
  await sql.query(
    `insert into forge_owed (project, repository, sort, number, attempts, error, tried_at) values ($1, $2, $3, $4, 1, $5, $6)
     on conflict (project, repository, sort, number) do update
       set attempts = forge_owed.attempts + 1, error = excluded.error, tried_at = excluded.tried_at`,
    [key.project, columnOf(key), key.kind, key.number, error, at],
  )
}

export async function settleOwed(sql: Queryable, key: SubjectKey): Promise<void> {
  await sql.query('delete from forge_owed where project = $1 and repository = $2 and sort = $3 and number = $4', [
    key.project,
    columnOf(key),
    key.kind,
    key.number,
  ])
}
