/** The wrapper's loopback side for one pod, with its rules and without an agent: what a tool's server has behind it. Test code only. */
import { randomUUID } from 'node:crypto'
import { clientCredentials } from '../../../edges/http/token-source.ts'
import { contractVersion } from '../../../machines/turn/schema.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { fixedToken } from '../../../wrapper/broker/broker.ts'
import { createInternalServer } from '../../../wrapper/internal-server.ts'
import { createWrapperMetrics } from '../../../wrapper/metrics.ts'
import { ModelMeter } from '../../../wrapper/model-proxy/meter.ts'
import { rememberingLogger } from '../../../wrapper/testing/quiet-log.ts'
import type { Memory } from './scene.ts'

export interface Broker {
  /** What the wrapper gives to the tools' server. */
  readonly env: Readonly<Record<string, string>>
  log(): string
  close(): Promise<void>
}

export interface BrokeredPod {
  readonly task: string
  readonly profile: string
  readonly token: string
}

export async function startBroker(pod: BrokeredPod, operatorUrl: string, memory: Memory): Promise<Broker> {
  const { logger, lines } = rememberingLogger()
  const caller = { task: `default/${pod.task}`, project: 'default/demo', profile: pod.profile, pod: 1 }
  const memoryToken = clientCredentials({ ...memory.credential, clock: systemClock, fetch })
  const server = await createInternalServer({
    logger,
    clock: systemClock,
    ids: { next: () => randomUUID() },
    agentKey: 'key',
    gitKey: 'git',
    caller,
    forward: {
      clock: systemClock,
      fetch,
      upstreams: {
        operator: { baseUrl: operatorUrl, token: fixedToken(pod.token), patienceMs: 1000 },
        memory: { baseUrl: memory.url, token: memoryToken, patienceMs: 1000 },
      },
    },
    model: {
      baseUrl: '',
      credential: { kind: 'api-key', value: '' },
      fetch,
      meter: new ModelMeter(),
      onOutput: () => undefined,
      onFailure: () => undefined,
    },
    metrics: createWrapperMetrics({ ...caller, contractVersion }, 'duration'),
    onHook: () => undefined,
    onAccountUsage: () => undefined,
    credential: () => undefined,
    push: async () => ({ pushed: [], failed: [] }),
    workspaceState: async () => 'clean',
  })
  const base = `${(await server.listen({ host: '127.0.0.1', port: 0 })).url}/k/key`
  return {
    env: {
      PLATFORM_TASK: caller.task,
      PLATFORM_PROJECT: caller.project,
      PLATFORM_TOOL_PROFILE: pod.profile,
      PLATFORM_POD: '1',
      PLATFORM_CONTRACT_VERSION: String(contractVersion),
      PLATFORM_OPERATOR_URL: `${base}/internal/call/operator`,
      PLATFORM_MEMORY_URL: `${base}/internal/call/memory`,
      PLATFORM_INTERNAL_URL: base,
    },
    log: () => lines.join(''),
    close: () => server.close({ graceMs: 0 }),
  }
}
