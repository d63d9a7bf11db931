/** The Node of the kubelet: it is registered, and its heartbeats are a Lease and its status. */
import { answered } from '../../edges/kubernetes/api/answers.ts'
import { mergePatch, pathOf } from '../../edges/kubernetes/api/api.ts'
import { persist, type NodeDeps } from './status-writer.ts'

const nodes = { apiVersion: 'v1', plural: 'nodes' }
const leases = { apiVersion: 'coordination.k8s.io/v1', plural: 'leases' }
const leaseSeconds = 40
const capacity = { cpu: '4', memory: '8Gi', 'ephemeral-storage': '50Gi', pods: '110' }

/** In the order and the words of a kubelet. */
const conditions = [
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
] as const

export interface NodeIdentity {
  readonly name: string
  readonly hostIP: string
  /** At which the API server asks it for logs; absent: not yet. */
  readonly port?: number
}

export async function registerNode(deps: NodeDeps, node: NodeIdentity): Promise<void> {
  const { name } = node
  const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' }
  const body = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } }
  await persist(deps, () => unlessThere(deps.client.ask('POST', pathOf(nodes), { body })))
  await beat(deps, node)
}

export async function beat(deps: NodeDeps, { name, hostIP, port }: NodeIdentity): Promise<void> {
  const now = new Date(deps.clock.now()).toISOString()
  const status = {
    capacity,
    allocatable: capacity,
    addresses: [
      { type: 'InternalIP', address: hostIP },
      { type: 'Hostname', address: name },
    ],
    nodeInfo: undefined,
    ...(port === undefined ? {} : { daemonEndpoints: { kubeletEndpoint: { Port: port } } }),
    conditions: conditions.map(([type, state, reason, message]) => ({
      type,
      status: state,
      reason,
      message,
      lastHeartbeatTime: now,
      lastTransitionTime: now,
    })),
  }
  await persist(deps, () =>
    deps.client.ask('PATCH', pathOf(nodes, { name, subresource: 'status' }), { body: { status }, type: mergePatch }),
  )
  const namespace = 'kube-node-lease'
  const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime: now.replace('Z', '000Z') }
  const renewed = await persist(deps, () =>
    deps.client.ask('PATCH', pathOf(leases, { namespace, name }), { body: { spec }, type: mergePatch }),
  )
  if (renewed !== undefined) return
  const body = { apiVersion: leases.apiVersion, kind: 'Lease', metadata: { name, namespace }, spec }
  await persist(deps, () => unlessThere(deps.client.ask('POST', pathOf(leases, { namespace }), { body })))
}

async function unlessThere(made: Promise<unknown>): Promise<unknown> {
  return made.catch((error: unknown) => {
    if (answered(error, 409)) return undefined
    throw error
  })
}
