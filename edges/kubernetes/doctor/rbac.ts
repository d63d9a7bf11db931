/**
 * The least that an orchestrator must be allowed, as data: a Role for each watched namespace, or one ClusterRole where it
 * watches all of them, and a Role for its Lease. Each verb has a test that fails without it (DEPLOYMENT-11).
 */
import { kinds } from '../../../crd/kinds.ts'
import { leaseName } from '../api/lease.ts'

/** As `rbac.authorization.k8s.io/v1` has it. */
interface PolicyRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
  /** Absent: objects of every name. */
  readonly resourceNames?: readonly string[]
}

const group = kinds[0]!.apiVersion.split('/')[0]!
const pluralsOf = (...kindNames: readonly string[]): readonly string[] =>
  kinds.filter(({ kind }) => kindNames.includes(kind)).map(({ plural }) => plural)
const platform = { apiGroups: [group] }
/** `get`: a write that met a newer version reads it. `list`: of a server that streams no lists. */
const reads = ['get', 'list', 'watch']

/** Of every watched namespace. */
const watchedRules: readonly PolicyRule[] = [
  // The finalizer and the annotations are patched, never the spec.
  { ...platform, resources: pluralsOf('Project'), verbs: [...reads, 'patch'] },
  { ...platform, resources: pluralsOf('Repository'), verbs: reads },
  // The orchestrator makes these objects. Server-side apply of what is not there yet wants `create` too.
  {
    ...platform,
    resources: pluralsOf('Task', 'QueuedEvent', 'Issue', 'MergeRequest'),
    verbs: [...reads, 'patch', 'create', 'delete'],
  },
  { ...platform, resources: kinds.map(({ plural }) => `${plural}/status`), verbs: ['patch'] },
  // No list: whoever may list Secrets reads all of them.
  { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create'] },
]

/** Of every watched namespace, where pods are of the cluster. Neither exec nor statuses of pods. */
const podRules: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['pods'], verbs: [...reads, 'create', 'delete'] },
  // `statewright logs`.
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
  { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get', 'create', 'delete'] },
  // Why a claim is not bound yet.
  { apiGroups: [''], resources: ['events'], verbs: ['list'] },
]

/**
 * Of every watched namespace, where memory stacks are the cluster's. Nothing deletes a claim, a Secret or a Cluster. `create`:
 * server-side apply of what is not there yet wants it too.
 */
const stackRules: readonly PolicyRule[] = [
  {
    apiGroups: ['apps'],
    resources: ['deployments', 'statefulsets'],
    verbs: ['get', 'create', 'patch', 'delete'],
  },
  { apiGroups: [''], resources: ['services'], verbs: ['get', 'create', 'patch', 'delete'] },
  // CloudNativePG: the rule is void where the server has no such kinds.
  { apiGroups: ['postgresql.cnpg.io'], resources: ['clusters', 'databases'], verbs: ['get', 'create', 'patch'] },
  { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get', 'list', 'create', 'patch'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create', 'patch'] },
  // Why a part has no ready pod.
  { apiGroups: [''], resources: ['pods', 'events'], verbs: ['list'] },
]

const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] }

/** Of the namespace of the Lease. */
const leaseRules: readonly PolicyRule[] = [
  // What is not there has no name yet for the server to compare (https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-resources).
  { ...leases, verbs: ['create'] },
  { ...leases, verbs: ['get', 'update'], resourceNames: [leaseName] },
]

/** Of whoever takes finalizers and claims off once no orchestrator runs (`statewright release`). */
const releaseRules: readonly PolicyRule[] = [
  { ...platform, resources: pluralsOf('Project', 'Task'), verbs: ['get', 'list', 'patch'] },
  { ...platform, resources: pluralsOf('Repository', 'QueuedEvent', 'Issue', 'MergeRequest'), verbs: ['list'] },
  { ...platform, resources: pluralsOf('Project', 'Task').map((plural) => `${plural}/status`), verbs: ['patch'] },
]

/** A list by that name alone. */
const releaseLeaseRules: readonly PolicyRule[] = [{ ...leases, verbs: ['list'], resourceNames: [leaseName] }]

/** For the chart, whose templates know no rule by themselves. */
export const chartRules = {
  watched: watchedRules,
  pods: podRules,
  stacks: stackRules,
  lease: leaseRules,
  release: releaseRules,
  releaseLease: releaseLeaseRules,
} as const

const api = 'rbac.authorization.k8s.io'

interface RbacOptions {
  /** Watched; empty: all, which takes a ClusterRole. */
  readonly namespaces: readonly string[]
  readonly leaseNamespace: string
  /** Of the orchestrator, in the namespace of the Lease. */
  readonly serviceAccount: string
  /** LOCAL_PODS: no right to make pods. */
  readonly localPods?: boolean
  /** MEMORY_STACKS: the right to make what a stack is made of. */
  readonly memoryStacks?: boolean
}

/** ServiceAccount, roles and bindings as manifests. Their namespaces must be there. */
export function rbacManifests(options: RbacOptions): readonly object[] {
  const { namespaces, leaseNamespace, serviceAccount, localPods = false, memoryStacks = false } = options
  const rules = [...watchedRules, ...(localPods ? [] : podRules), ...(memoryStacks ? stackRules : [])]
  const metadata = { name: serviceAccount, namespace: leaseNamespace }
  const subject = { kind: 'ServiceAccount', ...metadata }
  const bound = (name: string, allowed: readonly PolicyRule[], namespace?: string): readonly object[] => {
    const kind = namespace === undefined ? 'ClusterRole' : 'Role'
    const named = { name, ...(namespace === undefined ? {} : { namespace }) }
    return [
      { apiVersion: `${api}/v1`, kind, metadata: named, rules: allowed },
      {
        apiVersion: `${api}/v1`,
        kind: `${kind}Binding`,
        metadata: named,
        roleRef: { apiGroup: api, kind, name },
        subjects: [subject],
      },
    ]
  }
  // With the namespace: two orchestrators of one cluster must not take each other's roles.
  const watching = `${leaseNamespace}.${serviceAccount}`
  const watched = namespaces.length === 0 ? [undefined] : [...new Set(namespaces)]
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    ...bound(`${serviceAccount}-lease`, leaseRules, leaseNamespace),
    ...watched.flatMap((namespace) => bound(watching, rules, namespace)),
  ]
}
