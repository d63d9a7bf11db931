/** A port of this machine that leads to the orchestrator's ready pod, as an ingress of a cluster or `kubectl port-forward` does. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { pathOf, type KubeClient, type KubeObject } from '../../../edges/kubernetes/api/api.ts'
import { podsResource } from '../../../edges/kubernetes/pods/pod-requests.ts'

interface ForwardOptions {
  readonly client: Pick<KubeClient, 'ask'>
  readonly namespace: string
  readonly listen: string
  /** Of this machine, and of the pod. */
  readonly port: number
  readonly podPort: number
}

const selector = 'app.kubernetes.io/component=orchestrator'

/** A connection that finds no ready pod is closed: whoever opened it comes again. */
export async function openForward(options: ForwardOptions): Promise<{ close(): Promise<void> }> {
  const open = new Set<Socket>()
  const hold = (socket: Socket): Socket => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    return socket
  }
  const server = createServer((inbound) => {
    hold(inbound).on('error', () => inbound.destroy())
    void readyAddress(options)
      .catch(() => undefined)
      .then((host) => {
        if (host === undefined || inbound.destroyed) return inbound.destroy()
        const outbound = hold(connect({ host, port: options.podPort }))
        outbound.on('error', () => inbound.destroy())
        inbound.on('close', () => outbound.destroy())
        outbound.on('close', () => inbound.destroy())
        return inbound.pipe(outbound).pipe(inbound)
      })
  })
  server.listen(options.port, options.listen)
  await once(server, 'listening')
  return {
    async close() {
      server.close()
      for (const socket of open) socket.destroy()
      await once(server, 'close')
    },
  }
}

async function readyAddress({ client, namespace }: ForwardOptions): Promise<string | undefined> {
  const pods = await orchestratorPods(client, namespace)
  return pods.find(({ ready }) => ready)?.ip
}

interface OrchestratorPod {
  readonly name: string
  readonly uid: string
  readonly ip: string | undefined
  readonly ready: boolean
}

interface PodStatus {
  readonly podIP?: string
  readonly conditions?: readonly { readonly type: string; readonly status: string }[]
}

/** Those of the Deployment that the chart brings. */
export async function orchestratorPods(
  client: Pick<KubeClient, 'ask'>,
  namespace: string,
): Promise<readonly OrchestratorPod[]> {
  const { items } = (await client.ask('GET', pathOf(podsResource, { namespace }), {
    query: { labelSelector: selector },
  })) as { readonly items: readonly KubeObject[] }
  return items.map(({ metadata: { name, uid = '' }, status }) => {
    const { podIP: ip, conditions = [] } = (status ?? {}) as PodStatus
    return { name, uid, ip, ready: conditions.some(({ type, status: now }) => type === 'Ready' && now === 'True') }
  })
}
