/** The forge edge as one thing to wire: mirror, inbox of deliveries, webhook route and effect handlers over one store. */
import type { Clock } from '../../runtime/clock.ts'
import { TerminalError } from '../../runtime/errors.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { MigrationFolder } from '../../runtime/store/migrate.ts'
import type { Random } from '../../runtime/random.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import type { HttpApp } from '../../http/app.ts'
import { adapters } from './transport/adapters.ts'
import type { ForgeChange } from './change.ts'
import { adoptByName } from './mirror/places/adopt.ts'
import { forgetGone } from './mirror/places/forget.ts'
import { createForgetting } from './mirror/places/forgetting.ts'
import type { Mirror } from './mirror/mirror.ts'
import { currentRepositoryKey } from './mirror/places/places.ts'
import { loadCursor } from './mirror/store/cursors.ts'
import type { RepositoryKey } from './mirror/store/places.ts'
import { insertPush, newestRefusal, type PushAudit } from './mirror/store/pushes.ts'
import type { OutboundDeps } from './outbound/deps.ts'
import { createForgeHandlers, type ForgeHandlers } from './outbound/handlers.ts'
import type { OpenForge } from './port.ts'
import {
  projectId,
  type AppliedProjects,
  type ProjectDirectory,
  type ProjectSettings,
  type Provider,
} from './projects.ts'
import type { TaskThreads } from './task-threads.ts'
import { keepStandings, type KeeperOptions } from './standing/keeper.ts'
import { createForgeInbox, type ForgeInbox } from './webhooks/inbox.ts'
import { registerForgeWebhooks } from './webhooks/route.ts'

export const forgeMigrations: MigrationFolder = {
  owner: 'forge',
  folder: new URL('./mirror/migrations/', import.meta.url),
}

interface ForgeEdgeOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly logger: Logger
  readonly directory: ProjectDirectory & AppliedProjects
  readonly openForge: OpenForge
  readonly mirror: Mirror
  readonly random: Random
  readonly grantHolds: (issue: string) => Promise<boolean>
  readonly threadsOf: TaskThreads
  readonly mergeJudge: OutboundDeps['mergeJudge']
  readonly ciChangesAllowed: OutboundDeps['ciChangesAllowed']
  readonly webhookUrl: (project: ProjectSettings) => string | undefined
  /** What says how Tasks stand; undefined: nothing is said of it on the forge. */
  readonly standings: Pick<KeeperOptions, 'runtime' | 'why'> | undefined
  /** Is told of each repository of which nothing is known any more (MIRROR-8). */
  readonly forgotten?: (repositoryKey: RepositoryKey) => Promise<void>
}

export interface ForgeEdge {
  readonly mirror: Mirror
  readonly handlers: ForgeHandlers
  readonly inbox: ForgeInbox
  registerWebhooks(app: HttpApp): void
  /** For the git gateway: `project` is the id or the bare name of a Project. */
  auditPush(push: Omit<PushAudit, 'forgeId'>): Promise<void>
  /** Before anything is read: keeps what earlier versions kept by bare names, as far as it is proven (MIRROR-7). */
  adopt(): Promise<void>
  /** Works off what an earlier process left, then what comes. */
  start(): void
  stop(): Promise<void>
}

/** The words in which a Task's newest push was refused; undefined: it got through, or there was none. */
export type PushRefusal = (project: string, repository: string, task: string) => Promise<string | undefined>

export function pushRefusalIn(deps: Pick<ForgeEdgeOptions, 'sql' | 'directory'>): PushRefusal {
  return async (project, repository, task) => {
    const repositoryKey = await currentRepositoryKey(deps, project, repository)
    return repositoryKey && newestRefusal(deps.sql, { ...repositoryKey, task })
  }
}

export function createForgeEdge(options: ForgeEdgeOptions): ForgeEdge {
  const { sql, clock, directory, mirror } = options
  const inbox = createForgeInbox({
    sql,
    clock,
    random: options.random,
    logger: options.logger,
    changeOf: ({ provider, event, body }) => adapters[provider as Provider].webhooks.changeOf(event, JSON.parse(body)),
    async apply({ project: uid, delivery }, change) {
      const project = await directory.byUid(uid)
      if (project === undefined) throw new TerminalError('unknown-project', `no Project has the uid ${uid} any more`)
      await mirror.apply(projectId(project), withoutHiddenWords(change, project), delivery)
    },
  })
  const handlers = createForgeHandlers({
    directory,
    openForge: options.openForge,
    mirror,
    clock,
    grantHolds: options.grantHolds,
    threadsOf: options.threadsOf,
    mergeJudge: options.mergeJudge,
    ciChangesAllowed: options.ciChangesAllowed,
    webhookUrl: options.webhookUrl,
    async hasChecks(project, repository) {
      const repositoryKey = await currentRepositoryKey(options, project, repository)
      return repositoryKey !== undefined && (await loadCursor(sql, repositoryKey))?.hasChecks === true
    },
  })
  const { standings, openForge, random, logger, forgotten = async () => undefined } = options
  const forgetting = createForgetting({
    clock,
    random,
    logger,
    sweep: () => forgetGone({ sql, projects: () => directory.projects(), now: clock.now(), forgotten }),
  })
  const keeper = standings && keepStandings({ ...standings, directory, openForge, mirror, clock, random, logger })
  return {
    mirror,
    handlers,
    inbox,
    registerWebhooks: (app) => registerForgeWebhooks(app, { directory, inbox, clock }),
    auditPush: async ({ project, repository, ...push }) =>
      insertPush(sql, { ...push, ...(await mirror.repositoryKey(project, repository)) }),
    adopt: () => adoptByName(sql, () => directory.projects()),
    start() {
      inbox.start()
      keeper?.start()
      forgetting.start()
    },
    async stop() {
      await forgetting.stop()
      await keeper?.stop()
      await inbox.stop()
    },
  }
}

/** PROJECT-SCM-22. What the port hides is read through it; a note is in its delivery whole, so its thread is read instead. */
function withoutHiddenWords(change: ForgeChange, { scm }: ProjectSettings): ForgeChange {
  if (change.kind !== 'comment' || change.confidential !== true || scm.includeConfidential === true) return change
  const { path, by, comment } = change
  return { path, by, kind: 'thread', on: comment.on, number: comment.number }
}
