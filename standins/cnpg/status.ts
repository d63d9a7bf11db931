/** How a Cluster is said to be, in the operator's words. */
import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '../../edges/kubernetes/api/api.ts'
import type { Clock } from '../../runtime/clock.ts'
import { conditionOf, type Cluster, type Condition } from './cluster.ts'

export const healthy = 'Cluster in healthy state'
export const restarting = 'Primary instance is being restarted in-place'
export const upgrading = 'Upgrading cluster'
export const creating = 'Creating a new replica'
export const waiting = 'Waiting for the instances to become active'
export const failingOver = 'Failing over'

export const ready = { type: 'Ready', status: 'True', reason: 'ClusterIsReady', message: 'Cluster is Ready' } as const
export const notReady = {
  type: 'Ready',
  status: 'False',
  reason: 'ClusterIsNotReady',
  message: 'Cluster Is Not Ready',
} as const
export const bootstrapPending = {
  type: 'Initialized',
  status: 'False',
  reason: 'BootstrapPending',
  message: 'The first primary is not there yet',
} as const
export const bootstrapCompleted = {
  type: 'Initialized',
  status: 'True',
  reason: 'BootstrapCompleted',
  message: 'The first primary was there',
} as const

export function phaseOfWait(cluster: Cluster, pod: KubeObject | undefined): string {
  const phase = cluster.status?.phase ?? ''
  if ([restarting, upgrading].includes(phase)) return phase
  const isFirst = conditionOf(cluster, 'Initialized')?.status !== 'True'
  return isFirst && pod?.status?.['phase'] !== 'Running' ? 'Setting up primary' : waiting
}

export function conditionsOf(cluster: Cluster, own: readonly Condition[], clock: Clock): readonly Condition[] {
  const known = cluster.status?.conditions ?? []
  const next = own.map((one) => {
    const { lastTransitionTime, ...before } = conditionOf(cluster, one.type) ?? { lastTransitionTime: undefined }
    const isOld = lastTransitionTime !== undefined && isDeepStrictEqual(before, one)
    return { ...one, lastTransitionTime: isOld ? lastTransitionTime : new Date(clock.now()).toISOString() }
  })
  return [
    ...known.map((one) => next.find(({ type }) => type === one.type) ?? one),
    ...next.filter((one) => !conditionOf(cluster, one.type)),
  ]
}
