/** The orchestrator, wired: the one place that knows every part of it. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { renderTurn } from '../../edges/agents/bundle/turn-text.ts'
import { registerAgentApi } from '../../edges/agents/api.ts'
import type { AgentApiDeps } from '../../edges/agents/deps.ts'
import { requestFold } from '../../edges/agents/outcome/request-fold.ts'
import { podTokens } from '../../edges/agents/pod-tokens.ts'
import { createForgeEdge } from '../../edges/forge/forge-edge.ts'
import { threadReader } from '../../edges/forge/mirror/threads.ts'
import { createOpenForge } from '../../edges/forge/open-forge.ts'
import { grantHoldsIn } from '../../edges/forge/outbound/grants.ts'
import { bareName, type ProjectSettings } from '../../edges/forge/projects.ts'
import { bearer } from '../../edges/http/auth/authenticate.ts'
import { oidcVerifier } from '../../edges/http/auth/oidc.ts'
import type { Logger } from '../../edges/http/logging.ts'
import type { Fetch, Ids } from '../../edges/http/ports.ts'
import { createServer, type HttpServer } from '../../edges/http/server.ts'
import { clientCredentials } from '../../edges/http/token-source.ts'
import { discoverIssuer } from '../../edges/http/auth/discovery.ts'
import { registerInspector } from '../../edges/inspector/register.ts'
import { createTickets } from '../../edges/inspector/tickets.ts'
import { detectIsolation, type Isolation } from '../../edges/local/isolation.ts'
import { LocalPods } from '../../edges/local/pods.ts'
import { localProjectDirectory } from '../../edges/local/project-directory.ts'
import { registerResourceApi } from '../../edges/local/resource-api.ts'
import { localResources } from '../../edges/local/resources.ts'
import { localSecrets } from '../../edges/local/secrets.ts'
import { createWrapperClient } from '../../edges/wrapper/client.ts'
import { registerTurnComplete, watchPods } from '../../edges/wrapper/inbound.ts'
import { wrapperHandlers } from '../../edges/wrapper/outbound.ts'
import { exposeMetrics } from '../../edges/http/expose-metrics.ts'
import { platformMetrics } from '../../edges/telemetry/platform-metrics.ts'
import { bothObservers } from '../../edges/telemetry/both-observers.ts'
import { runtimeMetrics } from '../../edges/telemetry/runtime-metrics.ts'
import { createTracing } from '../../edges/telemetry/tracing.ts'
import { openSpanExporter } from '../../edges/http/tracing/exporter.ts'
import type { OutboxEffect } from '../../machines/emit.ts'
import { machines } from '../../machines/registry.ts'
import type { Clock } from '../../runtime/clock.ts'
import { createRuntime } from '../../runtime/create-runtime.ts'
import { openPgHints } from '../../runtime/store/pg-hints.ts'
import type { Handlers } from '../../runtime/handlers.ts'
import type { Random } from '../../runtime/random.ts'
import { startRetention } from '../../runtime/retention.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { storeDesk } from '../journal/store-desk.ts'
import { podEnvironment } from '../pod-environment.ts'
import type { OrchestratorSettings } from '../settings.ts'
import { defaultBranches } from './default-branch.ts'
import { addGitGateway } from './gateway.ts'
import { loadKeys } from './keys.ts'
import { registerOperations } from './operations.ts'
import { derivedResources, mintByHand, statusOf, tellProject, type ResourceViewsDeps } from './resources.ts'
import { openStore } from './store.ts'

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

export interface Orchestrator {
  readonly url: string
  readonly internalUrl: string
  readonly runtime: Runtime
  readonly isolation: Isolation
  readonly durability: string
  /** A link that signs a browser in, once. */
  readonly inspectorLink: () => string
  stop(): Promise<void>
}

const wrapperTimeoutMs = 30_000

export async function startOrchestrator(
  settings: OrchestratorSettings,
  ports: OrchestratorPorts,
): Promise<Orchestrator> {
  const { clock, random, ids, logger, version, programDir } = ports
  const { otlpEndpoint: endpoint } = settings
  const spans = endpoint === '' ? undefined : await openSpanExporter({ service: 'orchestrator', version, endpoint })
  const tracing = spans && createTracing({ exporter: spans, clock, logger, runtime: () => runtime })
  const fetch = tracing ? tracing.fetch(ports.fetch) : ports.fetch
  const keys = await loadKeys(settings.stateDir)
  const sql = await openStore(settings)
  const listening = { operator: '', internal: '' }
  const publicUrl = (): string => settings.publicUrl || listening.operator

  const resources = localResources(sql, clock, ids)
  const secrets = localSecrets(join(settings.stateDir, 'secrets'))
  const defaultBranch = defaultBranches({ resources, secrets, fetch, clock, logger })
  const directory = localProjectDirectory({ resources, secrets, defaultBranch })
  const metrics = new Registry()
  const platform = platformMetrics(metrics, () => runtime)
  const openForge = createOpenForge({ directory, fetch, clock, onLimited: platform.scmLimited })

  const webhookUrl = (project: ProjectSettings): string => `${publicUrl()}/operator/webhooks/${project.name}`
  const forge = createForgeEdge({
    sql,
    clock,
    logger,
    directory,
    openForge,
    deliver: (delivery) => runtime.deliver(delivery),
    grantHolds: (issue) => grantHolds(issue),
    webhookUrl,
  })
  const threads = threadReader(forge.mirror, directory)

  const tokens = podTokens(keys.signing, clock)
  const { isolation, pods } = localPods()
  const agents: AgentApiDeps = {
    get runtime() {
      return runtime
    },
    clock,
    logger,
    projects: directory,
    threads,
    openForge,
    podTokens: tokens,
    verifyOidc: oidcVerifier({ issuer: settings.oidc.issuer, audience: settings.oidc.audience, clock, fetch }),
    maxBundleBytes: async (project) => (await directory.spec(bareName(project)))?.spec.maxBundleBytes ?? 400_000,
  }
  const { token_endpoint: tokenUrl } = await discoverIssuer(settings.oidc.issuer, clock, fetch)
  const { clientId, clientSecret: secret, wrapperAudience: audience } = settings.oidc
  const wrapperTokens = clientCredentials({
    tokenUrl: tokenUrl ?? `${settings.oidc.issuer}/token`,
    clientId,
    secret,
    audience,
    clock,
    fetch,
  })
  const client = createWrapperClient({ fetch, clock, token: () => wrapperTokens.token(), timeoutMs: wrapperTimeoutMs })
  const readActor: Runtime['read'] = (address) => runtime.read(address)
  const handlers: Handlers<OutboxEffect> = {
    ...forge.handlers,
    requestFold: requestFold(agents),
    ...wrapperHandlers({
      clock,
      logger,
      pods,
      client,
      readActor,
      renderTurn: (turn, ordinal) => renderTurn(agents, turn, ordinal),
    }),
  }
  const counting = runtimeMetrics(metrics)
  const hints =
    settings.databaseUrl === ''
      ? undefined
      : openPgHints({ url: settings.databaseUrl, owner: ports.owner, clock, logger, hear: () => runtime.wake() })
  const runtime = createRuntime({
    sql,
    definitions: machines,
    handlers: tracing ? tracing.handlers(handlers) : handlers,
    clock,
    random,
    logger,
    owner: ports.owner,
    leaseMs: 10_000,
    ...(hints ? { hint: hints.tell } : {}),
    observer: tracing ? bothObservers(counting, tracing.observer) : counting,
  })
  runtime.subscribe(platform.stepped)
  if (tracing) runtime.subscribe(tracing.stepped)
  const grantHolds = grantHoldsIn(runtime)

  const operatorAuth = bearer(agents.verifyOidc)
  const readiness = async (): Promise<{ ready: boolean; reasons: string[] }> => ({
    ready: listening.operator !== '',
    reasons: [],
  })
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
    webhookUrl: (name) => `${publicUrl()}/operator/webhooks/${name}`,
  }
  exposeMetrics(metrics, outside.metrics)
  forge.registerWebhooks(outside.app)
  await registerAgentApi(outside.app, agents)
  await registerResourceApi(outside.app, {
    resources,
    secrets,
    authenticate: operatorAuth,
    onProjectChanged: (namespace, name) => tellProject(views, namespace, name),
    onTaskApplied: (resource) => mintByHand(views, resource),
    derived: (kind, namespace) => derivedResources(views, kind, namespace),
    statusOf: (resource) => statusOf(views, resource),
  })
  const tickets = createTickets({ clock, ids })
  const inspectorLink = (): string => `${publicUrl()}/inspector?ticket=${tickets.mint()}`
  const { retention: policy, retentionEveryMs: everyMs } = settings
  const retention = startRetention({ sql, clock, logger, definitions: machines, owner: ports.owner, policy, everyMs })
  const desk = storeDesk({ sql, definitions: machines, randomBytes: () => randomBytes(32) })
  await registerOperations(outside.app, { runtime, desk, retention, policy, authenticate: operatorAuth, inspectorLink })
  addGitGateway(outside.app, {
    agents,
    forge,
    directory,
    stateDir: settings.stateDir,
    runtime,
    clock,
    fetch,
    grantHolds: (issue) => grantHolds(issue),
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
  registerTurnComplete(inside.app, { runtime, clock, secret: keys.callbackMaster })

  await runtime.start()
  listening.internal = (await inside.listen(settings.internal)).url
  listening.operator = (await outside.listen(settings.http)).url
  forge.start()
  const unwatch = watchPods(pods, { runtime, clock })

  return {
    url: publicUrl(),
    internalUrl: listening.internal,
    runtime,
    isolation,
    durability: sql.durability,
    inspectorLink,
    stop: () => stopAll([outside, inside], unwatch),
  }

  function localPods(): { readonly isolation: Isolation; readonly pods: LocalPods } {
    const { stateDir, coveredDir, userHome } = settings
    const probe = {
      pod: join(stateDir, 'keys'),
      workspace: join(stateDir, 'keys'),
      program: programDir,
      state: coveredDir,
      home: userHome,
    }
    const found = settings.isolation === 'none' ? 'none' : detectIsolation(probe)
    if (settings.isolation === 'required' && found === 'none') {
      throw new Error(
        'this machine does not let us isolate pods (unshare with mount and process namespaces): a real model then needs --unsafe-no-isolation',
      )
    }
    const environment = podEnvironment({
      settings,
      directory,
      tokens,
      callbackMaster: keys.callbackMaster,
      programDir,
      urls: () => listening,
      traceparent: () => tracing?.traceparent(),
    })
    const command = [process.execPath, join(programDir, 'bin', 'statewright.mjs'), 'wrapper']
    return {
      isolation: found,
      pods: new LocalPods({
        stateDir,
        coveredDir,
        programDir,
        userHome,
        isolation: found,
        command,
        environment,
        clock,
        logger,
      }),
    }
  }

  async function stopAll(servers: readonly HttpServer[], stopWatching: () => void): Promise<void> {
    stopWatching()
    await Promise.all(servers.map((server) => server.close()))
    await retention.stop()
    await forge.stop()
    await runtime.stop()
    await hints?.close()
    await tracing?.idle()
    await sql.close()
    await spans?.stop()
  }
}
