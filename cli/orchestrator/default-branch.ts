/** The default branch of a Repository whose settings leave it to the forge: asked for, and believed for a while. */
import { createOpenForge, type OpenForgeOptions } from '../../edges/forge/open-forge.ts'
import { forgePath, repositoryNamed } from '../../edges/forge/projects.ts'
import type { Logger } from '../../http/logging.ts'
import { localProjectDirectory, type ProjectDirectoryDeps } from '../../edges/local/project-directory.ts'

export interface DefaultBranchDeps
  extends Pick<ProjectDirectoryDeps, 'resources' | 'secrets'>, Omit<OpenForgeOptions, 'directory'> {
  readonly logger: Logger
}

const believedMs = 10 * 60_000
/** While the forge has never answered; a Project whose forge cannot be asked is not ready and mints nothing. */
const guess = 'main'

interface Believed {
  readonly at: number
  readonly name: string
}

export function defaultBranches(deps: DefaultBranchDeps): (project: string, repository: string) => Promise<string> {
  const { resources, secrets, clock, logger } = deps
  // The full directory asks for this very branch while it reads a Project; this one leaves branches alone.
  const directory = localProjectDirectory({ resources, secrets, defaultBranch: async () => '' })
  const openForge = createOpenForge({ ...deps, directory })
  const known = new Map<string, Believed>()
  const asking = new Map<string, Promise<string>>()

  async function ask(key: string, projectName: string, repositoryName: string): Promise<string> {
    try {
      const project = await directory.project(projectName)
      const repository = project && repositoryNamed(project, repositoryName)
      if (project === undefined || repository === undefined) return guess
      const { defaultBranch } = await (await openForge(projectName)).repository(forgePath(repository, project.scm))
      known.set(key, { at: clock.now(), name: defaultBranch })
      return defaultBranch
    } catch (error) {
      logger.warn({ repository: key, err: error }, 'the orchestrator could not read the default branch')
      return known.get(key)?.name ?? guess
    } finally {
      asking.delete(key)
    }
  }

  return async (project, repository) => {
    const key = `${project}/${repository}`
    const last = known.get(key)
    if (last !== undefined && clock.now() - last.at < believedMs) return last.name
    const answer = asking.get(key) ?? ask(key, project, repository)
    asking.set(key, answer)
    return answer
  }
}
