/**
 * The least that an orchestrator must be allowed, as data: a Role for each watched namespace, one for its Lease, and an
 * optional ClusterRole, where it watches all namespaces. Each verb has a test that fails without it.
 */
import { kinds } from '../../../crd/kinds.ts'

interface PolicyRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

const group = kinds[0]!.apiVersion.split('/')[0]!
const pluralsOf = (kindNames: readonly string[]): readonly string[] =>
  kinds.filter(({ kind }) => kindNames.includes(kind)).map(({ plural }) => plural)
const written = pluralsOf(['Project', 'Repository'])
const derived = pluralsOf(['QueuedEvent', 'Issue', 'MergeRequest', 'Task'])
const platform = { apiGroups: [group] }

/** Of every watched namespace. People's specs are never written; their finalizer and annotations are, by `patch`. */
const watchedRules: readonly PolicyRule[] = [
  { ...platform, resources: written, verbs: ['get', 'list', 'watch', 'patch'] },
  // Server-side apply of what is not there yet wants `create` too.
  { ...platform, resources: derived, verbs: ['get', 'list', 'watch', 'patch', 'create', 'delete'] },
  { ...platform, resources: kinds.map(({ plural }) => `${plural}/status`), verbs: ['patch'] },
  // No list: whoever may list Secrets reads all of them.
  { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create'] },
]

/** Of the namespace of the Lease. */
const leaseRules: readonly PolicyRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
]

const api = 'rbac.authorization.k8s.io'

interface RbacOptions {
  /** Watched; empty: all, which takes a ClusterRole. */
  readonly namespaces: readonly string[]
  readonly leaseNamespace: string
  /** Of the orchestrator, in the namespace of the Lease. */
  readonly serviceAccount: string
}

/** ServiceAccount, roles and bindings as manifests. */
export function rbacManifests({ namespaces, leaseNamespace, serviceAccount }: RbacOptions): readonly object[] {
  const subject = { kind: 'ServiceAccount', name: serviceAccount, namespace: leaseNamespace }
  const account = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: serviceAccount, namespace: leaseNamespace },
  }
  const bound = (
    isCluster: boolean,
    name: string,
    rules: readonly PolicyRule[],
    namespace?: string,
  ): readonly object[] => {
    const sort = isCluster ? 'ClusterRole' : 'Role'
    const metadata = namespace === undefined ? { name } : { name, namespace }
    return [
      { apiVersion: `${api}/v1`, kind: sort, metadata, rules },
      {
        apiVersion: `${api}/v1`,
        kind: `${sort}Binding`,
        metadata,
        roleRef: { apiGroup: api, kind: sort, name },
        subjects: [subject],
      },
    ]
  }
  return [
    account,
    ...bound(false, `${serviceAccount}-lease`, leaseRules, leaseNamespace),
    ...(namespaces.length === 0
      ? bound(true, serviceAccount, watchedRules)
      : namespaces.flatMap((namespace) => bound(false, serviceAccount, watchedRules, namespace))),
  ]
}
