/** The edge over a memory store and the local forge, for tests of this folder. */
import { withForge, type ForgeFixture, type FixtureOptions } from '../../../standins/forge/testing/fixture.ts'
import { simulatedClock, type SimulatedClock } from '../../../runtime/simulated-clock.ts'
import { createLogger } from '../../../http/operational/logging.ts'
import { aTaskConfig } from '../../../machines/testing/a-project.ts'
import { createServer } from '../../../http/server.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { RetryableError } from '../../../runtime/errors.ts'
import { silentLogger } from '../../../runtime/logger.ts'
import type { Delivery, EffectContext } from '../../../runtime/runtime.ts'
import { runtimeMigrations } from '../../../runtime/store/migrate.ts'
import { openSharedSql } from '../../../runtime/store/testing/shared-store.ts'
import type { Queryable, Sql } from '../../../runtime/store/sql.ts'
import type { MergeJudge } from '../../ports/merge-judge.ts'
import { createForgeEdge, forgeMigrations, type ForgeEdge } from '../forge-edge.ts'
import { createMirror } from '../mirror/mirror.ts'
import { mirrorRules, type MirrorRules } from '../mirror/facts/rules.ts'
import { createOpenForge } from '../transport/open-forge.ts'
import type { ForgePort, OpenForge } from '../port.ts'
import type { TaskThreads, ThreadRef } from '../task-threads.ts'
import {
  projectId,
  type AppliedProjects,
  type ProjectDirectory,
  type ProjectSecret,
  type ProjectSettings,
} from '../projects.ts'

export const HOOK_SECRET = 'hook secret'

export interface EdgeFixture extends ForgeFixture {
  readonly sql: Sql
  readonly clock: SimulatedClock
  readonly edge: ForgeEdge
  readonly project: ProjectSettings
  readonly directory: ProjectDirectory & AppliedProjects
  readonly openForge: OpenForge
  /** Everything that was delivered and not deduplicated, in order. */
  readonly delivered: Delivery[]
  /** Issues whose grant holds. */
  readonly grants: Set<string>
  /** The threads of the one Task that there is. */
  readonly threads: ThreadRef[]
  threadsOf: TaskThreads
  /** Every statement that the edge sent to its store, in order. */
  readonly statements: string[]
  /** What the merge asks about the base; at first it is always clean. */
  mergeJudge: MergeJudge
  /** A maintainer said `/allow-ci-changes`. */
  ciChangesAllowed: boolean
  secret: ProjectSecret | undefined
  /** Actor id of the Project that holds the name. */
  holder: string
  context(key: string, attempt?: number): EffectContext
  /** Resolves to what was done once the forge has sent and the edge worked off everything. */
  quiet<Done = void>(done?: Done): Promise<Awaited<Done>>
  /** The next delivery to an actor fails this often. */
  failing: number
}

let shared: Promise<Sql> | undefined

async function openShared(): Promise<Sql> {
  const sql = await openSharedSql([runtimeMigrations, forgeMigrations])
  return sql
}

const TABLES = 'delivery subject comment account cursor push history budget owed repository'.split(' ')

/** One store per test file, emptied for each use: opening one takes seconds. To truncate takes 44 ms, to delete 6. */
export async function withSql<T>(use: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = await (shared ??= openShared())
  await sql.exec(TABLES.map((name) => `delete from forge_${name};`).join(''))
  return use(sql)
}

/** Notes each statement's text before it is sent. */
function watchedSql(sql: Sql, statements: string[]): Sql {
  const watched = (inner: Queryable): Queryable => ({
    exec: (text) => inner.exec(text),
    query(text, params) {
      statements.push(text)
      return inner.query(text, params)
    },
  })
  return { ...sql, ...watched(sql), tx: (run) => sql.tx((tx) => run(watched(tx))), close: () => sql.close() }
}

export function aProject(fixture: Pick<ForgeFixture, 'forge'>, change: Partial<ProjectSettings> = {}): ProjectSettings {
  return {
    uid: 'uid-of-demo',
    name: 'demo',
    namespace: 'default',
    generation: 3,
    scm: {
      provider: 'forge_a',
      owner: 'acme',
      botLogin: 'bot',
      maintainerLogins: ['Maintainer'],
      reporterLogins: [],
      apiURL: fixture.forge.apiUrl,
      webURL: fixture.forge.url,
      labels: {
        brainstorming: 'platform-brainstorming',
        approved: 'platform-approved',
        implementation: 'platform-implementation',
        declined: 'platform-declined',
        incident: 'platform-incident',
      },
    },
    triggerLabel: 'platform',
    autoApproveMaxSignificance: 'off',
    upgradeEngineLogins: [],
    kinds: {
      targetOpenProposals: 3,
      historyWindow: 20,
      proposalSources: [],
      closedLookbackDays: 30,
      adoptBranchPrefix: '',
    },
    repositories: [{ name: 'library', url: fixture.forge.gitUrl('acme', 'library'), defaultBranch: 'main' }],
    taskConfig: { ...aTaskConfig, repositories: [{ name: 'library', base: 'main' }] },
    ...change,
  }
}

/** Of a repository of GitLab's dialect, `acme/tools/library`. */
export function ofGitlab(project: ProjectSettings): ProjectSettings {
  const { webURL } = project.scm
  return {
    ...project,
    scm: { ...project.scm, provider: 'forge_b', owner: 'acme/tools', apiURL: `${webURL}/api/v4` },
    repositories: [{ name: 'library', url: `${webURL}/acme/tools/library.git`, defaultBranch: 'main' }],
  }
}

export interface EdgeFixtureOptions extends FixtureOptions {
  readonly project?: (project: ProjectSettings) => ProjectSettings
  /** Takes each delivery once, at the moment at which its actor would. */
  readonly hears?: (delivery: Delivery) => void
  readonly rules?: MirrorRules
  /** Stands before the port that the whole edge uses. */
  readonly before?: (port: ForgePort) => ForgePort
}

/** Over git in memory unless the test names the real one: its processes took most of a test's processor time. */
export async function withForgeEdge(
  {
    project: change = (same) => same,
    hears = () => undefined,
    rules = mirrorRules,
    before = (same) => same,
    ...options
  }: EdgeFixtureOptions,
  use: (fixture: EdgeFixture) => Promise<void>,
): Promise<void> {
  const repository = {
    permissions: { maintainer: 'admin', bot: 'admin', reader: 'read' } as const,
    labels: [{ name: 'platform', color: '5319e7' }],
    ...options.repository,
  }
  await withForge({ git: 'memory', ...options, repository }, (forgeFixture) =>
    withSql((sql) => useEdge(forgeFixture, sql, { change, hears, rules, before }, use)),
  )
}

async function useEdge(
  forgeFixture: ForgeFixture,
  sql: Sql,
  {
    change,
    hears,
    rules,
    before,
  }: Required<Pick<EdgeFixtureOptions, 'hears' | 'rules' | 'before'>> & {
    change: (project: ProjectSettings) => ProjectSettings
  },
  use: (fixture: EdgeFixture) => Promise<void>,
): Promise<void> {
  const clock = simulatedClock(Date.now())
  const project = change(aProject(forgeFixture))
  const delivered: Delivery[] = []
  const grants = new Set<string>()
  const seen = new Set<string>()
  const directory: ProjectDirectory & AppliedProjects = {
    project: async (name) => ([project.name, projectId(project)].includes(name) ? project : undefined),
    applied: async (id) => (id === projectId(project) ? { project, holder: fixture.holder } : undefined),
    byUid: async (uid) => (uid === project.uid ? project : undefined),
    projects: async () => [project],
    secret: async () => fixture.secret,
  }
  const statements: string[] = []
  const server = await createServer({
    name: 'edge',
    version: '0',
    logger: createLogger({ name: 'edge', level: 'silent' }),
    clock: systemClock,
    ids: { next: () => 'id' },
    openapi: { title: 't', description: 'd' },
  })
  const here = { url: '' }
  const watched = watchedSql(sql, statements)
  const open = createOpenForge({ directory, fetch, clock, sql })
  const openForge: OpenForge = async (...asked) => before(await open(...asked))
  const threadsOf: TaskThreads = (actor) => fixture.threadsOf(actor)
  const mirror = createMirror({
    sql: watched,
    clock,
    directory,
    openForge,
    threadsOf,
    rules,
    deliver: async (delivery) => {
      if (fixture.failing > 0) {
        fixture.failing -= 1
        throw new RetryableError('the store is away')
      }
      const key = `${delivery.to} ${delivery.key}`
      const applied = !seen.has(key)
      seen.add(key)
      if (applied) {
        delivered.push(delivery)
        hears(delivery)
      }
      return { key: delivery.key, applied, seq: seen.size }
    },
  })
  const edge = createForgeEdge({
    sql: watched,
    clock,
    random: () => 0.5,
    logger: silentLogger,
    directory,
    openForge,
    mirror,
    grantHolds: async (issue) => grants.has(issue),
    threadsOf,
    mergeJudge: {
      judge: (question) => fixture.mergeJudge.judge(question),
      treeOf: (place, sha) => fixture.mergeJudge.treeOf(place, sha),
    },
    ciChangesAllowed: async () => fixture.ciChangesAllowed,
    webhookUrl: () => `${here.url}/operator/webhooks/demo`,
    standings: undefined,
  })
  edge.registerWebhooks(server.app)
  here.url = (await server.listen({ host: '127.0.0.1', port: 0 })).url
  edge.start()
  const fixture: EdgeFixture = {
    ...forgeFixture,
    failing: 0,
    async quiet<Done>(done?: Done): Promise<Awaited<Done>> {
      const made = await (done as Done)
      await forgeFixture.forge.idle()
      await edge.inbox.settled()
      return made
    },
    sql,
    clock,
    edge,
    project,
    directory,
    openForge,
    delivered,
    grants,
    threads: [],
    statements,
    threadsOf: async () => fixture.threads,
    mergeJudge: { judge: async () => ({ kind: 'clean', tree: '', base: '' }), treeOf: async () => undefined },
    ciChangesAllowed: false,
    secret: { token: 'token-of-bot', webhookSecret: HOOK_SECRET },
    holder: projectId(project),
    context: (key, attempt = 1) => ({
      key,
      actor: 'task:default/implement-library-1-aaaaa',
      attempt,
      at: clock.now(),
      signal: new AbortController().signal,
      assertHeld: () => undefined,
    }),
  }
  try {
    await use(fixture)
  } finally {
    await edge.stop()
    await server.close({ graceMs: 100 })
  }
}
