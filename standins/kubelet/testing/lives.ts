/**
 * The lives by which the stand-in is compared with real kubelet code, and how one is recorded: the same pods on the same
 * API server, once on a hollow node of kubemark (judge.sh), once on the stand-in.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { pathOf, type KubeClient, type KubeObject } from '../../../edges/kubernetes/api/api.ts'

export type Status = Readonly<Record<string, unknown>>

export interface Life {
  readonly pod: object
  /** Where it is watched until; then it is deleted and watched until it is gone. */
  readonly reached: (status: Status) => boolean
}

const pods = { apiVersion: 'v1', plural: 'pods' }
const image = 'example.test/program:1'
const limitMs = 60_000
/** Until a kubelet has written what it knows. */
const settleMs = 300

const init = { name: 'take-secrets', image, command: ['true'] }
const main = { name: 'main', image }
const spec = {
  restartPolicy: 'Never',
  terminationGracePeriodSeconds: 10,
  automountServiceAccountToken: false,
  containers: [main],
}
const isRunning = ({ phase }: Status): boolean => phase === 'Running'
const waitsFor =
  (reason: string) =>
  (status: Status): boolean =>
    JSON.stringify(status).includes(`"reason":"${reason}"`)

export const lives: Readonly<Record<string, Life>> = {
  /** Runs, and is deleted gracefully. */
  normal: {
    pod: {
      spec: {
        ...spec,
        initContainers: [{ ...init, volumeMounts: [{ name: 'state', mountPath: '/state', readOnly: true }] }],
        containers: [
          {
            ...main,
            resources: { requests: { cpu: '10m', memory: '16Mi' } },
            volumeMounts: [{ name: 'state', mountPath: '/state' }],
          },
        ],
        volumes: [{ name: 'state', emptyDir: {} }],
      },
    },
    reached: isRunning,
  },
  'never-pulled': {
    pod: { spec: { ...spec, containers: [{ ...main, image: 'example.test/none:1', imagePullPolicy: 'Never' }] } },
    reached: waitsFor('ErrImageNeverPull'),
  },
  /** On a node whose every pull fails. */
  'no-image': {
    pod: { spec: { ...spec, containers: [{ ...main, image: 'example.test/none:1' }] } },
    reached: waitsFor('ImagePullBackOff'),
  },
  /** On a node where no program starts. */
  'failed-start': {
    pod: { spec: { ...spec, containers: [{ ...main, image: 'example.test/missing:1' }] } },
    reached: ({ phase }) => phase === 'Failed',
  },
}

/** Every status that the server showed, without those that are equal to the one before. */
export async function recordLife(
  client: KubeClient,
  where: { readonly namespace: string; readonly name: string; readonly nodeName?: string },
  { pod, reached }: Life,
  beforeDelete: (uid: string) => Promise<void> = () => wait(settleMs),
): Promise<readonly Status[]> {
  const { namespace, name, nodeName } = where
  const statuses: Status[] = []
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(), limitMs)
  const { spec: wanted } = pod as { readonly spec: object }
  const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { ...wanted, ...(nodeName && { nodeName }) } }
  const { metadata } = await client.ask('POST', pathOf(pods, { namespace }), { body })
  let isDeleted = false
  const query = { resourceVersion: '0', fieldSelector: `metadata.name=${name}` }
  for await (const event of client.watch(pathOf(pods, { namespace }), { query, signal: ending.signal })) {
    const { type, object } = event as { readonly type: string; readonly object: KubeObject }
    if (type === 'BOOKMARK' || object.metadata.uid !== metadata.uid) continue
    const status = object.status ?? {}
    if (JSON.stringify(status) !== JSON.stringify(statuses.at(-1))) statuses.push(status)
    if (type === 'DELETED') break
    if (isDeleted || !reached(status)) continue
    isDeleted = true
    await beforeDelete(metadata.uid)
    await client.ask('DELETE', pathOf(pods, { namespace, name }))
  }
  clearTimeout(timer)
  ending.abort()
  return statuses
}

export interface Shape {
  /** What changed from status to status: phase, sandbox, the end in its conditions, containers. */
  readonly steps: readonly string[]
  /** Condition types in the order of the last status. */
  readonly conditions: readonly string[]
  /** `path: type` of each field that any status has. */
  readonly fields: readonly string[]
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
}

interface ContainerStatus {
  readonly name: string
  readonly state: Readonly<Record<string, { readonly reason?: string; readonly exitCode?: number }>>
}

/** A life without its values. */
export function shapeOf(statuses: readonly Status[]): Shape {
  const steps = statuses.filter((one) => one['conditions'] !== undefined && one['startTime'] !== undefined).map(stepOf)
  return {
    steps: steps.filter((step, at) => step !== steps[at - 1]),
    conditions: conditionsOf(statuses.at(-1) ?? {}).map(({ type }) => type),
    fields: [...new Set(statuses.flatMap((status) => fieldsOf(status)))].toSorted(),
  }
}

function conditionsOf(status: Status): readonly Condition[] {
  return (status['conditions'] ?? []) as readonly Condition[]
}

function stepOf(status: Status): string {
  const of = (type: string): Condition | undefined => conditionsOf(status).find((one) => one.type === type)
  const ready = of('Ready')?.reason ?? ''
  const containers = [
    status['initContainerStatuses'] ?? [],
    status['containerStatuses'] ?? [],
  ].flat() as ContainerStatus[]
  return [
    status['phase'],
    `sandbox:${of('PodReadyToStartContainers')?.status}`,
    ...(['PodFailed', 'PodCompleted'].includes(ready) ? [ready] : []),
    ...containers.flatMap(({ name, state }) =>
      Object.entries(state).map(([kind, { reason = '', exitCode = '' }]) => `${name}:${kind}${reason}${exitCode}`),
    ),
  ].join(' ')
}

function fieldsOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => fieldsOf(one, `${path}[]`))
  if (typeof value !== 'object' || value === null) return [`${path}: ${value === null ? 'null' : typeof value}`]
  const entries = Object.entries(value)
  if (entries.length === 0) return [`${path}: {}`]
  return entries.flatMap(([name, one]) => fieldsOf(one, `${path}.${name}`))
}
