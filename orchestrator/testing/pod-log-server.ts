/** The route of logs alone, on a server that answers without a port. */
import type { PodPort } from '../../edges/ports/pods.ts'
import { createLogger } from '../../http/logging.ts'
import { createServer } from '../../http/server.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import { podLogRoute } from '../pod-logs.ts'

export interface PodLogServer {
  get(query: string): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>
}

/** `ordinals`: of the newest pod of each Task, by id. The model key is `the-model-key`. */
export async function withPodLogRoute(
  ordinals: Readonly<Record<string, number>>,
  logOf: PodPort['logOf'],
  use: (server: PodLogServer) => Promise<void>,
): Promise<void> {
  const server = await createServer({
    name: 'logs',
    version: '0',
    logger: createLogger({ name: 'logs', level: 'silent' }),
    clock: simulatedClock(1000),
    ids: { next: () => 'an-id' },
    openapi: { title: 't', description: 'd' },
  })
  const read = async (address: string): Promise<unknown> => {
    const ordinal = ordinals[address.slice('task:'.length)]
    return ordinal === undefined ? undefined : { status: 'active', context: { pod: { ordinal } } }
  }
  const runtime = { read } as unknown as Runtime
  podLogRoute(server.app, { runtime, pods: { logOf }, secrets: ['', 'the-model-key'] })
  await server.app.ready()
  try {
    await use({
      get: async (query) => {
        const answer = await server.app.inject({ url: `/operations/logs?${query}` })
        return { status: answer.statusCode, body: answer.json() as Record<string, unknown> }
      },
    })
  } finally {
    await server.close({ graceMs: 100 })
  }
}
