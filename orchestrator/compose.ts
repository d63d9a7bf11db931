/** The orchestrator, wired: the one place that knows every part of it. It opens nothing: `start.ts` does. */
import { randomBytes } from 'node:crypto'
import { Registry } from 'prom-client'
import { renderTurn } from '../edges/agents/bundle/turn-text.ts'
import { registerAlertWebhook } from '../edges/alerts/route.ts'
import { registerAgentApi } from '../edges/agents/api.ts'
import type { AgentApiDeps } from '../edges/agents/deps.ts'
import { proposalsOf } from '../edges/agents/outcome/proposals.ts'
import { requestFold } from '../edges/agents/outcome/request-fold.ts'
import type { PodTokens } from '../edges/agents/pod-tokens.ts'
import { createForgeEdge, type ForgeEdge } from '../edges/forge/forge-edge.ts'
import { gatedThreadReader, threadReader } from '../edges/forge/mirror/threads.ts'
import { createOpenForge } from '../edges/forge/open-forge.ts'
import { grantHoldsIn } from '../edges/forge/outbound/grants.ts'
import { taskThreadsIn } from '../edges/forge/task-threads.ts'
import type { ProjectSettings } from '../edges/forge/projects.ts'
import { bearer, type VerifyToken } from '../http/auth/authenticate.ts'
import type { Logger } from '../http/logging.ts'
import type { Fetch, Ids } from '../http/ports.ts'
import { createServer, type HttpServer } from '../http/server.ts'
import { registerInspector } from '../edges/inspector/register.ts'
import { createTickets } from '../edges/inspector/tickets.ts'
import { localProjectDirectory, type LocalProjectDirectory } from '../edges/forge/project-directory.ts'
import { registerResourceApi } from '../edges/local/resource-api.ts'
import { localResources } from '../edges/local/resources.ts'
import { createMergeJudge } from '../edges/git/merge-judge.ts'
import type { MergeJudge } from '../edges/ports/merge-judge.ts'
import type { PodPort } from '../edges/ports/pods.ts'
import type { SecretPort } from '../edges/ports/resources.ts'
import { scheduleHandlers } from '../edges/schedule/handlers.ts'
import { scheduleSettings } from '../edges/schedule/settings.ts'
import { modelKeyDeliveries } from '../edges/schedule/model-key.ts'
import { usageDeliveries } from '../edges/schedule/usage.ts'
import { createWrapperClient } from '../edges/pods/client.ts'
import { registerTurnComplete, watchPods } from '../edges/pods/inbound.ts'
import { wrapperHandlers } from '../edges/pods/outbound.ts'
import { exposeMetrics } from '../http/expose-metrics.ts'
import { accountUsageMetrics } from '../edges/telemetry/account-usage.ts'
import { platformMetrics } from '../edges/telemetry/platform-metrics.ts'
import { bothObservers } from '../edges/telemetry/both-observers.ts'
import { watchQuarantine } from '../edges/telemetry/quarantine.ts'
import { retentionMetrics } from '../edges/telemetry/retention-metrics.ts'
import { runtimeMetrics } from '../edges/telemetry/runtime-metrics.ts'
import { watchModelKey } from '../edges/telemetry/model-key.ts'
import { watchStoredBacklog } from '../edges/telemetry/stored-backlog.ts'
import type { Tracing } from '../edges/telemetry/tracing.ts'
import type { BudgetSettings } from '../machines/project/events.ts'
import type { OutboxEffect } from '../machines/emit.ts'
import { machines } from '../machines/registry.ts'
import type { Clock } from '../runtime/clock.ts'
import { createRuntime } from '../runtime/create-runtime.ts'
import type { Handlers } from '../runtime/handlers.ts'
import type { RuntimeOptions } from '../runtime/options.ts'
import type { Random } from '../runtime/random.ts'
import { startRetention } from '../runtime/journal/retention.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Sql } from '../runtime/store/sql.ts'
import { storedJournal } from '../edges/journal/stored-journal.ts'
import type { OrchestratorSettings } from './settings.ts'
import { defaultBranches } from './default-branch.ts'
import { addGitGateway, forgeIdsOf, lifeIn, openGitCache, taskRights } from './gateway.ts'
import { registerOperations } from './operations.ts'
import { orchestratorReadiness } from './readiness.ts'
import { alertingOf, waitingAlerts } from './alerting.ts'
import { readWhy } from './why.ts'
import { endProject } from './end-project.ts'
import { closeTask, mintByHand } from './tasks-by-hand.ts'
import { derivedViews, statusOf, tellProject, tellProjects, type ResourceViewsDeps } from './resources.ts'

export interface OrchestratorPorts {
  readonly clock: Clock
  readonly random: Random
  readonly ids: Ids
  readonly fetch: Fetch
  readonly logger: Logger
  readonly version: string
  readonly programDir: string
  /** Names this process among those that share the store. */
  readonly owner: string
}

/** What is opened before anything can be wired: files, sockets, processes and keys, each of them replaceable. */
export interface OrchestratorParts {
  readonly sql: Sql
  readonly secrets: SecretPort
  readonly podTokens: PodTokens
  /** Master of the pods' callback secrets. */
  readonly callbackMaster: string
  /** Print of the key of the model that pods get (MODEL-KEY-7). */
  readonly modelKey: string
  /** Signs the sessions of the inspector. */
  readonly sessionKey: string
  readonly verifyOidc: VerifyToken
  /** Bearer for the wrappers' API. */
  readonly wrapperToken: () => Promise<string>
  /** What else somebody should look at though all is served. */
  readonly degraded?: () => readonly string[]
  /** Tells the other processes on the store that there is something for them. */
  readonly hint?: (owner: string | undefined) => void
  readonly tracing?: Tracing
  /** Judges what merges make of their base; without one the gateway's own copies do. */
  readonly mergeJudge?: MergeJudge
  /** What the runtime takes when it is not told otherwise. */
  readonly pace?: Pick<RuntimeOptions, 'shards' | 'leaseMs' | 'pollMs'>
  pods(wiring: PodWiring): PodPort
}

export interface PodWiring {
  readonly directory: LocalProjectDirectory
  /** Where pods reach us; known once we listen. */
  readonly urls: () => { readonly operator: string; readonly internal: string }
}

/** Everything of the orchestrator but its sockets: the servers answer as soon as somebody listens, or injects. */
export interface ComposedOrchestrator {
  readonly outside: HttpServer
  readonly inside: HttpServer
  readonly runtime: Runtime
  readonly inspectorLink: () => string
  /** The addresses by which both servers are reached from now on. */
  listening(addresses: { readonly operator: string; readonly internal: string }): void
  /** Before `runtime.start()`. */
  prepare(): Promise<void>
  /** After `runtime.start()` and with known addresses: works off what an earlier process left, then what comes. */
  begin(): void
  /** As the git gateway writes a push down. */
  readonly auditPush: ForgeEdge['auditPush']
  publicUrl(): string
  stop(): Promise<void>
}

const wrapperTimeoutMs = 30_000

export async function composeOrchestrator(
  settings: OrchestratorSettings,
  ports: OrchestratorPorts,
  parts: OrchestratorParts,
): Promise<ComposedOrchestrator> {
  const { clock, random, ids, logger, version } = ports
  const { sql, secrets, tracing, podTokens, verifyOidc } = parts
  const fetch = tracing ? tracing.fetch(ports.fetch) : ports.fetch
  const listening = { operator: '', internal: '' }
  const publicUrl = (): string => settings.publicUrl || listening.operator

  const resources = localResources(sql, clock, ids)
  const metrics = new Registry()
  const platform = platformMetrics(metrics, () => runtime)
  const traffic = { fetch, clock, sql, onLimited: platform.scmLimited }
  const defaultBranch = defaultBranches({ ...traffic, resources, secrets, logger })
  const directory = localProjectDirectory({ resources, secrets, defaultBranch, models: settings.models })
  accountUsageMetrics(metrics, () => runtime, clock)
  const openForge = createOpenForge({ ...traffic, directory })
  const cache = openGitCache(settings, clock)

  const pushRefusal: ForgeEdge['pushRefusal'] = (...about) => forge.pushRefusal(...about)
  const webhookUrl = (project: ProjectSettings): string => `${publicUrl()}/operator/webhooks/${project.name}`
  const forge = createForgeEdge({
    sql,
    clock,
    random,
    logger,
    directory,
    openForge,
    deliver: (delivery) => runtime.deliver(delivery),
    grantHolds: (issue) => grantHolds(issue),
    threadsOf: (actor) => taskThreads(actor),
    mergeJudge:
      parts.mergeJudge ?? createMergeJudge({ directory, cache, forgeIdOf: (...about) => forgeIdsOf(forge)(...about) }),
    ciChangesAllowed: (task, repository) => rights.ciChangesAllowed(task, repository),
    webhookUrl,
    forgotten: (place) => cache.forget(place),
    standings: settings.standingComments
      ? { runtime: () => runtime, why: (task) => readWhy({ runtime, clock, pushRefusal }, task) }
      : undefined,
  })
  const threads = threadReader(forge.mirror, directory)
  const gatedThreads = gatedThreadReader(forge.mirror, directory)

  const pods = parts.pods({ directory, urls: () => listening })
  const agents: AgentApiDeps = {
    get runtime() {
      return runtime
    },
    sql,
    clock,
    logger,
    projects: directory,
    threads,
    gatedThreads,
    openForge,
    podTokens,
    verifyOidc,
    pushRefusal,
    lifeOf: (project) => lifeIn(directory, project),
    maxBundleBytes: async (project) => (await directory.spec(project))?.spec.maxBundleBytes ?? 400_000,
  }
  const client = createWrapperClient({ fetch, clock, token: parts.wrapperToken, timeoutMs: wrapperTimeoutMs })
  const budget = async (project: string): Promise<BudgetSettings | undefined> => {
    const found = await directory.spec(project)
    return found && scheduleSettings(found.spec)?.budget
  }
  const readActor: Runtime['read'] = (address) => runtime.read(address)
  const handlers: Handlers<OutboxEffect> = {
    ...forge.handlers,
    requestFold: requestFold(agents),
    ...scheduleHandlers({
      runtime: () => runtime,
      directory,
      openProposals: async (project) => {
        const { issues, isOpenProposal } = await proposalsOf(agents, { config: { project } })
        return issues.filter(isOpenProposal).length
      },
      labelsOf: async (project, repository, number) => (await threads.issue(project, repository, number))?.labels ?? [],
      cronTimeZone: settings.cronTimeZone,
    }),
    ...wrapperHandlers({
      clock,
      logger,
      pods,
      client,
      readActor,
      renderTurn: (turn, ordinal) => renderTurn(agents, turn, ordinal),
      tellOthers: async (turn, result) => {
        const [deps, at] = [{ runtime: () => runtime, directory, budget, modelKey: parts.modelKey }, clock.now()]
        const usage = await usageDeliveries(deps, turn, result, at)
        return [...usage, ...(await modelKeyDeliveries(deps, turn, result, at))]
      },
    }),
  }
  const counting = runtimeMetrics(metrics)
  const runtime = createRuntime({
    sql,
    definitions: machines,
    handlers: tracing ? tracing.handlers(handlers) : handlers,
    clock,
    random,
    logger,
    owner: ports.owner,
    leaseMs: 10_000,
    ...parts.pace,
    ...(parts.hint ? { hint: parts.hint } : {}),
    observer: tracing ? bothObservers(counting, tracing.observer) : counting,
  })
  runtime.subscribe(platform.stepped)
  if (tracing) runtime.subscribe(tracing.stepped)
  const grantHolds = grantHoldsIn(runtime)
  const taskThreads = taskThreadsIn(runtime)
  const rights = taskRights(runtime, forge, grantHolds)

  const operatorAuth = bearer(agents.verifyOidc)
  const quarantine = watchQuarantine({ sql, clock, logger, registry: metrics })
  watchStoredBacklog({ sql, clock, logger, registry: metrics })
  watchModelKey({ runtime, modelKey: parts.modelKey, registry: metrics })
  const isListening = (): boolean => listening.operator !== ''
  const degraded = async (): Promise<readonly string[]> => [
    ...(parts.degraded?.() ?? []),
    ...(await quarantine.lines()),
  ]
  const readiness = orchestratorReadiness({ sql, isListening, degraded })
  const outside = await createServer({
    name: 'orchestrator',
    version,
    logger,
    clock,
    ids,
    readiness,
    openapi: {
      title: 'Statewright orchestrator',
      description: 'Webhooks, the tools’ REST side, git gateway, resources, inspector.',
    },
  })
  const inside = await createServer({
    name: 'orchestrator-internal',
    version,
    logger,
    clock,
    ids,
    openapi: { title: 'Statewright orchestrator, internal', description: 'Callbacks of the pods.' },
  })
  const views: ResourceViewsDeps = {
    runtime,
    directory,
    threads,
    clock,
    resources,
    webhookUrl: (name) => `${publicUrl()}/operator/webhooks/${name}`,
    forgeIdOf: async (project, name) =>
      (await forge.mirror.places(project)).find(({ repository }) => repository === name)?.forgeId,
    memoryUrl: (project) => settings.memory.urls[project],
    modelKey: parts.modelKey,
  }
  exposeMetrics(metrics, outside.metrics)
  forge.registerWebhooks(outside.app)
  registerAlertWebhook(outside.app, {
    alerting: (name) => alertingOf({ directory, secrets }, name),
    deliver: (delivery) => runtime.deliver(delivery),
    waiting: (project) => waitingAlerts(runtime, project),
    mostWaiting: settings.mostWaitingAlerts,
    deferred: platform.alertsDeferred,
    clock,
  })
  await registerAgentApi(outside.app, agents)
  await registerResourceApi(outside.app, {
    resources,
    secrets,
    authenticate: operatorAuth,
    unset: settings.skillsRepoUrl === '' ? ['SKILLS_REPO_URL'] : [],
    onProjectChanged: (namespace, name) => tellProject(views, namespace, name),
    onProjectDeleted: (resource) => endProject(views, resource),
    onTaskApplied: (resource) => mintByHand(views, resource),
    onTaskDeleted: (deletion) => closeTask({ runtime, clock, resources }, deletion),
    derived: derivedViews(views),
    statusOf: (resource) => statusOf(views, resource),
  })
  const tickets = createTickets({ clock, ids, sessionKey: parts.sessionKey })
  const inspectorLink = (): string => `${publicUrl()}/inspector?ticket=${tickets.mint()}`
  const { retention: policy, retentionEveryMs: everyMs } = settings
  const retention = startRetention({
    sql,
    clock,
    logger,
    definitions: machines,
    owner: ports.owner,
    policy,
    everyMs,
    swept: retentionMetrics(metrics),
  })
  const journal = storedJournal({ sql, definitions: machines, randomBytes: () => randomBytes(32) })
  await registerOperations(outside.app, {
    runtime,
    clock,
    pushRefusal,
    journal,
    retention,
    policy,
    authenticate: operatorAuth,
    inspectorLink,
  })
  addGitGateway(outside.app, {
    agents,
    forge,
    directory,
    cache,
    rights,
    clock,
    fetch,
    mostPackBytes: settings.git.mostPackBytes,
    defaultBranch,
  })
  const inspected = {
    runtime,
    definitions: machines,
    clock,
    ids,
    logger,
    authenticate: operatorAuth,
    tickets,
    secure: settings.publicUrl.startsWith('https:'),
  }
  await registerInspector(
    outside.app,
    settings.publicUrl === '' ? inspected : { ...inspected, hosts: [new URL(settings.publicUrl).hostname] },
  )
  registerTurnComplete(inside.app, { runtime, clock, secret: parts.callbackMaster })

  let unwatch = (): void => undefined
  return {
    outside,
    inside,
    runtime,
    inspectorLink,
    publicUrl,
    auditPush: (push) => forge.auditPush(push),
    listening: (addresses) => void Object.assign(listening, addresses),
    prepare: () => forge.adopt(),
    begin() {
      forge.start()
      tellProjects(views, ids.next()).catch((error: unknown) =>
        logger.error({ err: error }, 'a Project was not told again'),
      )
      unwatch = watchPods(pods, { runtime, clock })
    },
    stop: () => stopAll([outside, inside]),
  }

  async function stopAll(servers: readonly HttpServer[]): Promise<void> {
    unwatch()
    await Promise.all(servers.map((server) => server.close()))
    await retention.stop()
    await forge.stop()
    await runtime.stop()
  }
}
