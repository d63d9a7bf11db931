/** Repositories as the Projects enrol them, and how the forge gives them to us. */
import { Problem } from '../../../http/problems/problem.ts'
import {
  isOnForge,
  projectId,
  repositoryNamed,
  type ProjectDirectory,
  type ProjectSettings,
  type RepositorySettings,
} from '../../forge/projects.ts'
import type { Remote } from './cache.ts'

export interface RepositoryRef {
  readonly project: string
  readonly repository: string
}

export interface Enrolled {
  readonly project: ProjectSettings
  readonly repository: RepositorySettings
}

/** `project`: `<namespace>/<name>`. */
export async function enrolledAt(directory: ProjectDirectory, repositoryRef: RepositoryRef): Promise<Enrolled> {
  const project = await directory.project(repositoryRef.project)
  const repository = project && repositoryNamed(project, repositoryRef.repository)
  if (project === undefined || repository === undefined)
    throw new Problem('not-found', `there is no Repository ${repositoryRef.repository} in ${repositoryRef.project}`)
  return { project, repository }
}

/** The forge's own id of a Repository (MIRROR-7); `project`: `<namespace>/<name>`. */
export type ForgeIdOf = (project: string, repository: string) => Promise<string>

export interface RemoteDeps {
  readonly directory: ProjectDirectory
  readonly forgeIdOf: ForgeIdOf
}

export async function remoteOf(
  { directory, forgeIdOf }: RemoteDeps,
  { project, repository }: Enrolled,
): Promise<Remote> {
  if (!isOnForge(repository, project.scm))
    throw new Problem(
      'conflict',
      `the Repository ${repository.name} is not on the forge of ${project.name}: correct its url`,
    )
  const token = (await directory.secret(projectId(project)))?.token
  if (!token) throw new Problem('secret-unreadable', 'the forge token cannot be read')
  const forgeId = await forgeIdOf(projectId(project), repository.name)
  return { project: project.uid, repository: repository.name, forgeId, url: repository.url, token }
}
