import { ForgeUnavailableError } from '../forge/errors.ts'
import type { Fence, ForgePort } from '../forge/port.ts'
import { forgePath, repositoryNamed, type ProjectSettings, type RepositorySettings } from '../forge/projects.ts'
import { Problem } from '../../http/problems/problem.ts'
import { isWithin, momentOf, type Clock } from '../../runtime/clock.ts'
import { callTimeoutMs } from './call-timeout.ts'
import type { AgentApiDeps } from './deps.ts'

export interface ForgeAccess {
  readonly forge: ForgePort
  readonly project: ProjectSettings
  readonly repository: RepositorySettings
  /** `owner/name` on the forge. */
  readonly path: string
}

/** Who gave the call up may ask again, of another process. */
function whileAwaited(clock: Clock): Fence {
  const asked = momentOf(clock)
  return () => {
    if (isWithin(clock, asked, callTimeoutMs)) return
    throw new ForgeUnavailableError('the caller stopped waiting, so the platform writes nothing more: call again')
  }
}

/** The repository that a tool names, within the pod's own Project and nowhere else. */
export async function accessRepository(
  deps: Pick<AgentApiDeps, 'projects' | 'openForge' | 'clock'>,
  projectId: string,
  repositoryName: string,
): Promise<ForgeAccess> {
  const fence = whileAwaited(deps.clock)
  const project = await deps.projects.project(projectId)
  const repository = project === undefined ? undefined : repositoryNamed(project, repositoryName)
  if (project === undefined || repository === undefined)
    throw new Problem('not-found', `the Project has no Repository ${repositoryName}; repo_list names them`)
  const forge = await deps.openForge(projectId, fence)
  return { forge, project, repository, path: forgePath(repository, project.scm) }
}
