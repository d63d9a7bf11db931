import { describe, expect, test } from 'vitest'
import { unsupported, type Condition, type ContainerState, type Pod } from './pod.ts'
import { phaseOf, statusOf, type PodView, type Tracked } from './pod-status.ts'
import { aContainer, aPod } from './testing/a-pod.ts'

const now = '2026-01-01T00:01:00Z'
const earlier = '2026-01-01T00:00:30Z'
const running: ContainerState = { running: { startedAt: earlier } }
const ended = (exitCode: number): ContainerState => ({
  terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt: earlier, finishedAt: now },
})
const waiting = (reason: string): ContainerState => ({ waiting: { reason } })
const tracked = (state: ContainerState, ready = false): Tracked =>
  'waiting' in state ? { state, ready } : { state, ready, id: 'standin://1' }

const pod: Pod = aPod({
  spec: {
    initContainers: [aContainer('first'), aContainer('second')],
    containers: [aContainer('main'), aContainer('side')],
  },
})

function viewOf(states: Readonly<Record<string, ContainerState>>, own: Partial<PodView> = {}): PodView {
  const containers = Object.fromEntries(Object.entries(states).map(([name, state]) => [name, tracked(state)]))
  return { pod, containers, startedAt: earlier, hostIP: '127.0.0.1', hasSandbox: true, isEnded: false, now, ...own }
}

describe('the phase', () => {
  const initialized = { first: ended(0), second: ended(0) }
  test.each<[string, Record<string, ContainerState>, string]>([
    ['nothing ran', {}, 'Pending'],
    ['an init container runs', { first: running }, 'Pending'],
    ['an init container failed', { first: ended(1) }, 'Failed'],
    ['one of two waits', { ...initialized, main: running, side: waiting('ErrImagePull') }, 'Pending'],
    ['all run', { ...initialized, main: running, side: running }, 'Running'],
    ['the main one ended, a sidecar lives on', { ...initialized, main: ended(0), side: running }, 'Running'],
    ['all ended well', { ...initialized, main: ended(0), side: ended(0) }, 'Succeeded'],
    ['one of them failed', { ...initialized, main: ended(0), side: ended(2) }, 'Failed'],
  ])('%s', (_what, states, phase) => expect(phaseOf(viewOf(states))).toBe(phase))

  test('stays Running while containers are started again, and is final only as the policy has it', () => {
    const phases = (restartPolicy: string, states: Readonly<Record<string, ContainerState>>): readonly string[] =>
      [false, true].map((isEnded) =>
        phaseOf(
          viewOf({ ...initialized, ...states }, { pod: { ...pod, spec: { ...pod.spec, restartPolicy } }, isEnded }),
        ),
      )
    const [well, failed] = [
      { main: ended(0), side: ended(0) },
      { main: ended(0), side: ended(1) },
    ]
    expect(phases('Always', well)).toEqual(['Running', 'Succeeded'])
    expect(phases('Always', failed)).toEqual(['Running', 'Failed'])
    expect(phases('OnFailure', well)).toEqual(['Succeeded', 'Succeeded'])
    expect(phases('OnFailure', failed)).toEqual(['Running', 'Failed'])
    expect(phases('OnFailure', { second: ended(1) })).toEqual(['Pending', 'Failed'])
  })
})

describe('the status', () => {
  const all = { first: ended(0), second: ended(0), main: ended(0), side: ended(2) }
  const conditionOf = (status: Readonly<Record<string, unknown>>, type: string): Condition | undefined =>
    (status['conditions'] as readonly Condition[]).find((one) => one.type === type)

  test('shows an end in its conditions at once, and in its phase only once the sandbox is away', () => {
    const before = statusOf(viewOf(all, { pod: { ...pod, status: { phase: 'Running' } } }))
    expect([before['phase'], conditionOf(before, 'Ready')?.reason]).toEqual(['Running', 'PodFailed'])
    const after = statusOf(viewOf(all, { hasSandbox: false, failed: { reason: 'Evicted', message: 'm' } }))
    expect(after).toMatchObject({ phase: 'Failed', reason: 'Evicted', message: 'm' })
  })

  test('keeps the conditions of others and the times of what stays, in the order of a kubelet', () => {
    const conditions: readonly Condition[] = [
      { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager', lastTransitionTime: earlier },
      { type: 'PodScheduled', status: 'True', lastTransitionTime: earlier },
      { type: 'Ready', status: 'True', lastTransitionTime: earlier },
    ]
    const status = statusOf(viewOf({ first: running }, { pod: { ...pod, status: { conditions } } }))
    expect((status['conditions'] as readonly Condition[]).map(({ type }) => type)).toEqual([
      'DisruptionTarget',
      'PodReadyToStartContainers',
      'Initialized',
      'Ready',
      'ContainersReady',
      'PodScheduled',
    ])
    expect(conditionOf(status, 'PodScheduled')?.lastTransitionTime).toBe(earlier)
    expect(conditionOf(status, 'Ready')).toMatchObject({
      status: 'False',
      lastTransitionTime: now,
      message: 'containers with unready status: [main side]',
    })
    expect(conditionOf(status, 'Initialized')?.message).toBe('containers with incomplete status: [first second]')
  })

  test('of a pod that ended counts what should have run and did not as failed', () => {
    const reasons = (states: Record<string, ContainerState>): unknown => {
      const status = statusOf(viewOf(states, { isEnded: true, hasSandbox: false }))
      const list = [status['initContainerStatuses'], status['containerStatuses']].flat() as { readonly state: object }[]
      return [status['phase'], ...list.map(({ state }) => Object.values(state).map(({ reason }) => reason)[0])]
    }
    const lost = 'ContainerStatusUnknown'
    expect(reasons({})).toEqual(['Failed', ...Array.from({ length: 4 }, () => 'PodInitializing')])
    expect(reasons({ first: ended(0), second: running })).toEqual([
      'Failed',
      'Completed',
      lost,
      'PodInitializing',
      'PodInitializing',
    ])
    expect(reasons({ ...all, side: waiting('ErrImagePull') })).toEqual([
      'Failed',
      'Completed',
      'Completed',
      'Completed',
      lost,
    ])
  })
})

test('names all that a pod asks for and this kubelet has not', () => {
  const odd = aPod({
    spec: {
      containers: [aContainer('main', { livenessProbe: { grpc: {} }, lifecycle: {} })],
      volumes: [{ name: 'host', ...{ hostPath: {} } }],
    },
  })
  expect(unsupported(odd)).toEqual(['lifecycle of main', 'a gRPC probe of main', 'hostPath of volume host'])
  expect(unsupported(pod)).toEqual([])
})
