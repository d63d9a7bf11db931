/** Since when nothing stands for a place any more, and its rows' end (MIRROR-8). */
import type { Queryable } from '../../../../runtime/store/sql.ts'
import { columnOf, ofColumn, ofProjects, ofRepositories, type RepositoryKey } from './places.ts'

/** Every place that is not among these is gone from now on, if it was not before. */
export async function markGone(sql: Queryable, here: readonly RepositoryKey[], now: number): Promise<void> {
  await sql.query(
    `update forge_repository set gone_at = case when (project, repository || '#' || forge_id) in
       (select * from unnest($1::text[], $2::text[])) then null else coalesce(gone_at, $3::bigint) end`,
    [here.map(({ project }) => project), here.map(columnOf), now],
  )
}

/** Gone since before that time, the oldest first. */
export async function listGone(sql: Queryable, before: number): Promise<readonly RepositoryKey[]> {
  const { rows } = await sql.query<{ project: string; repository: string }>(
    `select project, repository || '#' || forge_id as repository from forge_repository group by 1, 2
     having bool_and(gone_at is not null) and max(gone_at) < $1 order by max(gone_at), 1, 2`,
    [before],
  )
  return rows.map(({ project, repository }) => ({ project, ...ofColumn(repository) }))
}

/** Deletes at most so many rows of each table; true: there were no more. */
export async function deleteRows(sql: Queryable, repositoryKey: RepositoryKey, limit: number): Promise<boolean> {
  for (const table of ofRepositories) {
    const rowCount = await deleteSome(
      sql,
      table,
      'project = $1 and repository = $2',
      [repositoryKey.project, columnOf(repositoryKey)],
      limit,
    )
    if (rowCount === limit) return false
  }
  await sql.query('delete from forge_repository where project = $1 and repository = $2 and forge_id = $3', [
    repositoryKey.project,
    repositoryKey.repository,
    repositoryKey.forgeId,
  ])
  return true
}

/** What is of a Project alone goes with its last place; true: there was no more. */
export async function deleteProjectRows(sql: Queryable, live: readonly string[], limit: number): Promise<boolean> {
  for (const table of ofProjects) {
    const where =
      'project <> all($1::text[]) and not exists (select 1 from forge_repository r where r.project = t.project)'
    if ((await deleteSome(sql, table, where, [[...live]], limit)) === limit) return false
  }
  return true
}

async function deleteSome(
  sql: Queryable,
  table: string,
  where: string,
  values: readonly unknown[],
  limit: number,
): Promise<number> {
  const { rowCount } = await sql.query(
    `delete from ${table} where ctid = any(array(select t.ctid from ${table} t where ${where} limit ${limit}))`,
    [...values],
  )
  return rowCount
}
