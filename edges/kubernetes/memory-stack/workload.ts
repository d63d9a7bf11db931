/** One pod of a stack’s part: what every one of them has, and why it is not ready. */
import type { KubeObject } from '../api/api.ts'
import { partLabel } from './names.ts'
import type { StackObjects } from './objects.ts'
import { resourcesOf, type StackSettings, type StackWorkload } from './settings.ts'

interface Container {
  readonly image: string
  readonly port: number
  readonly args?: readonly string[]
  readonly env: Readonly<Record<string, string | { readonly secret: string; readonly key: string }>>
  readonly envFrom?: readonly object[]
  readonly probes: object
  readonly mounts: Readonly<Record<string, string>>
  /** The image writes into its own folders. */
  readonly writesIntoImage?: boolean
}

interface PodShape {
  readonly part: StackWorkload
  readonly labels?: Readonly<Record<string, string>>
  /** One that changes starts the pod again. */
  readonly annotations?: Readonly<Record<string, string>>
  /** Of its user and group. */
  readonly user: number
  readonly graceSeconds?: number
  readonly container: Container
  readonly before?: readonly object[]
  readonly volumes: readonly object[]
}

/** By these a Deployment, a StatefulSet and a Service find the pods. */
function selectorLabels({ names }: StackObjects, part: StackWorkload): Readonly<Record<string, string>> {
  return { ...names.labels, [partLabel]: part }
}

/** It fits a namespace that enforces `restricted`. */
export function podTemplate(objects: StackObjects, settings: StackSettings, shape: PodShape): object {
  const { part, user, container, before = [], volumes, graceSeconds, annotations } = shape
  const { imagePullSecrets = [] } = settings
  const labels = { ...shape.labels, ...selectorLabels(objects, part) }
  return {
    metadata: { labels, ...(annotations === undefined ? {} : { annotations }) },
    spec: {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      ...(graceSeconds === undefined ? {} : { terminationGracePeriodSeconds: graceSeconds }),
      ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
      securityContext: {
        ...{ runAsNonRoot: true, runAsUser: user, runAsGroup: user, fsGroup: user },
        ...{ fsGroupChangePolicy: 'OnRootMismatch', seccompProfile: { type: 'RuntimeDefault' } },
      },
      ...(before.length === 0 ? {} : { initContainers: before }),
      containers: [containerOf(settings, part, container)],
      volumes,
    },
  }
}

function containerOf(settings: StackSettings, part: StackWorkload, container: Container): object {
  const { image, port, args, env, envFrom, probes, mounts, writesIntoImage = false } = container
  return {
    ...{ name: part, image, ...pulling(settings) },
    ...(args === undefined ? {} : { args }),
    env: variables(env),
    ...(envFrom === undefined ? {} : { envFrom }),
    ports: [{ name: 'main', containerPort: port, protocol: 'TCP' }],
    ...probes,
    resources: resourcesOf(settings, part),
    securityContext: containerSecurity(!writesIntoImage),
    volumeMounts: mountsOf(mounts),
  }
}

export function pulling({ imagePullPolicy }: StackSettings): object {
  return imagePullPolicy === undefined ? {} : { imagePullPolicy }
}

export function variables(env: Container['env']): readonly object[] {
  return Object.entries(env).map(([name, value]) => {
    if (typeof value === 'string') return { name, value }
    return { name, valueFrom: { secretKeyRef: { name: value.secret, key: value.key } } }
  })
}

/** Paths by volume. */
export function mountsOf(mounts: Readonly<Record<string, string>>): readonly object[] {
  return Object.entries(mounts).map(([name, mountPath]) => ({ name, mountPath }))
}

export function containerSecurity(readOnlyRootFilesystem: boolean): object {
  return { allowPrivilegeEscalation: false, readOnlyRootFilesystem, capabilities: { drop: ['ALL'] } }
}

export const emptyVolume = (name: string): object => ({ name, emptyDir: {} })
export const claimVolume = (name: string, claimName: string): object => ({ name, persistentVolumeClaim: { claimName } })

/** Never two of them at once: each writes what the other has. */
export async function applyDeployment(
  objects: StackObjects,
  name: string,
  part: StackWorkload,
  template: object,
): Promise<KubeObject> {
  const selector = { matchLabels: selectorLabels(objects, part) }
  const spec = { replicas: 1, strategy: { type: 'Recreate' }, selector, template }
  return (await objects.apply('Deployment', name, { labels: { [partLabel]: part }, spec })).object
}

export async function applySet(
  objects: StackObjects,
  name: string,
  part: StackWorkload,
  template: object,
): Promise<KubeObject> {
  const selector = { matchLabels: selectorLabels(objects, part) }
  // In order, a first pod that cannot start is never replaced by one of a mended template.
  const spec = { replicas: 1, serviceName: name, podManagementPolicy: 'Parallel', selector, template }
  return (await objects.apply('StatefulSet', name, { labels: { [partLabel]: part }, spec })).object
}

export async function applyService(
  objects: StackObjects,
  name: string,
  part: StackWorkload,
  port: number,
): Promise<void> {
  const ports = [{ name: 'main', port, targetPort: 'main', protocol: 'TCP' }]
  const spec = { selector: selectorLabels(objects, part), ports }
  await objects.apply('Service', name, { labels: { [partLabel]: part }, spec })
}

interface WorkloadStatus {
  readonly observedGeneration?: number
  readonly readyReplicas?: number
  readonly updatedReplicas?: number
  readonly conditions?: readonly Condition[]
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

export function serves({ status = {} }: KubeObject): boolean {
  const { readyReplicas = 0 }: WorkloadStatus = status
  return readyReplicas > 0
}

/** A pod of the newest generation is ready. */
function isCurrent(workload: KubeObject): boolean {
  const { observedGeneration = 0, updatedReplicas = 0 }: WorkloadStatus = workload.status ?? {}
  return serves(workload) && observedGeneration >= (workload.metadata.generation ?? 1) && updatedReplicas > 0
}

/** Why there is no such pod yet; empty: there is one. */
export async function workloadWords(objects: StackObjects, workload: KubeObject, part: StackWorkload): Promise<string> {
  if (isCurrent(workload)) return ''
  const pods = await objects.list('Pod', selectorLabels(objects, part))
  for (const pod of pods) {
    const words = await podWords(objects, pod)
    if (words !== '') return words
  }
  const { kind, metadata } = workload
  const { conditions = [] }: WorkloadStatus = workload.status ?? {}
  const failed = conditions.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True')
  const words = failed?.message ?? (pods.length === 0 ? await objects.newsOf(workload) : '')
  return `${kind} ${metadata.namespace}/${metadata.name} has no ready pod${words === '' ? '' : `: ${words}`}`
}

interface ContainerStatus {
  readonly name: string
  readonly restartCount?: number
  readonly state?: { readonly waiting?: Why; readonly terminated?: Why & { readonly exitCode?: number } }
  readonly lastState?: { readonly terminated?: Why & { readonly exitCode?: number } }
}

interface Why {
  readonly reason?: string
  readonly message?: string
}

interface PodStatus {
  readonly conditions?: readonly Condition[]
  readonly containerStatuses?: readonly ContainerStatus[]
  readonly initContainerStatuses?: readonly ContainerStatus[]
}

/** What a kubelet says while nothing is wrong. */
const starting: readonly string[] = ['ContainerCreating', 'PodInitializing']

async function podWords(objects: StackObjects, pod: KubeObject): Promise<string> {
  const { conditions = [], containerStatuses = [], initContainerStatuses = [] }: PodStatus = pod.status ?? {}
  const title = `pod ${pod.metadata.namespace}/${pod.metadata.name}`
  for (const container of [...initContainerStatuses, ...containerStatuses]) {
    const words = containerWords(container)
    if (words !== '') return `${title}: ${words}`
  }
  const unplaced = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False')
  const isReady = conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
  const words = isReady ? '' : (unplaced?.message ?? (await objects.newsOf(pod)))
  return words === '' ? '' : `${title}: ${words}`
}

function containerWords({ name, state = {}, lastState = {}, restartCount = 0 }: ContainerStatus): string {
  const { waiting, terminated } = state
  const isStuck = waiting?.reason !== undefined && !starting.includes(waiting.reason)
  const ended = [terminated, lastState.terminated].find((one) => (one?.exitCode ?? 0) !== 0)
  const why = isStuck ? waiting : ended
  if (why === undefined) return ''
  const before = ended?.reason === undefined || ended === why ? '' : `, last ${ended.reason}`
  const restarts = restartCount === 0 ? '' : `, ${restartCount} restarts`
  return `container ${name}: ${[why.reason, why.message].filter((part) => part !== undefined).join(': ')}${before}${restarts}`
}
