/** The default branch of a Repository whose settings leave it to the forge: asked for, and believed for a while. */
import { createOpenForge, type OpenForgeOptions } from '../../edges/forge/open-forge.ts'
import { forgePath, repositoryNamed } from '../../edges/forge/projects.ts'
import type { Logger } from '../../http/logging.ts'
import { messageOf } from '../../runtime/errors.ts'
import { isLogged } from '../../runtime/outage.ts'
import { localProjectDirectory, type ProjectDirectoryDeps } from '../../edges/local/project-directory.ts'

export interface DefaultBranchDeps
  extends Pick<ProjectDirectoryDeps, 'resources' | 'secrets'>, Omit<OpenForgeOptions, 'directory'> {
  readonly logger: Logger
}

const believedMs = 10 * 60_000
/** Of a forge that does not answer what it answered before is believed for a while, from the second failure on. */
const firstPauseMs = 1_000
const longestPauseMs = 60_000
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
  const failures = new Map<string, number>()

  function failed(key: string, error: unknown): number {
    const count = (failures.get(key) ?? 0) + 1
    failures.set(key, count)
    const fields = { repository: key, failures: count, error: messageOf(error) }
    if (isLogged(count)) logger.warn(fields, 'the orchestrator could not read the default branch')
    return count === 1 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** (count - 2))
  }

  function answered(key: string): void {
    const count = failures.get(key)
    if (count === undefined) return
    failures.delete(key)
    logger.info({ repository: key, failures: count }, 'the orchestrator reads the default branch again')
  }

  async function ask(key: string, projectName: string, repositoryName: string): Promise<string> {
    try {
      const project = await directory.project(projectName)
      const repository = project && repositoryNamed(project, repositoryName)
      if (project === undefined || repository === undefined) return guess
      const { defaultBranch } = await (await openForge(projectName)).repository(forgePath(repository, project.scm))
      known.set(key, { at: clock.now(), name: defaultBranch })
      answered(key)
      return defaultBranch
    } catch (error) {
      const pauseMs = failed(key, error)
      const before = known.get(key)
      if (before === undefined) return guess
      known.set(key, { ...before, at: clock.now() - believedMs + pauseMs })
      return before.name
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
