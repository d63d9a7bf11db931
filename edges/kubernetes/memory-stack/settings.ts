/** What an operator settles for all stacks of a cluster. */
import type { StackPart } from '../../../machines/memory-stack/events.ts'

/** As a container has them. */
interface Resources {
  readonly requests?: Readonly<Record<string, string>>
  readonly limits?: Readonly<Record<string, string>>
}

export type StackWorkload = Exclude<StackPart, 'cluster'>

export interface StackSettings {
  /** Of the memory service. */
  readonly image: string
  /** PostgreSQL with pgvector from Debian, its user 999: where there is no CloudNativePG, such as `pgvector/pgvector:pg17`. */
  readonly postgresImage: string
  /** Neo4j community, such as `neo4j:5.26-community`. */
  readonly neo4jImage: string
  /** LightRAG with its drivers, such as `hkuds/lightrag:v1.4.9.7`. */
  readonly lightragImage: string
  readonly imagePullPolicy?: string
  /** Secrets in the namespace of the Project. */
  readonly imagePullSecrets?: readonly string[]
  /**
   * Where CloudNativePG finds PostgreSQL with pgvector: a catalog whose major version has the extension `pgvector` (CloudNativePG 1.29,
   * Kubernetes 1.35), or an image that has it inside. Unless set: the ClusterImageCatalog `postgresql-minimal-trixie`, 18.
   */
  readonly cloudNativePg?:
    | { readonly kind: 'ClusterImageCatalog' | 'ImageCatalog'; readonly name: string; readonly major: number }
    | { readonly image: string }
  /** False: PostgreSQL is one StatefulSet also where CloudNativePG is installed. */
  readonly usesCloudNativePg?: boolean
  /** Unless set: the cluster’s default. */
  readonly storageClass?: string
  /** Whose tokens the service takes. `tokenTypes`: its OIDC_TOKEN_TYPES. */
  readonly oidc: { readonly issuer: string; readonly audience: string; readonly tokenTypes?: string }
  /** Of the embedded engine. The Secret is in the namespace of the Project. */
  readonly embeddings?: { readonly url: string; readonly model: string; readonly secret?: SecretKey }
  /** LightRAG’s model and embeddings, as variables of its own; a Secret of the Project’s namespace may have further ones. */
  readonly lightrag?: { readonly variables?: Readonly<Record<string, string>>; readonly secretName?: string }
  /** Each part has its own unless set. */
  readonly resources?: Readonly<Partial<Record<StackWorkload, Resources>>>
  /** By which network policies know pods of the memory service; unless set, as the chart’s `networkPolicy.memoryPodLabels`. */
  readonly servicePodLabels?: Readonly<Record<string, string>>
}

export interface SecretKey {
  readonly name: string
  readonly key: string
}

/** What an idle part asks for, and what it may use. Neo4j’s limit has room for its heap, its page cache and itself. */
const usual: Readonly<Record<StackWorkload, Resources>> = {
  service: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '1Gi' } },
  postgres: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '1Gi' } },
  neo4j: { requests: { cpu: '250m', memory: '1Gi' }, limits: { memory: '2Gi' } },
  lightrag: { requests: { cpu: '100m', memory: '512Mi' }, limits: { memory: '1Gi' } },
}

export function resourcesOf({ resources = {} }: StackSettings, part: StackWorkload): Resources {
  return resources[part] ?? usual[part]
}
