/**
 * What an object of a pod means, by the table of its rows (pod-state.test.ts). The node is not read: a pod that does not answer
 * may still run, whatever its node is, and its end is a fact only where a kubelet wrote it or the server has no such pod.
 */
import { lastWords } from '../../../http/last-words.ts'
import type { Gone, PodObservation } from '../../ports/pods.ts'
import type { KubeObject } from '../api/api.ts'
import { wrapperContainer } from './pod-manifest.ts'
import {
  containerEnds,
  deletedReason,
  disruptions,
  hopelessWaits,
  mendableWaits,
  otherReason,
  plainEnds,
  podEnds,
  unschedulable,
} from './pod-reasons.ts'
import { taught } from './remediation-hints.ts'
import { servingPort } from './pod-variables.ts'

/** Why a pod ends. `detail` is for people, and bounded. */
export interface Why {
  readonly reason: string
  readonly detail?: string
}

export type PodState =
  | { readonly is: 'living' }
  | { readonly is: 'ready'; readonly url: string }
  /** Nothing of it runs. */
  | ({ readonly is: 'ended' } & Why)
  /** Somebody has to delete it: at once, or where this lasts so long. */
  | ({ readonly is: 'waiting'; readonly patienceMs: number } & Why)

interface ContainerStatus {
  readonly name: string
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string }
    readonly terminated?: { readonly reason?: string; readonly message?: string; readonly exitCode?: number }
  }
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

interface PodStatus {
  readonly phase?: string
  readonly reason?: string
  readonly message?: string
  readonly podIP?: string
  readonly conditions?: readonly Condition[]
  readonly containerStatuses?: readonly ContainerStatus[]
  readonly initContainerStatuses?: readonly ContainerStatus[]
}

const minute = 60_000
/** A registry or a Secret may be away for a moment. */
const mendingMs = 2 * minute
/** Nodes may be added, and other pods end. */
const sidecarMs = 10_000
const schedulingMs = 5 * minute
const longestDetail = 600

export function podState(pod: KubeObject): PodState {
  const status: PodStatus = pod.status ?? {}
  if (status.phase === 'Succeeded' || status.phase === 'Failed') return { is: 'ended', ...whyEnded(status) }
  const wrapper = status.containerStatuses?.find(({ name }) => name === wrapperContainer)
  // A sidecar lives on, and would for ever. A kubelet shows this for a moment of any pod that ends by itself.
  if (wrapper?.state?.terminated !== undefined) return { is: 'waiting', patienceMs: sidecarMs, ...whyEnded(status) }
  return startTrouble(status, wrapper) ?? scheduleTrouble(status) ?? serving(status)
}

function startTrouble(status: PodStatus, wrapper: ContainerStatus | undefined): PodState | undefined {
  const containers = [...(status.initContainerStatuses ?? []), ...(wrapper === undefined ? [] : [wrapper])]
  for (const { name, state } of containers) {
    const { reason = '', message = '' } = state?.waiting ?? {}
    const why = { reason, ...detailOf(`container ${name}: ${message}`) }
    if (hopelessWaits.includes(reason)) return { is: 'waiting', patienceMs: 0, ...why }
    if (mendableWaits.includes(reason)) return { is: 'waiting', patienceMs: mendingMs, ...why }
  }
  return undefined
}

function scheduleTrouble({ conditions = [] }: PodStatus): PodState | undefined {
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled')
  if (scheduled?.status !== 'False' || scheduled.reason !== unschedulable) return undefined
  return { is: 'waiting', patienceMs: schedulingMs, reason: unschedulable, ...detailOf(scheduled.message) }
}

function serving({ conditions = [], podIP = '' }: PodStatus): PodState {
  const isReady = conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
  if (!isReady || podIP === '') return { is: 'living' }
  return { is: 'ready', url: `http://${podIP.includes(':') ? `[${podIP}]` : podIP}:${servingPort}` }
}

/**
 * A container that was killed for the pod's sake has a plain reason of its own, such as `Error` with code 137: then the pod's
 * reason counts.
 */
function whyEnded(status: PodStatus): Why {
  const { containerStatuses = [], initContainerStatuses = [], conditions = [] } = status
  const wrapper = containerStatuses.find(({ name }) => name === wrapperContainer)?.state?.terminated
  const failedInit = initContainerStatuses.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0)
  const ended = wrapper ?? failedInit?.state?.terminated
  const disruption = conditions.find(({ type, status: is }) => type === 'DisruptionTarget' && is === 'True')
  const given = [ended?.reason, status.reason, disruption?.reason].filter((reason) => (reason ?? '') !== '')
  const reason =
    known(ended?.reason, containerEnds) ??
    known(status.reason, podEnds) ??
    known(disruption?.reason, disruptions) ??
    known(stillWaiting(status), [...hopelessWaits, ...mendableWaits]) ??
    known(ended?.reason, plainEnds) ??
    exitReason(ended?.exitCode)
  const words = [
    ...(reason === otherReason ? given : []),
    ...(wrapper === undefined && failedInit !== undefined ? [`init container ${failedInit.name}`] : []),
    ...(ended?.exitCode === undefined ? [] : [`exit code ${ended.exitCode}`]),
    lastWords(ended?.message ?? ''),
    status.message ?? disruption?.message ?? '',
  ]
  return { reason, ...detailOf(words.filter((text) => text !== '').join(': ')) }
}

/** A kubelet that ends a pod before its first container ran leaves what that one waited for (pkg/kubelet/status, TerminatePod). */
function stillWaiting({ containerStatuses = [], initContainerStatuses = [] }: PodStatus): string | undefined {
  const own = containerStatuses.filter(({ name }) => name === wrapperContainer)
  const reasons = [...initContainerStatuses, ...own].map(({ state }) => state?.waiting?.reason)
  return reasons.find((reason) => known(reason, [...hopelessWaits, ...mendableWaits]) !== undefined)
}

function known(reason: string | undefined, reasons: readonly string[]): string | undefined {
  return reasons.find((one) => one === reason)
}

function exitReason(code: number | undefined): string {
  return code !== undefined && code >= 0 && code <= 255 ? `exit-${code}` : otherReason
}

/** The end of it: a log's last line says most. */
function detailOf(text = ''): { readonly detail?: string } {
  const detail = text.trim().toWellFormed().slice(-longestDetail).toWellFormed()
  return detail === '' ? {} : { detail }
}

/** Of a pod that the server has no more, by what was seen of it last, and by what it waited for before. */
export function endOf(pod: string, last: KubeObject | undefined, wait?: Why): Gone {
  const state: PodState = last === undefined ? { is: 'living' } : podState(last)
  if (state.is === 'ended' || state.is === 'waiting') return gone(pod, state, wait)
  return gone(pod, { reason: deletedReason }, wait)
}

export function observationOf(pod: string, object: KubeObject, wait?: Why): PodObservation | undefined {
  const state = podState(object)
  if (state.is === 'ready') return { pod, state: 'ready', url: state.url }
  return state.is === 'ended' ? gone(pod, state, wait) : undefined
}

/** A kubelet writes the first of these of a container that never ran. */
const vagueReasons: readonly string[] = ['ContainerStatusUnknown', deletedReason, otherReason]

function gone(pod: string, why: Why, wait: Why | undefined): Gone {
  const { reason, detail } = wait !== undefined && vagueReasons.includes(why.reason) ? wait : why
  return { pod, state: 'gone', reason, detail: taught(reason, detail) }
}

/** A kubelet needs some time beyond the grace. */
const endingMs = minute

/** A pod that was deleted, and should be gone by now. */
export interface StuckPod {
  readonly pod: string
  /** Of its object. */
  readonly name: string
  /** Empty: none. */
  readonly node: string
  /** When its grace was over, epoch milliseconds. */
  readonly since: number
}

/** Undefined for one that is not deleted, or has time left. The server sets `deletionTimestamp` to the end of the grace. */
export function stuckPod(pod: string, object: KubeObject, now: number): StuckPod | undefined {
  const { deletionTimestamp, namespace = 'default', name } = object.metadata
  if (deletionTimestamp === undefined || podState(object).is === 'ended') return undefined
  const since = Date.parse(deletionTimestamp)
  if (now < since + endingMs) return undefined
  return { pod, name: `${namespace}/${name}`, node: String(object.spec?.['nodeName'] ?? ''), since }
}
