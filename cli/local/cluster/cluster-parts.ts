import type { KubeClient } from '../../../edges/kubernetes/api/api.ts'
import type { Supervisor } from '../processes/supervisor.ts'

/** What a cluster is before the orchestrator may do anything in it. Its namespace is there. */
export interface ClusterParts {
  readonly client: KubeClient
  /** An administrator's. */
  readonly kubeconfig: string
  readonly namespace: string
  /** Of agents' pods. */
  readonly image: string
  readonly servers?: ClusterServers
}

/** Those that chaos may end. */
export interface ClusterServers {
  readonly apiServer: { kill(): void }
  readonly kubelet: Supervisor
}
