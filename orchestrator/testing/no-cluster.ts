import type { OrchestratorSettings } from '../settings/settings.ts'

/** Of an orchestrator whose pods are processes of this machine. */
export const noCluster: OrchestratorSettings['kubernetes'] = {
  kubeconfig: '',
  namespaces: [],
  leaseNamespace: '',
  localPods: true,
  pods: { image: '', security: { runAsNonRoot: false }, resources: {}, serviceAccount: '', workspaces: false },
  memoryStacks: undefined,
}
