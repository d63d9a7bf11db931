import type { ForgePort } from '../forge/port.ts'
import {
  bareName,
  forgePath,
  repositoryNamed,
  type ProjectSettings,
  type RepositorySettings,
} from '../forge/projects.ts'
import { Problem } from '../http/problem.ts'
import type { AgentApiDeps } from './deps.ts'

export interface ForgeAccess {
  readonly forge: ForgePort
  readonly project: ProjectSettings
  readonly repository: RepositorySettings
  /** `owner/name` on the forge. */
  readonly path: string
}

/** The repository that a tool names, within the pod's own Project and nowhere else. */
export async function accessRepository(
  deps: Pick<AgentApiDeps, 'projects' | 'openForge'>,
  projectId: string,
  repositoryName: string,
): Promise<ForgeAccess> {
  const project = await deps.projects.project(bareName(projectId))
  const repository = project === undefined ? undefined : repositoryNamed(project, repositoryName)
  if (project === undefined || repository === undefined)
    throw new Problem('not-found', `the Project has no Repository ${repositoryName}; repo_list names them`)
  return { forge: await deps.openForge(project.name), project, repository, path: forgePath(repository, project.scm) }
}
