import type { Runtime } from '../../runtime/runtime.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import type { ReadForeign } from '../forge/foreign-commits.ts'
import type { OpenForge } from '../forge/port.ts'
import type { ProjectDirectory } from '../forge/projects.ts'
import type { ReadBack } from '../forge/read-back.ts'
import type { VerifyToken } from '../../http/auth/authenticate.ts'
import type { Logger } from '../../http/operational/logging.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { ThreadReader } from '../ports/threads.ts'
import type { PodTokens } from './pod-tokens.ts'

/** One Project resource: another one of its name begins another life. */
export interface ProjectLife {
  readonly uid: string
  /** When it was made. */
  readonly since: number
}

/** What the REST side of the tools stands on. */
export interface AgentApiDeps {
  readonly runtime: Runtime
  readonly sql: Sql
  readonly clock: Clock
  readonly logger: Logger
  readonly projects: ProjectDirectory
  /** What was said, by whomever: for decisions. */
  readonly threads: ThreadReader
  /** What an agent may read of it (INTAKE-9). */
  readonly gatedThreads: ThreadReader
  readonly openForge: OpenForge
  readonly readBack: ReadBack
  readonly podTokens: PodTokens
  /** Commits of a merge request that nobody who may let it merge brought (REVIEW-3). */
  readonly foreignCommits: ReadForeign
  /** OIDC bearer with the operator's audience: people and other programs. */
  readonly verifyOidc: VerifyToken
  /** Those of the repositories that pods of the Task pushed to, by the git gateway's record. */
  readonly pushedBy: (project: string, repositories: readonly string[], task: string) => Promise<readonly string[]>
  /** Why the newest push of a Task was refused, by the git gateway or the forge; undefined: it was not. */
  readonly pushRefusal?: (project: string, repository: string, task: string) => Promise<string | undefined>
  /** Which Project has a name now, by its actor id; undefined: none. */
  readonly lifeOf: (project: string) => Promise<ProjectLife | undefined>
  /** `maxBundleBytes` of a Project, by its actor id. */
  readonly maxBundleBytes: (project: string) => Promise<number>
}
