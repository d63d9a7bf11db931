/** Pods of the core API as far as the kubelet reads them (https://kubernetes.io/docs/reference/kubernetes-api/core/pod-v1/). */
import type { KubeObject } from '../../edges/kubernetes/api/api.ts'

export interface KeySelector {
  readonly name: string
  readonly key: string
  readonly optional?: boolean
}

export interface EnvVar {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: {
    readonly fieldRef?: { readonly fieldPath: string }
    readonly secretKeyRef?: KeySelector
    readonly configMapKeyRef?: KeySelector
    readonly resourceFieldRef?: object
  }
}

export interface SourceSelector {
  readonly name: string
  readonly optional?: boolean
}

export interface EnvFrom {
  readonly prefix?: string
  readonly secretRef?: SourceSelector
  readonly configMapRef?: SourceSelector
}

export interface VolumeMount {
  readonly name: string
  readonly mountPath: string
  readonly readOnly?: boolean
  readonly subPath?: string
  readonly subPathExpr?: string
}

/** A number, or the name of a port of the container. */
type Port = number | string

export interface Probe {
  readonly httpGet?: {
    readonly path?: string
    readonly port: Port
    readonly host?: string
    readonly scheme?: string
    readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[]
  }
  readonly tcpSocket?: { readonly port: Port; readonly host?: string }
  readonly exec?: { readonly command: readonly string[] }
  readonly grpc?: object
  readonly initialDelaySeconds?: number
  readonly periodSeconds?: number
  readonly timeoutSeconds?: number
  readonly successThreshold?: number
  readonly failureThreshold?: number
}

interface Security {
  readonly runAsUser?: number
  readonly runAsGroup?: number
  readonly runAsNonRoot?: boolean
}

export interface Container {
  readonly name: string
  readonly image: string
  readonly imagePullPolicy?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly workingDir?: string
  readonly env?: readonly EnvVar[]
  readonly envFrom?: readonly EnvFrom[]
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[]
  readonly resources?: { readonly requests?: object }
  readonly volumeMounts?: readonly VolumeMount[]
  readonly readinessProbe?: Probe
  readonly livenessProbe?: Probe
  readonly startupProbe?: Probe
  readonly lifecycle?: object
  readonly restartPolicy?: string
  readonly terminationMessagePath?: string
  readonly terminationMessagePolicy?: string
  readonly securityContext?: Security & { readonly readOnlyRootFilesystem?: boolean; readonly procMount?: string }
}

export interface KeyToPath {
  readonly key: string
  readonly path: string
  readonly mode?: number
}

interface DownwardItem {
  readonly path: string
  readonly mode?: number
  readonly fieldRef?: { readonly fieldPath: string }
}

export interface Projection {
  readonly secret?: { readonly name: string; readonly items?: readonly KeyToPath[]; readonly optional?: boolean }
  readonly configMap?: { readonly name: string; readonly items?: readonly KeyToPath[]; readonly optional?: boolean }
  readonly downwardAPI?: { readonly items?: readonly DownwardItem[] }
  readonly serviceAccountToken?: {
    readonly path: string
    readonly audience?: string
    readonly expirationSeconds?: number
  }
}

export interface Volume {
  readonly name: string
  readonly emptyDir?: { readonly medium?: string }
  readonly secret?: {
    readonly secretName: string
    readonly items?: readonly KeyToPath[]
    readonly defaultMode?: number
    readonly optional?: boolean
  }
  readonly configMap?: {
    readonly name: string
    readonly items?: readonly KeyToPath[]
    readonly defaultMode?: number
    readonly optional?: boolean
  }
  readonly downwardAPI?: { readonly items?: readonly DownwardItem[]; readonly defaultMode?: number }
  readonly projected?: { readonly sources?: readonly Projection[]; readonly defaultMode?: number }
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly?: boolean }
}

export interface PodSpec {
  readonly nodeName?: string
  readonly restartPolicy?: string
  readonly terminationGracePeriodSeconds?: number
  readonly serviceAccountName?: string
  readonly hostNetwork?: boolean
  readonly hostname?: string
  readonly schedulingGates?: readonly object[]
  readonly securityContext?: Security & { readonly fsGroup?: number }
  readonly initContainers?: readonly Container[]
  readonly containers: readonly Container[]
  readonly volumes?: readonly Volume[]
}

export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly observedGeneration?: number
  readonly lastProbeTime?: string | null
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface Terminated {
  readonly exitCode: number
  readonly reason: string
  readonly message?: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
  readonly containerID?: string
}

/** Times are RFC 3339 with whole seconds, as the API keeps them. */
export type ContainerState =
  | { readonly waiting: { readonly reason: string; readonly message?: string } }
  | { readonly running: { readonly startedAt: string } }
  | { readonly terminated: Terminated }

export type Phase = 'Pending' | 'Running' | 'Succeeded' | 'Failed'

export interface PodStatus {
  readonly phase?: Phase
  readonly reason?: string
  readonly message?: string
  readonly conditions?: readonly Condition[]
  readonly podIP?: string
  readonly startTime?: string
  readonly qosClass?: string
  readonly initContainerStatuses?: readonly ContainerStatus[]
  readonly containerStatuses?: readonly ContainerStatus[]
}

interface ContainerStatus {
  readonly name: string
  readonly ready: boolean
  readonly started?: boolean
  readonly restartCount?: number
  readonly lastState?: { readonly terminated?: Terminated }
}

export interface Pod {
  readonly metadata: KubeObject['metadata'] & { readonly deletionGracePeriodSeconds?: number }
  readonly spec: PodSpec
  readonly status: PodStatus
}

export function isOver({ status }: Pick<Pod, 'status'>): boolean {
  return status.phase === 'Succeeded' || status.phase === 'Failed'
}

/** What this kubelet cannot do and a pod asks for: it refuses such a pod rather than run something else. */
export function unsupported({ spec }: Pick<Pod, 'spec'>): readonly string[] {
  const found: string[] = []
  const init = spec.initContainers ?? []
  if (spec.hostNetwork === true) found.push('hostNetwork')
  for (const { restartPolicy, name } of init) if (restartPolicy !== undefined) found.push(`restartPolicy of ${name}`)
  for (const container of [...init, ...spec.containers]) {
    const { name, lifecycle, readinessProbe, livenessProbe, startupProbe } = container
    if (lifecycle !== undefined) found.push(`lifecycle of ${name}`)
    if ([readinessProbe, livenessProbe, startupProbe].some((probe) => probe?.grpc !== undefined))
      found.push(`a gRPC probe of ${name}`)
    for (const { name: variable, valueFrom } of container.env ?? [])
      if (valueFrom?.resourceFieldRef !== undefined) found.push(`resourceFieldRef of ${variable}`)
  }
  for (const { name, ...source } of spec.volumes ?? [])
    for (const kind of Object.keys(source)) if (!volumeKinds.includes(kind)) found.push(`${kind} of volume ${name}`)
  return found
}

const volumeKinds = ['emptyDir', 'secret', 'configMap', 'downwardAPI', 'projected', 'persistentVolumeClaim']
