import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from '../../http/operational/logging.ts'
import type { Fetch, Ids } from '../../http/ports.ts'
import type { FailedPush } from '../../machines/turn/schema.ts'
import type { Attestor } from '../attestation/attestor.ts'
import type { Config } from '../boot/config.ts'
import type { AgentPlumbing } from '../boot/plumbing.ts'
import { upstreamsOf } from '../boot/upstreams.ts'
import { isAgentKind } from '../../machines/turn/tools.ts'
import { createBroker } from '../broker/broker.ts'
import { until, type Clock } from '../clock.ts'
import { openWiring, type OnHook, type Wiring } from '../hooks/wiring.ts'
import type { WrapperMetrics } from '../metrics.ts'
import type { ModelMeter } from '../model-proxy/meter.ts'
import type { CreateToolsServer, ToolRunner } from '../tools/port.ts'
import { createToolRunner, type ToolRunnerOptions } from '../tools/tool-runner.ts'
import type { UsageFeedOptions } from '../usage/usage-feed.ts'
import type { Workspace } from '../workspace/outside/workspace.ts'
import { socketsIn, type SocketFolder } from './agent-sockets.ts'
import { openMcpSocket } from './mcp-socket.ts'
import { createModelServer } from './model-server.ts'

interface AgentSideOptions {
  readonly folder: SocketFolder
  /** That folder as the CLI sees it. */
  readonly link: string
  readonly runtime: string
  readonly config: Config
  readonly clock: Clock
  readonly ids: Ids
  readonly fetch: Fetch
  readonly random: () => number
  readonly logger: Logger
  /** Of calls that leave the pod. */
  readonly outwardLogger: Logger
  readonly node: string
  readonly createToolsServer: CreateToolsServer
  readonly meter: ModelMeter
  readonly attestor: Attestor
  readonly metrics: WrapperMetrics
  readonly onModelOutput: () => void
  readonly onHook: OnHook
  readonly onAccountUsage: UsageFeedOptions['onAccountUsage']
  readonly onRefusal: ToolRunnerOptions['onRefusal']
  readonly workspace: () => Workspace | undefined
}

/** All that the CLI reaches of the wrapper. */
export interface AgentSide {
  readonly plumbing: AgentPlumbing
  /** Waits until the CLI's hooks arrive: a prompt before that would be heard of by nobody. */
  connected(limitMs: number): Promise<void>
  close(graceMs: number): Promise<void>
}

export async function openAgentSide(options: AgentSideOptions): Promise<AgentSide> {
  const { profile } = options.config.identity
  if (!isAgentKind(profile))
    options.logger.warn({ profile }, 'the tool profile is unknown: the agent gets only the always-on tools')
  const { folder, link } = options
  const sockets = socketsIn(folder.path)
  const model = await createModelServer({ ...options, model: modelOf(options) })
  await model.app.listen({ path: sockets.model })
  const wiring = await openWiring({ ...options, path: sockets.wiring })
  const runner = runnerOf(options)
  const tools = await openMcpSocket({ path: sockets.tools, serverFor: () => toolsServer(options, runner) })
  return {
    plumbing: {
      sockets: socketsIn(link),
      programs: join(link, 'bin'),
      runtime: options.runtime,
      relayCommand: [options.node, fileURLToPath(new URL('../hooks/relay.mjs', import.meta.url))],
      statuslineCommand: statuslineOf(options),
    },
    connected: (limitMs) => connected(wiring, options.clock, limitMs),
    close: async (graceMs) => {
      await Promise.all([wiring.close(), tools.close(), model.close({ graceMs })])
      folder.remove()
    },
  }
}

const connectPollMs = 20

async function connected(wiring: Wiring, clock: Clock, limitMs: number): Promise<void> {
  if (!(await until(clock, connectPollMs, limitMs, wiring.isConnected)))
    throw new Error(`the CLI did not connect its hooks within ${limitMs} ms`)
}

function modelOf({ config, fetch, meter, attestor, metrics, onModelOutput }: AgentSideOptions) {
  const { oauthToken, apiKey } = config.secrets
  return {
    baseUrl: config.modelBaseUrl,
    credential: oauthToken
      ? ({ kind: 'oauth', value: oauthToken } as const)
      : ({ kind: 'api-key', value: apiKey! } as const),
    fetch,
    meter,
    requestBegan: (body: Uint8Array) => attestor.requestBegan(body),
    onOutput: onModelOutput,
    onFailure: (status: number) => metrics.modelFailed(status),
  }
}

function runnerOf(options: AgentSideOptions): ToolRunner {
  const { config, fetch, clock, random, outwardLogger: logger, workspace } = options
  const broker = createBroker({
    caller: config.identity,
    upstreams: upstreamsOf(config, clock, fetch),
    fetch,
    clock,
    random,
    logger,
    workspaceState: async () => (await workspace()?.state()) ?? 'dirty',
  })
  const push = async (): Promise<readonly FailedPush[]> => (await workspace()?.pushAll())?.failed ?? []
  return createToolRunner({ ...options, broker, push, task: config.identity.task })
}

function toolsServer(
  { config, createToolsServer }: AgentSideOptions,
  runner: ToolRunner,
): ReturnType<CreateToolsServer> {
  const { task, project, profile } = config.identity
  const repositories = config.repositories.map(({ name }) => name)
  return createToolsServer({ task, project, profile, repositories, hasMemory: config.memoryUrl !== '' }, runner)
}

function statuslineOf({ config, node }: AgentSideOptions): readonly string[] {
  const installed = config.statuslinePath
  if (existsSync(installed)) return [installed]
  return [node, fileURLToPath(new URL('../usage/statusline.mjs', import.meta.url))]
}
