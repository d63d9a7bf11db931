import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { taught } from './remediation-hints.ts'
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
import { endOf, observationOf, podState, stuckPod, type PodState } from './pod-state.ts'
import {
  aPodObject,
  disruption,
  failedInitStatus,
  runningStatus,
  terminatedStatus,
  unreadyStatus,
  unschedulableStatus,
  waitingStatus,
} from '../testing/pod-objects.ts'

const id = 'default/implement-a-1/2'
const minute = 60_000
const living: PodState = { is: 'living' }
const ended = (reason: string, detail?: string): PodState => ({
  is: 'ended',
  reason,
  ...(detail === undefined ? {} : { detail }),
})
const waiting = (reason: string, patienceMs: number, detail: string): PodState => ({
  is: 'waiting',
  reason,
  patienceMs,
  detail,
})

const rows: readonly [row: string, status: object, state: PodState][] = [
  ['that nobody has looked at', {}, living],
  ['that is bound', { phase: 'Pending' }, living],
  ['whose containers are made', waitingStatus('ContainerCreating'), living],
  ['whose init containers run', waitingStatus('PodInitializing'), living],
  ['that a gate keeps from the scheduler', unschedulableStatus('SchedulingGated'), living],
  ['that runs and is not ready', unreadyStatus, living],
  ['that is ready and has no address yet', { ...runningStatus, podIP: '' }, living],
  ['that is ready', runningStatus, { is: 'ready', url: 'http://10.1.0.9:8080' }],
  [
    'that is ready with an address of version 6',
    { ...runningStatus, podIP: 'fd00::9' },
    { is: 'ready', url: 'http://[fd00::9]:8080' },
  ],
  ['on a node that is lost', { ...unreadyStatus, ...disruption('DeletionByTaintManager') }, living],
  [
    'that ended as it should',
    terminatedStatus({ reason: 'Completed', exitCode: 0 }, { phase: 'Succeeded' }),
    ended('exit-0', 'exit code 0'),
  ],
  ['that failed', terminatedStatus({ reason: 'Error', message: 'the log' }), ended('Error', 'exit code 1: the log')],
  [
    'that a signal ended, whose log has no error',
    terminatedStatus({ reason: 'Error', exitCode: 143, message: '{"level":30,"msg":"stopping"}' }),
    ended('Error', 'exit code 143'),
  ],
  ['that a signal ended, without a word', terminatedStatus({ exitCode: 137 }), ended('exit-137', 'exit code 137')],
  [
    'that ran out of memory',
    terminatedStatus({ reason: 'OOMKilled', exitCode: 137 }, { reason: 'Evicted' }),
    ended('OOMKilled', 'exit code 137'),
  ],
  [
    'whose program did not start',
    terminatedStatus({ reason: 'StartError', exitCode: 128, message: 'no such file' }),
    ended('StartError', 'exit code 128: no such file'),
  ],
  [
    'of which the kubelet knows nothing more',
    terminatedStatus({ reason: 'ContainerStatusUnknown', exitCode: 137 }),
    ended('ContainerStatusUnknown', 'exit code 137'),
  ],
  [
    'that was evicted',
    terminatedStatus({ reason: 'Error', exitCode: 137 }, { reason: 'Evicted', message: 'low on memory' }),
    ended('Evicted', 'exit code 137: low on memory'),
  ],
  [
    'that was evicted before it began',
    { phase: 'Failed', reason: 'Evicted', message: 'low on disk' },
    ended('Evicted', 'low on disk'),
  ],
  ['that its node refused', { phase: 'Failed', reason: 'OutOfmemory' }, ended('OutOfmemory')],
  [
    'that the collector took from a node that is gone',
    { phase: 'Failed', ...disruption('DeletionByPodGC') },
    ended('DeletionByPodGC', 'the node is lost'),
  ],
  ['whose reason nobody knows', { phase: 'Failed', reason: 'of 2031!' }, ended('Other', 'of 2031!')],
  ['without any reason', { phase: 'Failed' }, ended('Other')],
  [
    'that ended before its image came',
    { ...waitingStatus('ErrImagePull', 'because', 'take-secrets'), phase: 'Failed' },
    ended('ErrImagePull'),
  ],
  [
    'whose init container failed',
    failedInitStatus(),
    ended('Error', 'init container take-secrets: exit code 1: no space'),
  ],
  [
    'whose sidecar lives on',
    terminatedStatus({ exitCode: 0 }, { phase: 'Running' }),
    waiting('exit-0', 10_000, 'exit code 0'),
  ],
  ['that nobody can schedule', unschedulableStatus(), waiting('Unschedulable', 5 * minute, '0/3 nodes are available')],
  ...hopelessWaits.map((reason): [string, object, PodState] => [
    `that waits by ${reason}`,
    waitingStatus(reason),
    waiting(reason, 0, 'container wrapper: because'),
  ]),
  ...mendableWaits.map((reason): [string, object, PodState] => [
    `that waits by ${reason}`,
    waitingStatus(reason),
    waiting(reason, 2 * minute, 'container wrapper: because'),
  ]),
  [
    'whose init container waits',
    waitingStatus('ErrImagePull', 'because', 'take-secrets'),
    waiting('ErrImagePull', 2 * minute, 'container take-secrets: because'),
  ],
]

describe('the state of a pod', () => {
  test.each(rows)('%s', (_row, status, state) => {
    expect(podState(aPodObject(status))).toEqual(state)
  })

  test('is never that of a container beside the wrapper', () => {
    const sidecar = { name: 'database', state: { waiting: { reason: 'ErrImagePull' } } }
    const status = { ...unreadyStatus, containerStatuses: [...unreadyStatus.containerStatuses, sidecar] }
    expect(podState(aPodObject(status))).toEqual(living)
  })

  test('has a reason that is a label of metrics, whatever a cluster writes', () => {
    const constant = /^[A-Za-z][A-Za-z0-9-]{0,40}$/
    const all = [...hopelessWaits, ...mendableWaits, ...containerEnds, ...plainEnds, ...podEnds, ...disruptions]
    for (const reason of [...all, unschedulable, deletedReason, otherReason]) expect(reason).toMatch(constant)
    const text = fc.oneof(fc.string(), fc.constantFrom(...all))
    fc.assert(
      fc.property(text, text, fc.string({ maxLength: 2000 }), fc.integer(), (one, other, message, exitCode) => {
        const state = podState(aPodObject(terminatedStatus({ reason: one, message, exitCode }, { reason: other })))
        expect(state.is === 'ended' && state.reason).toMatch(constant)
        expect(state.is === 'ended' ? (state.detail ?? '').length : 0).toBeLessThanOrEqual(600)
      }),
    )
  })
})

describe('what is observed', () => {
  test('is the address of one that serves, the end of one that ended, and nothing of others', () => {
    const seen = (status: object): unknown => observationOf(id, aPodObject(status))
    expect(seen(runningStatus)).toEqual({ pod: id, state: 'ready', url: 'http://10.1.0.9:8080' })
    expect(seen(terminatedStatus({ reason: 'Error' }))).toEqual({
      pod: id,
      state: 'gone',
      reason: 'Error',
      detail: taught('Error', 'exit code 1'),
    })
    expect([seen(unreadyStatus), seen(waitingStatus('InvalidImageName'))]).toEqual([undefined, undefined])
  })

  test('is, of one that the server has no more, the reason that was seen before', () => {
    const end = (status: object): unknown => endOf(id, aPodObject(status))
    expect(end(waitingStatus('ImagePullBackOff'))).toMatchObject({ state: 'gone', reason: 'ImagePullBackOff' })
    expect(end(terminatedStatus({ reason: 'OOMKilled' }))).toMatchObject({ reason: 'OOMKilled' })
    expect(end(runningStatus)).toEqual({ pod: id, state: 'gone', reason: 'deleted', detail: taught('deleted') })
    expect(endOf(id, undefined)).toEqual({ pod: id, state: 'gone', reason: 'deleted', detail: taught('deleted') })
  })
})

describe('a pod that should be gone', () => {
  const deletionTimestamp = '2026-01-01T00:02:00Z'
  const at = Date.parse(deletionTimestamp)
  const stuck = (status: object, now: number, node?: string): unknown =>
    stuckPod(id, aPodObject(status, { deletionTimestamp }, node), now)

  test('is named a minute after its grace, with its node', () => {
    expect(stuck(unreadyStatus, at + minute - 1)).toBeUndefined()
    expect(stuck(unreadyStatus, at + minute)).toEqual({
      pod: id,
      name: 'default/implement-a-1-2',
      node: 'node-1',
      since: at,
    })
  })

  test('is none that was never deleted, and none whose containers ended', () => {
    expect(stuckPod(id, aPodObject(unreadyStatus), at + minute)).toBeUndefined()
    expect(stuck(terminatedStatus({}), at + minute)).toBeUndefined()
  })
})
