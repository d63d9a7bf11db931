/** A `Cluster` and a `Database` of CloudNativePG, as far as the stand-in reads them; defaults are the definitions'. */
import type { KubeObject } from '../../edges/kubernetes/api/api.ts'

export const group = 'postgresql.cnpg.io/v1'
export const clusters = { apiVersion: group, plural: 'clusters' }
export const databases = { apiVersion: group, plural: 'databases' }
export const claims = { apiVersion: 'v1', plural: 'persistentvolumeclaims' }
export const pods = { apiVersion: 'v1', plural: 'pods' }
export const secrets = { apiVersion: 'v1', plural: 'secrets' }
export const services = { apiVersion: 'v1', plural: 'services' }

export const clusterLabel = 'cnpg.io/cluster'
export const roleLabel = 'cnpg.io/instanceRole'

interface Storage {
  readonly size: string
  readonly storageClass?: string
  readonly resizeInUseVolumes: boolean
}

export interface Role {
  readonly name: string
  readonly ensure?: string
  readonly login?: boolean
  readonly passwordSecret?: { readonly name: string }
}

export interface ClusterSpec {
  readonly instances: number
  readonly imageName?: string
  readonly imageCatalogRef?: { readonly name: string; readonly major: number }
  readonly bootstrap: {
    readonly initdb: {
      readonly database: string
      readonly owner: string
      readonly secret?: { readonly name: string }
      readonly dataChecksums?: boolean
      readonly postInitApplicationSQL?: readonly string[]
    }
  }
  readonly storage: Storage
  readonly walStorage?: Storage
  readonly postgresql: {
    readonly parameters: Readonly<Record<string, string>>
    readonly extensions?: readonly { readonly name: string }[]
    readonly synchronous?: { readonly method: 'any' | 'first'; readonly number: number }
  }
  readonly inheritedMetadata?: {
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly managed?: {
    readonly roles?: readonly Role[]
    readonly services?: { readonly disabledDefaultServices?: readonly string[] }
  }
  readonly resources?: object
  readonly postgresUID: number
  readonly postgresGID: number
}

export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
  readonly lastTransitionTime?: string
}

export interface ClusterStatus {
  readonly phase?: string
  readonly currentPrimary?: string
  /** `pending`: a failover has not chosen one yet. */
  readonly targetPrimary?: string
  readonly conditions?: readonly Condition[]
}

export interface Cluster {
  readonly kind: string
  readonly metadata: KubeObject['metadata'] & { readonly namespace: string }
  readonly spec: ClusterSpec
  readonly status?: ClusterStatus
}

export interface Extension {
  readonly name: string
  readonly ensure: string
  readonly version?: string
  readonly schema?: string
}

export interface Database {
  readonly metadata: KubeObject['metadata'] & { readonly namespace: string }
  readonly spec: {
    readonly cluster: { readonly name: string }
    readonly name: string
    readonly owner: string
    readonly ensure: string
    readonly databaseReclaimPolicy: string
    readonly extensions?: readonly Extension[]
  }
  readonly status?: { readonly applied?: boolean; readonly observedGeneration?: number }
}

export const asCluster = (object: KubeObject): Cluster => object as unknown as Cluster
export const asDatabase = (object: KubeObject): Database => object as unknown as Database

export const instanceOf = ({ metadata: { name } }: Cluster, number = 1): string => `${name}-${number}`

/** Of its replication slot. */
export const slotOf = (instance: string): string => `_cnpg_${instance.replaceAll('-', '_')}`

export function conditionOf({ status }: Cluster, type: string): Condition | undefined {
  return status?.conditions?.find((one) => one.type === type)
}

export interface Claim {
  readonly metadata: KubeObject['metadata']
  readonly spec: {
    readonly volumeName?: string
    readonly resources: { readonly requests: { readonly storage: string } }
  }
  readonly status?: {
    readonly phase?: string
    readonly capacity?: { readonly storage: string }
    readonly conditions?: readonly { readonly type: string }[]
  }
}

export const asClaim = (object: KubeObject): Claim => object as unknown as Claim
