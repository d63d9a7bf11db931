/** What a cluster has to grant, for whoever runs it. */
import type { KubeObject } from '../../edges/kubernetes/api/api.ts'
import { wrapperContainer } from '../../edges/kubernetes/pods/pod-manifest.ts'

/** https://kubernetes.io/docs/concepts/workloads/pods/user-namespaces/ */
export const versionGrant =
  'AGENT_SECLUSION=required needs hostUsers: false and procMount: Unmasked: Kubernetes 1.33 or later, or the feature gates UserNamespacesSupport and ProcMountType on API server and kubelets'
export const nodeGrant =
  'AGENT_SECLUSION=required needs nodes with user namespaces: Linux 6.3 or later, containerd 2.0 or CRI-O 1.25, runc 1.2 or crun 1.9, user.max_user_namespaces above 0'
export const insideGrant =
  'AGENT_SECLUSION=required needs user, mount, pid, ipc, uts and network namespaces inside the pod: no seccomp or AppArmor profile may refuse unshare and mount (kernel.apparmor_restrict_unprivileged_userns=0)'

export function admissionGrant(message: string, namespace: string): string {
  if (/PodSecurity/.test(message))
    return `kubectl label --overwrite namespace ${namespace} pod-security.kubernetes.io/enforce=baseline, or let the pod pass what it names`
  if (/procMount|hostUsers/.test(message)) return versionGrant
  return 'let admission take this pod, or change the settings AGENT_* that it names'
}

interface PodSpec {
  readonly hostUsers?: boolean
  readonly containers?: readonly { readonly name: string; readonly securityContext?: { readonly procMount?: string } }[]
}

/** A server with a feature gate off drops such a field without a word. */
export function isolationLack({ spec }: KubeObject): string | undefined {
  const { hostUsers, containers = [] } = (spec ?? {}) as PodSpec
  const wrapper = containers.find(({ name }) => name === wrapperContainer)
  const lost = [
    ...(hostUsers === false ? [] : ['hostUsers: false']),
    ...(wrapper?.securityContext?.procMount === 'Unmasked' ? [] : ['procMount: Unmasked']),
  ]
  return lost.length === 0 ? undefined : `the API server took the pod and dropped ${lost.join(' and ')}`
}
