/** What the orchestrator answers on: two servers, and the routes of each edge on them. */
import { randomBytes } from 'node:crypto'
import { registerAgentApi } from '../../edges/agents/api.ts'
import type { AgentApiDeps } from '../../edges/agents/deps.ts'
import { registerAlertWebhook } from '../../edges/alerts/route.ts'
import type { ForgeEdge } from '../../edges/forge/forge-edge.ts'
import { maintainersOf, projectId, type ProjectDirectory } from '../../edges/forge/projects.ts'
import { createAttempts } from '../../edges/inspector/access/attempts.ts'
import type { InspectorDeps } from '../../edges/inspector/deps.ts'
import { boardReader } from '../../edges/inspector/readings/read-board.ts'
import { registerInspector } from '../../edges/inspector/register.ts'
import { createSessions } from '../../edges/inspector/access/sessions.ts'
import { createTickets, type Tickets } from '../../edges/inspector/access/tickets.ts'
import { storedJournal } from '../../edges/journal/stored-journal.ts'
import { registerTurnComplete } from '../../edges/pods/inbound.ts'
import { dropTranscriptsBefore, registerTranscript } from '../../edges/pods/transcripts.ts'
import type { PodPort } from '../../edges/ports/pods.ts'
import { createWrapperClient } from '../../edges/pods/client.ts'
import { hindrances, hindranceTimeoutMs, type HindranceOf } from '../../edges/pods/hindrance.ts'
import type { ResourceHooks } from '../../edges/ports/resources.ts'
import { accountUsageMetrics } from '../../edges/telemetry/account-usage.ts'
import { admissionMetrics } from '../../edges/telemetry/admission-metrics.ts'
import { watchLiveWork } from '../../edges/telemetry/live-work.ts'
import { watchModelKey } from '../../edges/telemetry/model-key.ts'
import { watchQuarantine } from '../../edges/telemetry/quarantine.ts'
import { retentionMetrics } from '../../edges/telemetry/retention-metrics.ts'
import { watchStoredBacklog } from '../../edges/telemetry/stored-backlog.ts'
import { bearer } from '../../http/auth/authenticate.ts'
import { exposeMetrics } from '../../http/operational/expose-metrics.ts'
import { createServer, type HttpServer } from '../../http/server.ts'
import { machines } from '../../machines/registry.ts'
import { scriptedModelKey } from '../../machines/why/cost.ts'
import { startRetention, type Retention } from '../../runtime/journal/retention.ts'
import { alertReads, alertingOf } from '../resources/alerting.ts'
import type { Setup } from './setup.ts'
import type { Stores } from './compose-stores.ts'
import { endProject } from '../resources/end-project.ts'
import { addGitGateway } from '../pods/gateway.ts'
import { readLastTurn } from '../operators/last-turn.ts'
import { shownWhys } from '../operators/why.ts'
import { registerOperations, type OperationsDeps } from '../operators/operations.ts'
import { orchestratorReadiness } from './readiness.ts'
import type { ResourceViewsDeps } from '../resources/resource-deps.ts'
import { protectedResourceRoute } from './protected-resource.ts'
import { routeAccess, type RouteAccess } from './route-access.ts'
import { routeRules } from './route-roles.ts'
import { derivedViews, statusOf, notifyProject } from '../resources/resources.ts'
import { closeTask, mintByHand } from '../resources/tasks-by-hand.ts'

interface Served {
  readonly outside: HttpServer
  readonly inside: HttpServer
  readonly views: ResourceViewsDeps
  /** Signs a browser in, once; without a ticket where people sign in at the identity provider. */
  readonly inspectorLink: () => string
  readonly retention: Retention
}

interface Answering {
  readonly forge: ForgeEdge
  readonly pods: PodPort
  readonly agents: AgentApiDeps
}

export async function composeRoutes(setup: Setup, stores: Stores, acting: Answering): Promise<Served> {
  const { settings, parts, platform, fetch } = setup
  const { core, cache, rights, defaultBranch, pushRefusal } = stores
  const { forge, agents } = acting
  const access = routeAccess({
    roles: settings.roles,
    table: parts.routeRules ?? routeRules,
    named: { resources: parts.place.resources, runtime: core.runtime },
  })
  const { outside, inside } = await openServers(setup, access.onRoute)
  const views = viewsOf(setup, stores)
  const forPeople = forPeopleOf(setup, stores)
  forge.registerWebhooks(outside.app)
  registerAlertWebhook(outside.app, {
    ...core,
    alerting: (name) => alertingOf({ directory: core.directory, secrets: parts.place.secrets }, name),
    ...alertReads({ ...core, ...stores }),
    mostWaiting: settings.mostWaitingAlerts,
    deferred: platform.alertsDeferred,
  })
  await registerAgentApi(outside.app, agents)
  await parts.place.attach(outside.app, {
    runtime: core.runtime,
    hooks: hooksOf(views),
    derived: derivedViews(views),
    statusOf: (resource) => statusOf(views, resource),
  })
  const retention = retentionOf(setup, core)
  const tickets = createTickets(core)
  const links = linksOf(setup, tickets)
  await registerOperations(outside.app, {
    ...forPeople,
    ...logsOf(setup, acting),
    pushRefusal,
    journal: storedJournal({ ...core, definitions: machines, randomBytes: () => randomBytes(32) }),
    retention,
    policy: settings.retention,
    inspectorLink: links.minted,
  })
  addGitGateway(outside.app, {
    ...core,
    agents,
    forge,
    cache,
    rights,
    fetch,
    mostPackBytes: settings.git.mostPackBytes,
    defaultBranch,
  })
  await registerInspector(outside.app, {
    ...forPeople,
    definitions: machines,
    allowFeed: access.allowFeed,
    tickets,
    ...signInOf(setup),
    secure: settings.publicUrl.startsWith('https:'),
    ...(settings.publicUrl === '' ? {} : { hosts: [new URL(settings.publicUrl).hostname] }),
  })
  const signed = { ...core, secret: parts.callbackMaster, secrets: podSecrets(settings) }
  registerTurnComplete(inside.app, signed)
  registerTranscript(inside.app, signed)
  return { outside, inside, views, inspectorLink: links.printed, retention }
}

function forPeopleOf(
  setup: Setup,
  stores: Stores,
): Stores['core'] &
  Pick<InspectorDeps, 'authenticate' | 'lastTurnOf' | 'whyOf' | 'board'> & { readonly hindranceOf: HindranceOf } {
  const { core } = stores
  const isScripted = setup.settings.modelKey.startsWith(scriptedModelKey)
  return {
    ...core,
    authenticate: bearer(setup.parts.verifyOidc),
    hindranceOf: hindrancesOf(setup, stores),
    lastTurnOf: ({ context }) => readLastTurn(core.runtime, context),
    whyOf: shownWhys({ ...core, isScripted }),
    board: boardReader({ ...core, maintainers: () => maintainersIn(core.directory), isScripted }),
  }
}

async function maintainersIn(
  directory: Pick<ProjectDirectory, 'projects'>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const projects = await directory.projects()
  return new Map(
    projects.flatMap((project) =>
      project.repositories.map((one) => [`${projectId(project)} ${one.name}`, maintainersOf(project, one)] as const),
    ),
  )
}

function retentionOf({ settings, ports, metrics }: Setup, core: Stores['core']): Retention {
  return startRetention({
    ...{ ...core, ...ports },
    definitions: machines,
    policy: settings.retention,
    everyMs: settings.retentionEveryMs,
    swept: retentionMetrics(metrics),
    dropBefore: (before) => dropTranscriptsBefore(core.sql, before),
  })
}

function hindrancesOf({ parts, fetch }: Setup, { core: { runtime, clock } }: Stores): HindranceOf {
  const client = createWrapperClient({ fetch, clock, token: parts.wrapperToken, timeoutMs: hindranceTimeoutMs })
  return hindrances({ runtime, clock, client })
}

/** `secrets`: what pods are given in plain words; their tokens are known by their look. */
function logsOf({ settings }: Setup, { pods }: Answering): Pick<OperationsDeps, 'pods' | 'secrets'> {
  return { pods, secrets: podSecrets(settings) }
}

function podSecrets({ modelKey, oauthToken }: Setup['settings']): readonly string[] {
  return [modelKey, oauthToken]
}

interface Links {
  readonly minted: (askedBy: string) => string
  readonly printed: () => string
}

/** A ticket in a log is a key for whoever reads logs: who wants a link asks for it. */
function linksOf({ publicUrl }: Setup, tickets: Tickets): Links {
  const printed = (): string => `${publicUrl()}/inspector`
  return { printed, minted: (askedBy) => `${printed()}?ticket=${tickets.mint(askedBy)}` }
}

/** Who has a link of one machine has the machine. A person may lose a role, and a browser renews its session by itself. */
const sessionMs = { byLink: 12 * 3_600_000, bySignIn: 3_600_000 }

function signInOf({ parts, ports, publicUrl, settings }: Setup): Pick<InspectorDeps, 'sessions' | 'signIn'> {
  const { codeFlow: flow, sessionKey: key } = parts
  if (flow === undefined) return { sessions: createSessions({ ...ports, key, lifetimeMs: sessionMs.byLink }) }
  return {
    sessions: createSessions({ ...ports, key, lifetimeMs: sessionMs.bySignIn }),
    signIn: {
      flow,
      attempts: createAttempts({ ...ports, key }),
      publicUrl,
      loginClaim: settings.inspector.loginClaim,
    },
  }
}

/** The metrics of the whole process are the outer server's. */
async function openServers(
  { settings, ports, parts, runtime, metrics, addresses, publicUrl }: Setup,
  onRoute: RouteAccess['onRoute'],
): Promise<Pick<Served, 'outside' | 'inside'>> {
  const { clock, ids, logger, version } = ports
  const { sql } = parts
  const watched = { runtime, sql, clock, logger, registry: metrics }
  const quarantine = watchQuarantine(watched)
  watchStoredBacklog(watched)
  watchLiveWork(watched)
  watchModelKey({ ...watched, modelKey: parts.modelKey })
  accountUsageMetrics(metrics, runtime, clock)
  admissionMetrics(metrics, runtime, clock)
  const readiness = orchestratorReadiness({
    sql,
    isListening: () => addresses.operator !== '',
    degraded: async () => [
      ...(parts.degraded?.() ?? []),
      ...parts.place.degraded(),
      ...withoutRoles(settings),
      ...(await quarantine.lines()),
    ],
  })
  if (settings.roles.claim === '') logger.warn(everybodyMayAll)
  const common = { version, logger, clock, ids }
  const outside = await createServer({
    ...common,
    name: 'orchestrator',
    onRoute,
    readiness,
    openapi: {
      title: 'Statewright orchestrator',
      description: 'Webhooks, the tools’ REST side, git gateway, resources, inspector.',
    },
  })
  const inside = await createServer({
    ...common,
    name: 'orchestrator-internal',
    openapi: { title: 'Statewright orchestrator, internal', description: 'Callbacks of the pods.' },
  })
  exposeMetrics(metrics, outside.metrics)
  protectedResourceRoute(outside.app, { publicUrl, oidc: settings.oidc, version })
  return { outside, inside }
}

const everybodyMayAll = 'ROLE_CLAIM is not set, so every token of the audience may do everything'

/** On an address of this machine alone, whoever reaches the orchestrator has the machine. */
function withoutRoles({ roles, publicUrl }: Setup['settings']): readonly string[] {
  return roles.claim === '' && publicUrl !== '' ? [everybodyMayAll] : []
}

function viewsOf(
  { settings, parts, webhookUrl }: Setup,
  { core, resources, threads, mirror, memories }: Stores,
): ResourceViewsDeps {
  return {
    ...core,
    threads,
    resources,
    webhookUrl,
    forgeIdOf: async (project, name) =>
      (await mirror.repositoryKeys(project)).find(({ repository }) => repository === name)?.forgeId,
    memories,
    fillsMemory: settings.memory.fills,
    modelKey: parts.modelKey,
  }
}

function hooksOf(views: ResourceViewsDeps): ResourceHooks {
  return {
    projectChanged: (namespace, name) => notifyProject(views, namespace, name),
    projectDeleted: (resource) => endProject(views, resource),
    taskApplied: (resource) => mintByHand(views, resource),
    taskDeleted: (deletion) => closeTask(views, deletion),
  }
}
