/**
 * The orchestrator, wired: the one place that knows every part of it. It opens nothing: `start.ts` does. The runtime exists
 * first, so that whoever reads actors has it; it starts once there are handlers.
 */
import { Registry } from 'prom-client'
import type { ForgeEdge } from '../../edges/forge/forge-edge.ts'
import { watchPods } from '../../edges/pods/inbound.ts'
import { sweepPods } from '../../edges/pods/sweep.ts'
import { bothObservers } from '../../edges/telemetry/both-observers.ts'
import { platformMetrics } from '../../edges/telemetry/platform-metrics.ts'
import { runtimeMetrics } from '../../edges/telemetry/runtime-metrics.ts'
import { workMetrics } from '../../edges/telemetry/work-metrics.ts'
import type { HttpServer } from '../../http/server.ts'
import { listedMachines } from '../../machines/why/listed.ts'
import { createRuntime } from '../../runtime/create-runtime.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { composeHandlers } from './compose-handlers.ts'
import { composeRoutes } from './compose-routes.ts'
import { composeStores } from './compose-stores.ts'
import { notifyProjects } from '../resources/resources.ts'
import type { OrchestratorSettings } from '../settings/settings.ts'
import type { OrchestratorParts, OrchestratorPorts, Setup } from './setup.ts'

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
  begin(): Promise<void>
  /** As the git gateway writes a push down. */
  readonly auditPush: ForgeEdge['auditPush']
  publicUrl(): string
  stop(): Promise<void>
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
  runtime.subscribe(workMetrics(metrics, runtime))
  if (parts.tracing) runtime.subscribe(parts.tracing.stepped)
  const stores = composeStores(setup)
  const { forge, pods, agents, handlers } = composeHandlers(setup, stores)
  const { outside, inside, views, inspectorLink, retention } = await composeRoutes(setup, stores, {
    forge,
    pods,
    agents,
  })

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
      await parts.place.load()
      await forge.adopt()
      await runtime.start(handlers)
    },
    async begin() {
      await parts.place.begin()
      forge.start()
      notifyProjects(views, ports.ids.next()).catch((error: unknown) =>
        ports.logger.error({ err: error }, 'a Project was not told again'),
      )
      const unwatchPods = watchPods(pods, { runtime, clock: ports.clock })
      const unsweep = sweepPods(pods, { ...ports, runtime })
      unwatch = () => (unwatchPods(), unsweep())
    },
    async stop() {
      unwatch()
      await Promise.all([outside.close(), inside.close()])
      await parts.place.stop()
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
    definitions: listedMachines,
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
