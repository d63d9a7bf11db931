/** Whom chaos kills: programs that the demo started, each found at the moment of its kill. */
import { join } from 'node:path'
import { podFolders } from '../../edges/local/pod-folder.ts'
import { childrenOf, findByVariable, isAlive, signal, type ProcessIdentity } from '../../edges/local/processes.ts'
import { podName } from '../../edges/kubernetes/pods/pod-names.ts'
import type { ClusterServers } from '../local/cluster/cluster-parts.ts'
import type { Stack } from '../local/stack.ts'

export interface Victim {
  readonly name: string
  /** By SIGKILL; whoever keeps it alive starts it again. */
  kill(): void
}

export interface Victims {
  orchestrator(): Victim | undefined
  /** Of a pod among these, ids of actors. */
  wrapper(pods: readonly string[]): Victim | undefined
  /** Besides, by turns. */
  readonly others: readonly Victim[]
}

export function victimsOf(stack: Stack): Victims {
  const { orchestrator, cluster, dir } = stack
  return {
    orchestrator: () =>
      orchestrator.pid === undefined ? undefined : { name: 'orchestrator', kill: () => orchestrator.kill() },
    wrapper: cluster === undefined ? () => localWrapper(join(dir, 'state', 'pods')) : containerOf,
    others: cluster?.servers === undefined ? [] : serversOf(cluster.servers),
  }
}

/** The namespace's child where the pod is isolated, the process itself where it is not. */
function localWrapper(podsDir: string): Victim | undefined {
  for (const { pod, process, isolated } of podFolders(podsDir)) {
    if (process === undefined || !isAlive(process)) continue
    const target = isolated ? childrenOf(process)[0] : process
    if (target !== undefined) return killing(`wrapper of ${pod}`, target)
  }
  return undefined
}

/**
 * The first process of the container, whose hostname is the name of its pod. Around it are the kubelet's keeper and the waiter
 * in the namespaces: a kill of these would leave the wrapper running.
 */
function containerOf(pods: readonly string[]): Victim | undefined {
  for (const pod of pods) {
    const keeper = findByVariable('HOSTNAME', podName(pod).name)
    const waiter = keeper && childrenOf(keeper)[0]
    const target = waiter && childrenOf(waiter)[0]
    if (target !== undefined) return killing(`wrapper of ${pod}`, target)
  }
  return undefined
}

function killing(name: string, target: ProcessIdentity): Victim {
  return { name, kill: () => void signal(target, 'SIGKILL') }
}

function serversOf({ apiServer, kubelet }: ClusterServers): readonly Victim[] {
  return [
    { name: 'API server', kill: () => apiServer.kill() },
    { name: 'kubelet', kill: () => kubelet.kill() },
  ]
}
