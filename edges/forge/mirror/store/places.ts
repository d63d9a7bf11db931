/** Under which key the rows of one repository stand: the Project's uid, the Repository's name and the forge's own id (MIRROR-7). */
import type { Queryable } from '../../../../runtime/store/sql.ts'

export interface RepositoryKey {
  /** Uid of the Project resource. */
  readonly project: string
  /** Name of the Repository resource. */
  readonly repository: string
  /** The forge's own id of the repository; empty while nobody knows it. */
  readonly forgeId: string
}

/** The column `repository`; no resource has `#` in its name. */
export function columnOf({ repository, forgeId }: Omit<RepositoryKey, 'project'>): string {
  return `${repository}#${forgeId}`
}

export function ofColumn(column: string): Omit<RepositoryKey, 'project'> {
  const at = column.indexOf('#')
  return { repository: column.slice(0, at), forgeId: column.slice(at + 1) }
}

interface LearnedKey extends Omit<RepositoryKey, 'project'> {
  readonly address: string
}

/** What each address of a Project led to when it was asked last. */
export async function loadPlaces(sql: Queryable, project: string): Promise<readonly LearnedKey[]> {
  const { rows } = await sql.query<LearnedKey>(
    `select distinct on (repository, address) repository, address, forge_id as "forgeId" from forge_repository
     where project = $1 order by repository, address, learned_at desc, forge_id`,
    [project],
  )
  return rows
}

/** The newest of its address, whatever the clocks of processes say. */
export async function savePlace(
  sql: Queryable,
  { project, repository, forgeId }: RepositoryKey,
  address: string,
  at: number,
): Promise<void> {
  await sql.query(
    `insert into forge_repository (project, repository, address, forge_id, learned_at)
     values ($1, $2, $3, $4, greatest($5::bigint, (
       select coalesce(max(learned_at), 0) + 1 from forge_repository where project = $1 and repository = $2 and address = $3)))
     on conflict (project, repository, address, forge_id) do update set learned_at = excluded.learned_at`,
    [project, repository, address, forgeId, at],
  )
}

/** The tables whose rows are of one repository. */
export const ofRepositories = [
  'forge_subject',
  'forge_comment',
  'forge_cursor',
  'forge_push',
  'forge_history',
  'forge_owed',
] as const

/** Those whose rows are of one Project. */
export const ofProjects = ['forge_account', 'forge_delivery'] as const

/** The forge said which repository it is: what was adopted by its name (adopt.ts) gets its place. */
export async function placeAdopted(sql: Queryable, repositoryKey: RepositoryKey): Promise<void> {
  for (const table of ofRepositories)
    await sql.query(`update ${table} set repository = $3 where project = $1 and repository = $2`, [
      repositoryKey.project,
      repositoryKey.repository,
      columnOf(repositoryKey),
    ])
}
