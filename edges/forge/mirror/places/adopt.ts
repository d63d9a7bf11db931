/**
 * Rows from before they had a place (migration 0007) stand under `name/<bare name>`. A start keeps what it can prove: where every
 * subject of a Repository has its page below the Repository's own address, its rows are of the Project that holds the name now.
 * Of another mixture the subjects themselves are proven one by one, with their threads. The rest goes, and the next resync reads anew.
 */
import type { Queryable, Sql } from '../../../../runtime/store/sql.ts'
import type { ProjectSettings, RepositorySettings } from '../../projects.ts'
import { addressOf } from './places.ts'
import { ofProjects, ofRepositories } from '../store/places.ts'

export async function adoptByName(sql: Sql, projects: () => Promise<readonly ProjectSettings[]>): Promise<void> {
  const { rowCount } = await sql.query(
    [...ofRepositories, ...ofProjects]
      .map((table) => `(select 1 from ${table} where ${isOld} limit 1)`)
      .join(' union all '),
  )
  if (rowCount === 0) return
  const holders = await projects()
  await sql.tx(async (tx) => {
    for (const project of holders) await adoptProject(tx, project)
    for (const table of [...ofRepositories, ...ofProjects]) await tx.query(`delete from ${table} where ${isOld}`)
  })
}

const isOld = `project like 'name/%'`

async function adoptProject(tx: Queryable, project: ProjectSettings): Promise<void> {
  let isProven = false
  for (const repository of project.repositories) if (await adoptRepository(tx, project, repository)) isProven = true
  if (!isProven) return
  for (const table of ofProjects)
    await tx.query(`update ${table} set project = $1 where project = $2`, [project.uid, oldName(project)])
}

/** True: something of it is proven. */
async function adoptRepository(
  tx: Queryable,
  project: ProjectSettings,
  repository: RepositorySettings,
): Promise<boolean> {
  const key = [oldName(project), repository.name]
  const pages = `"url":${JSON.stringify(`${addressOf(project, repository)}/`).slice(0, -1)}`
  const { rows } = await tx.query<{ proven: number; others: number }>(
    `select count(*) filter (where ${isBelow})::int as proven, count(*) filter (where not ${isBelow})::int as others
     from forge_subject where project = $1 and repository = $2`,
    [...key, pages],
  )
  const { proven, others } = rows[0]!
  if (proven === 0) return false
  if (others > 0) await dropUnproven(tx, key, pages)
  for (const table of ofRepositories)
    await tx.query(`update ${table} set project = $3 where project = $1 and repository = $2`, [...key, project.uid])
  return true
}

const isBelow = `strpos(lower(document), lower($3::text)) > 0`

async function dropUnproven(tx: Queryable, key: readonly string[], pages: string): Promise<void> {
  await tx.query(`delete from forge_subject where project = $1 and repository = $2 and not ${isBelow}`, [...key, pages])
  await tx.query(
    `delete from forge_comment c where project = $1 and repository = $2 and not exists (
       select 1 from forge_subject s where s.project = c.project and s.repository = c.repository and s.sort = c.on_sort and s.number = c.number)`,
    [...key],
  )
  for (const table of ['forge_cursor', 'forge_push', 'forge_history', 'forge_owed'])
    await tx.query(`delete from ${table} where project = $1 and repository = $2`, [...key])
}

function oldName({ name }: ProjectSettings): string {
  return `name/${name}`
}
