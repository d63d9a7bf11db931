/** The default branch of a Repository whose settings leave it to the forge: asked for, and believed for a while. */
import { createOpenForge, type OpenForgeOptions } from '../../edges/forge/transport/open-forge.ts'
import { addressOf, currentRepositoryKeys } from '../../edges/forge/mirror/places/places.ts'
import {
  forgePath,
  projectId,
  repositoryNamed,
  type ProjectSettings,
  type RepositorySettings,
} from '../../edges/forge/projects.ts'
import type { Logger } from '../../http/operational/logging.ts'
import { messageOf } from '../../runtime/errors.ts'
import { isLogged } from '../../runtime/outage.ts'
import { createProjectDirectory, type ProjectDirectoryDeps } from '../../edges/forge/project-directory.ts'

interface DefaultBranchDeps
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
  /** The forge's own of the repository whose branch it is. */
  readonly forgeId: string
}

/** A Repository as it is applied now: under another Project of the name, or at another address, it is another one (MIRROR-7). */
interface Asked {
  readonly key: string
  readonly project: ProjectSettings
  readonly repository: RepositorySettings
  /** As the mirror has learned it; undefined: not yet. */
  readonly forgeId: string | undefined
}

export function defaultBranches(deps: DefaultBranchDeps): (project: string, repository: string) => Promise<string> {
  const { resources, secrets, clock, logger, sql } = deps
  // The full directory asks for this very branch while it reads a Project; this one leaves branches alone.
  const directory = createProjectDirectory({ resources, secrets, defaultBranch: async () => '' })
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

  async function find(projectName: string, repositoryName: string): Promise<Asked | undefined> {
    const project = await directory.project(projectName)
    const repository = project && repositoryNamed(project, repositoryName)
    if (project === undefined || repository === undefined) return undefined
    const repositoryKey = (await currentRepositoryKeys({ sql }, project)).get(repositoryName)
    const key = `${project.uid} ${repositoryName} ${addressOf(project, repository)}`
    return { key, project, repository, forgeId: repositoryKey?.forgeId }
  }

  /** What was read before, unless the mirror has learned of another repository at the address since. */
  function believed({ key, forgeId }: Asked): Believed | undefined {
    const last = known.get(key)
    return forgeId === undefined || last?.forgeId === forgeId ? last : undefined
  }

  async function ask(asked: Asked): Promise<string> {
    const { key, project, repository } = asked
    try {
      const forge = await openForge(projectId(project))
      const { defaultBranch, id } = await forge.repository(forgePath(repository, project.scm))
      known.set(key, { at: clock.now(), name: defaultBranch, forgeId: id })
      answered(key)
      return defaultBranch
    } catch (error) {
      const pauseMs = failed(key, error)
      const before = believed(asked)
      if (before === undefined) return guess
      known.set(key, { ...before, at: clock.now() - believedMs + pauseMs })
      return before.name
    } finally {
      asking.delete(key)
    }
  }

  return async (project, repository) => {
    const asked = await find(project, repository)
    if (asked === undefined) return guess
    const last = believed(asked)
    if (last !== undefined && clock.now() - last.at < believedMs) return last.name
    const answer = asking.get(asked.key) ?? ask(asked)
    asking.set(asked.key, answer)
    return answer
  }
}
