import { expect, test } from 'vitest'
import type { KubeObject } from '../../edges/kubernetes/api/api.ts'
import { agentPod, probeNames } from '../../edges/kubernetes/doctor/doctor-objects.ts'
import type { ProbeSeen } from '../../edges/kubernetes/doctor/doctor-run.ts'
import { exitCodeOf, listing, type Check } from './check.ts'
import { probeChecks } from './probe-checks.ts'

const probed = { name: 'probe', namespace: 'team', image: 'registry/wrapper:v1', storageClass: 'shared' }
const names = probeNames(probed.name)
const metadata = (name: string) => ({
  name,
  uid: `uid-${name}`,
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
})
const { spec } = agentPod({ ...probed, security: { runAsNonRoot: false }, lifeSeconds: 60 }) as {
  readonly spec: object
}

const aPod = (name: string, status: object, own: object = {}): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: metadata(name), status: status as KubeObject['status'] & object },
  spec: { ...spec, ...own },
})
const ended = (name: string, message: string, own: object = {}): KubeObject => {
  const terminated = { exitCode: 0, reason: 'Completed', message }
  return aPod(name, { phase: 'Succeeded', containerStatuses: [{ name: 'wrapper', state: { terminated } }] }, own)
}
const waiting = (name: string, reason: string, message: string): KubeObject =>
  aPod(name, { phase: 'Pending', containerStatuses: [{ name: 'wrapper', state: { waiting: { reason, message } } }] })
const walls = (own: object = {}): string =>
  JSON.stringify({ probe: 'walls', ownUsers: true, unwritable: [], kind: 'user', refusals: [], faults: [], ...own })
const network = (open: boolean, denied: boolean): string => JSON.stringify({ probe: 'network', open, denied })
const bound = (phase: string): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: metadata('claim') },
  status: { phase, capacity: { storage: '10Gi' } },
})

const well: ProbeSeen = {
  pods: {
    walls: ended('walls', walls()),
    workspace: ended('workspace', walls()),
    server: aPod('server', { phase: 'Running' }),
    client: ended('client', network(true, false)),
  },
  claim: bound('Bound'),
  ...{ refused: {}, warnings: {}, jobUid: 'uid-job', mayBeMade: true, waitedMs: 9_000, isInterrupted: false },
}

function judge(change: Partial<ProbeSeen>, pods: Partial<ProbeSeen['pods']> = {}): Readonly<Record<string, Check>> {
  const checks = probeChecks(probed, { ...well, ...change, pods: { ...(change.pods ?? well.pods), ...pods } })
  return Object.fromEntries(checks.map((check) => [check.id, check]))
}

const statuses = (checks: Readonly<Record<string, Check>>): string =>
  Object.values(checks)
    .map(({ status }) => status)
    .join(' ')

test('a cluster that grants all is ok, and has no next step', () => {
  const checks = judge({})
  expect(statuses(checks)).toBe('ok ok ok ok')
  expect(Object.values(checks).filter(({ next }) => next !== undefined)).toEqual([])
  expect(exitCodeOf(Object.values(checks))).toBe(0)
})

/** What changes, the check that shows it, its status, what it has seen, and the next step. */
const rows: readonly (readonly [string, Readonly<Record<string, Check>>, string, Check['status'], RegExp, RegExp])[] = [
  [
    'a server that drops hostUsers',
    judge({}, { walls: ended('walls', walls(), { hostUsers: undefined }) }),
    ...(['user-namespaces', 'failed', /dropped hostUsers: false$/, /1\.33/] as const),
  ],
  [
    'a node that ignores it',
    judge({}, { walls: ended('walls', walls({ ownUsers: false })) }),
    ...(['user-namespaces', 'failed', /users of its node/, /containerd 2\.0/] as const),
  ],
  [
    'a runtime without user namespaces',
    judge(
      { warnings: { 'uid-walls': 'FailedCreatePodSandBox: the runtime does not support user namespaces' } },
      { walls: aPod('walls', {}) },
    ),
    ...(['user-namespaces', 'failed', /within 9 s: FailedCreatePodSandBox/, /nodes with user namespaces/] as const),
  ],
  [
    'an image that is not there',
    judge({}, { walls: waiting('walls', 'ImagePullBackOff', 'not found') }),
    ...([
      'user-namespaces',
      'failed',
      /ImagePullBackOff: container wrapper: not found/,
      /can pull registry\/wrapper:v1/,
    ] as const),
  ],
  [
    'an image of an older release',
    judge(
      {},
      {
        walls: aPod('walls', {
          phase: 'Failed',
          containerStatuses: [
            {
              name: 'wrapper',
              state: { terminated: { exitCode: 2, reason: 'Error', message: 'usage: statewright wrapper' } },
            },
          ],
        }),
      },
    ),
    ...(['user-namespaces', 'failed', /usage: statewright/, /has no probe/] as const),
  ],
  [
    'no node',
    judge(
      {},
      {
        walls: aPod('walls', {
          conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }],
        }),
      },
    ),
    ...(['user-namespaces', 'failed', /Unschedulable: 0\/3 nodes/, /add a node/] as const),
  ],
  [
    'a Job whose pod is refused',
    judge(
      { warnings: { 'uid-job': 'FailedCreate: violates PodSecurity "restricted"' } },
      { walls: undefined as never },
    ),
    ...(['user-namespaces', 'failed', /not made: FailedCreate/, /enforce=baseline/] as const),
  ],
  [
    'a kernel that refuses namespaces inside',
    judge({}, { walls: ended('walls', walls({ kind: undefined, refusals: ['user: unshare: EPERM'] })) }),
    ...(['pod-namespaces', 'failed', /refuses namespaces: user: unshare: EPERM/, /seccomp or AppArmor/] as const),
  ],
  [
    'walls that do not hold',
    judge({}, { walls: ended('walls', walls({ faults: ['a command: sees processes outside'] })) }),
    ...(['pod-namespaces', 'failed', /do not hold: a command: sees/, /seccomp or AppArmor/] as const),
  ],
  [
    'folders of somebody else',
    judge({}, { walls: ended('walls', walls({ unwritable: ['/workspace (EACCES)'] })) }),
    ...(['pod-namespaces', 'failed', /may not write \/workspace/, /AGENT_FS_GROUP/] as const),
  ],
  [
    'a class that makes nothing',
    judge({ claim: bound('Pending'), warnings: { 'uid-claim': 'ProvisioningFailed: no such class' } }),
    ...(['workspace', 'failed', /class shared is Pending after 9 s: ProvisioningFailed/, /--storage-class/] as const),
  ],
  [
    'a class that waits for its first consumer, which no node takes',
    judge({
      claim: bound('Pending'),
      warnings: {
        'uid-claim': 'WaitForFirstConsumer: waiting',
        'uid-workspace': 'FailedScheduling: no volume in zone a',
      },
    }),
    ...([
      'workspace',
      'failed',
      /WaitForFirstConsumer: waiting; FailedScheduling: no volume/,
      /--storage-class/,
    ] as const),
  ],
  [
    'a quota that refuses the claim',
    judge({ claim: undefined as never, refused: { [`persistentvolumeclaims/${names.claim}`]: 'exceeded quota' } }),
    ...(['workspace', 'failed', /^exceeded quota$/, /quotas/] as const),
  ],
  [
    'a file system without idmapped mounts',
    judge(
      { warnings: { 'uid-workspace': 'Failed: idmap mounts not supported' } },
      { workspace: aPod('workspace', {}) },
    ),
    ...([
      'workspace',
      'failed',
      /bound, and a pod with users of its own does not start with it/,
      /NFS takes none/,
    ] as const),
  ],
  [
    'a volume of somebody else',
    judge({}, { workspace: ended('workspace', walls({ unwritable: ['/workspace (EACCES)'] })) }),
    ...(['workspace', 'failed', /bound, and the wrapper may not write/, /AGENT_FS_GROUP/] as const),
  ],
  [
    'a claim that is bound where no pod starts',
    judge({}, { walls: aPod('walls', {}), workspace: aPod('workspace', {}) }),
    ...(['workspace', 'unproven', /is bound; its pod did not run/, /see user-namespaces/] as const),
  ],
  [
    'a network that enforces nothing',
    judge({}, { client: ended('client', network(true, true)) }),
    ...(['network-policy', 'failed', /^not enforced/, /Calico or Cilium/] as const),
  ],
  [
    'a network in which pods do not meet',
    judge({}, { client: ended('client', network(false, false)) }),
    ...(['network-policy', 'unproven', /^not tried: .* not even/, /another policy/] as const),
  ],
  [
    'a server that never came',
    judge({ pods: {} }),
    ...(['network-policy', 'unproven', /^not tried: there was no pod/, /Job controller/] as const),
  ],
  [
    'a person without the right to make policies',
    judge({ refused: { [`networkpolicies/${names.ingress}`]: 'forbidden' } }),
    ...(['network-policy', 'unproven', /^not tried: forbidden/, /may create NetworkPolicies/] as const),
  ],
]

test.each(rows)('%s', (_name, checks, id, status, seen, next) => {
  expect(checks[id]).toEqual({ id, status, seen: expect.stringMatching(seen), next: expect.stringMatching(next) })
})

test('nothing is proven by an interrupted probe, nor by one that somebody may not make', () => {
  const nothing = { pods: {}, claim: undefined as never }
  expect(statuses(judge({ ...nothing, isInterrupted: true }))).toBe('unproven unproven unproven unproven')
  const refused = judge({ ...nothing, refused: { 'jobs/probe': 'cannot create jobs' } })
  expect(statuses(refused)).toBe('unproven unproven unproven unproven')
  expect(refused['user-namespaces']).toMatchObject({
    seen: 'cannot create jobs',
    next: expect.stringContaining('may create Jobs'),
  })
})

test('a list has a line for each check, and the next step below it', () => {
  const checks: readonly Check[] = [
    { id: 'a', status: 'ok', seen: 'well' },
    { id: 'long', status: 'failed', seen: 'wrong', next: 'mend it' },
  ]
  expect(listing(checks)).toEqual([
    'ok        a     well',
    'failed    long  wrong',
    '                next: mend it',
    '1 ok, 1 failed, 0 unproven',
  ])
  expect(exitCodeOf(checks)).toBe(1)
})
