/**
 * Which rows are whose. A Project of an old name is another Project, and a Repository of an old name may be another repository: what
 * was read of the first is no answer about the second (MIRROR-7). The forge's id is asked for once, and again at each check.
 */
import type { Queryable } from '../../../../runtime/store/sql.ts'
import type { ForgePort } from '../../port.ts'
import { forgePath, repositoryNamed, webOf, type ProjectSettings, type RepositorySettings } from '../../projects.ts'
import type { MirrorOptions } from '../options.ts'
import { loadPlaces, placeAdopted, savePlace, type RepositoryKey } from '../store/places.ts'

export type RepositoryKeys = ReadonlyMap<string, RepositoryKey>

/** Of each Repository that is enrolled now and whose id is known, by its name. */
export async function currentRepositoryKeys(
  { sql }: { readonly sql: Queryable },
  project: ProjectSettings,
): Promise<RepositoryKeys> {
  const learned = new Map(
    (await loadPlaces(sql, project.uid)).map((one) => [`${one.repository} ${one.address}`, one.forgeId]),
  )
  return new Map(
    project.repositories.flatMap((repository) => {
      const forgeId = learned.get(`${repository.name} ${addressOf(project, repository)}`)
      return forgeId === undefined ? [] : [[repository.name, repositoryKeyOf(project, repository, forgeId)]]
    }),
  )
}

/** `name`: of the Repository; undefined where it is not enrolled, or its id is not known yet. */
export async function currentRepositoryKey(
  { sql, directory }: Pick<MirrorOptions, 'sql' | 'directory'>,
  id: string,
  name: string,
): Promise<RepositoryKey | undefined> {
  const project = await directory.project(id)
  if (project === undefined || repositoryNamed(project, name) === undefined) return undefined
  return (await currentRepositoryKeys({ sql }, project)).get(name)
}

/** The known one, or the forge is asked. Throws what the forge answers. */
export async function requireRepositoryKey(
  options: Pick<MirrorOptions, 'sql' | 'clock'>,
  project: ProjectSettings,
  repository: RepositorySettings,
  forge: ForgePort,
): Promise<RepositoryKey> {
  const known = (await currentRepositoryKeys(options, project)).get(repository.name)
  if (known !== undefined) return known
  const { id } = await forge.repository(forgePath(repository, project.scm))
  return learnRepositoryKey(options, project, repository, id)
}

export async function learnRepositoryKey(
  { sql, clock }: Pick<MirrorOptions, 'sql' | 'clock'>,
  project: ProjectSettings,
  repository: RepositorySettings,
  forgeId: string,
): Promise<RepositoryKey> {
  const repositoryKey = repositoryKeyOf(project, repository, forgeId)
  const known = (await currentRepositoryKeys({ sql }, project)).get(repository.name)
  if (known?.forgeId === forgeId) return repositoryKey
  await sql.tx(async (tx) => {
    await savePlace(tx, repositoryKey, addressOf(project, repository), clock.now())
    await placeAdopted(tx, repositoryKey)
  })
  return repositoryKey
}

function repositoryKeyOf({ uid }: ProjectSettings, { name }: RepositorySettings, forgeId: string): RepositoryKey {
  return { project: uid, repository: name, forgeId }
}

/** Forges compare paths without regard to case. */
export function addressOf({ scm }: ProjectSettings, repository: RepositorySettings): string {
  return `${webOf(scm)}/${forgePath(repository, scm)}`.toLowerCase()
}
