/** Objects of pods as a server has them, with the statuses that a kubelet writes. */
import type { KubeObject, ObjectMeta } from '../api/api.ts'

const labels = { 'platform.dev/managed-by': 'platform-operator', 'platform.dev/ordinal': '2' }
const annotations = { 'platform.dev/pod': 'default/implement-a-1/2' }

export function aPodObject(status: object, metadata: Partial<ObjectMeta> = {}, nodeName = 'node-1'): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'default',
      name: 'implement-a-1-2',
      uid: 'uid-of-pod',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels,
      annotations,
      ...metadata,
    },
    spec: { nodeName },
    status: status as Readonly<Record<string, unknown>>,
  }
}

const container = (state: object, name = 'wrapper'): object => ({
  name,
  image: 'x',
  imageID: '',
  restartCount: 0,
  state,
})
const condition = (type: string, status: string, more: object = {}): object => ({ type, status, ...more })

export const runningStatus = {
  phase: 'Running',
  podIP: '10.1.0.9',
  podIPs: [{ ip: '10.1.0.9' }],
  conditions: [condition('PodScheduled', 'True'), condition('Ready', 'True')],
  containerStatuses: [{ ...container({ running: { startedAt: '2026-01-01T00:00:10Z' } }), ready: true, started: true }],
} as const

export const unreadyStatus = { ...runningStatus, conditions: [condition('Ready', 'False')] } as const

export function waitingStatus(reason: string, message = 'because', name = 'wrapper'): object {
  const list = name === 'wrapper' ? 'containerStatuses' : 'initContainerStatuses'
  return {
    phase: 'Pending',
    conditions: [condition('PodScheduled', 'True'), condition('Ready', 'False')],
    [list]: [{ ...container({ waiting: { reason, message } }, name), ready: false }],
  }
}

export function unschedulableStatus(reason = 'Unschedulable'): object {
  const conditions = [condition('PodScheduled', 'False', { reason, message: '0/3 nodes are available' })]
  return { phase: 'Pending', conditions }
}

/** `state.terminated` of the wrapper, and what of the pod differs. */
export function terminatedStatus(terminated: object, more: object = {}): object {
  const containerStatuses = [{ ...container({ terminated: { exitCode: 1, ...terminated } }), ready: false }]
  return { phase: 'Failed', conditions: [condition('Ready', 'False')], containerStatuses, ...more }
}

export function failedInitStatus(): object {
  return {
    phase: 'Failed',
    containerStatuses: [{ ...container({ waiting: { reason: 'PodInitializing' } }), ready: false }],
    initContainerStatuses: [
      container({ terminated: { exitCode: 0, reason: 'Completed' } }, 'seed'),
      container({ terminated: { exitCode: 1, reason: 'Error', message: 'no space' } }, 'take-secrets'),
    ],
  }
}

export function disruption(reason: string): object {
  return { conditions: [condition('DisruptionTarget', 'True', { reason, message: 'the node is lost' })] }
}
