/** The route of logs alone. */
import type { PodPort } from '../../edges/ports/pods.ts'
import { withServer } from '../../http/testing/fixture.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { podLogRoute } from '../operators/pod-logs.ts'

export interface PodLogServer {
  get(query: string): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>
}

/** `ordinals`: of the newest pod of each Task, by id. The model key is `the-model-key`. */
export function withPodLogRoute(
  ordinals: Readonly<Record<string, number>>,
  logOf: PodPort['logOf'],
  use: (server: PodLogServer) => Promise<void>,
): Promise<void> {
  const read = async (address: string): Promise<unknown> => {
    const ordinal = ordinals[address.slice('task:'.length)]
    return ordinal === undefined ? undefined : { status: 'active', context: { pod: { ordinal } } }
  }
  const runtime = { read } as unknown as Runtime
  return withServer(
    (app) => podLogRoute(app, { runtime, pods: { logOf }, secrets: ['', 'the-model-key'] }),
    ({ url }) =>
      use({
        get: async (query) => {
          const answer = await fetch(`${url}/operations/logs?${query}`)
          return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
        },
      }),
  )
}
