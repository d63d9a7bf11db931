/**
 * The orchestrator, wired: the one place that knows every part of it. It opens nothing: `start.ts` does. The runtime exists
 * first, so that whoever reads actors has it; it starts once there are handlers.
 */
import { Registry } from 'prom-client'
import type { PodTokens } from '../edges/agents/pod-tokens.ts'
import type { ForgeEdge } from '../edges/forge/forge-edge.ts'
import type { Projects } from '../edges/forge/project-directory.ts'
import type { MergeJudge } from '../edges/ports/merge-judge.ts'
import type { PodPort } from '../edges/ports/pods.ts'
import type { SecretPort } from '../edges/ports/resources.ts'
import { watchPods } from '../edges/pods/inbound.ts'
import { bothObservers } from '../edges/telemetry/both-observers.ts'
import { platformMetrics, type PlatformMetrics } from '../edges/telemetry/platform-metrics.ts'
import { runtimeMetrics } from '../edges/telemetry/runtime-metrics.ts'
import type { Tracing } from '../edges/telemetry/tracing.ts'
import type { VerifyToken } from '../http/auth/authenticate.ts'
import type { Logger } from '../http/logging.ts'
import type { Fetch, Ids } from '../http/ports.ts'
import type { HttpServer } from '../http/server.ts'
import { machines } from '../machines/registry.ts'
import type { Clock } from '../runtime/clock.ts'
import { createRuntime } from '../runtime/create-runtime.ts'
import type { RuntimeOptions } from '../runtime/options.ts'
import type { Random } from '../runtime/random.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Sql } from '../runtime/store/sql.ts'
import { composeHandlers } from './compose-handlers.ts'
import { composeRoutes } from './compose-routes.ts'
import { composeStores } from './compose-stores.ts'
import { tellProjects } from './resources.ts'
import type { OrchestratorSettings } from './settings.ts'

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
  readonly directory: Projects
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
  /** Keeps what earlier versions kept by bare names; then the runtime takes shards. */
  start(): Promise<void>
  /** After `start()` and with known addresses: works off what an earlier process left, then what comes. */
  begin(): void
  /** As the git gateway writes a push down. */
  readonly auditPush: ForgeEdge['auditPush']
  publicUrl(): string
  stop(): Promise<void>
}

/** What each part of the composition stands on. */
export interface Setup {
  readonly settings: OrchestratorSettings
  readonly ports: OrchestratorPorts
  readonly parts: OrchestratorParts
  readonly runtime: Runtime
  readonly metrics: Registry
  readonly platform: PlatformMetrics
  /** Traced, where anything is. */
  readonly fetch: Fetch
  /** Of both servers; empty until they listen. */
  readonly addresses: Readonly<Record<'operator' | 'internal', string>>
  readonly publicUrl: () => string
  /** Where the forge of a Project sends its webhooks. */
  readonly webhookUrl: (project: string) => string
}

export async function composeOrchestrator(
  settings: OrchestratorSettings,
  ports: OrchestratorPorts,
  parts: OrchestratorParts,
): Promise<ComposedOrchestrator> {
  const addresses = { operator: '', internal: '' }
  const publicUrl = (): string => settings.publicUrl || addresses.operator
  const metrics = new Registry()
  const runtime = openRuntime(ports, parts, metrics)
  const setup: Setup = {
    settings,
    ports,
    parts,
    runtime,
    metrics,
    platform: platformMetrics(metrics, runtime),
    fetch: parts.tracing ? parts.tracing.fetch(ports.fetch) : ports.fetch,
    addresses,
    publicUrl,
    webhookUrl: (project) => `${publicUrl()}/operator/webhooks/${project}`,
  }
  runtime.subscribe(setup.platform.stepped)
  if (parts.tracing) runtime.subscribe(parts.tracing.stepped)
  const stores = composeStores(setup)
  const { forge, pods, agents, handlers } = composeHandlers(setup, stores)
  const { outside, inside, views, inspectorLink, retention } = await composeRoutes(setup, stores, { forge, agents })

  let unwatch = (): void => undefined
  return {
    outside,
    inside,
    runtime,
    inspectorLink,
    publicUrl,
    auditPush: (push) => forge.auditPush(push),
    listening: (known) => void Object.assign(addresses, known),
    async start() {
      await forge.adopt()
      await runtime.start(handlers)
    },
    begin() {
      forge.start()
      tellProjects(views, ports.ids.next()).catch((error: unknown) =>
        ports.logger.error({ err: error }, 'a Project was not told again'),
      )
      unwatch = watchPods(pods, { runtime, clock: ports.clock })
    },
    async stop() {
      unwatch()
      await Promise.all([outside.close(), inside.close()])
      await retention.stop()
      await forge.stop()
      await runtime.stop()
    },
  }
}

function openRuntime(ports: OrchestratorPorts, parts: OrchestratorParts, metrics: Registry): Runtime {
  const { clock, random, logger, owner } = ports
  const counting = runtimeMetrics(metrics)
  return createRuntime({
    sql: parts.sql,
    definitions: machines,
    clock,
    random,
    logger,
    owner,
    leaseMs: 10_000,
    ...parts.pace,
    ...(parts.hint ? { hint: parts.hint } : {}),
    observer: parts.tracing ? bothObservers(counting, parts.tracing.observer) : counting,
  })
}
