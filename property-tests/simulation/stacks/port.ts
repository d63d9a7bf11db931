/** How a life speaks to the cluster of its memory stacks: by the port that runs on Kubernetes. */
import { applyPatch, type KubeClient } from '../../../edges/kubernetes/api/api.ts'
import { createClusterStacks } from '../../../edges/kubernetes/memory-stack/reconcile.ts'
import { stackSettings } from '../../../edges/kubernetes/testing/stack-scene.ts'
import type { MemoryStacks } from '../../../edges/ports/memory-stacks.ts'
import type { Lifeline } from '../../runtime/simulation/lifeline.ts'
import { callOverNetwork, type Outside } from '../network.ts'
import { stackCall } from '../points.ts'

/** Undefined: no Project of this life has a stack. */
export function stacksOf(line: Lifeline, { stacks, faults }: Outside): MemoryStacks | undefined {
  if (!stacks.isWanted) return undefined
  let passwords = 0
  const ask: KubeClient['ask'] = (method, path, question = {}) =>
    callOverNetwork(
      { line, point: `stack ${stackCall(method, path, question.type === applyPatch)}` },
      () => stacks.server.ask(method, path, question),
      faults.nextStackRequest(),
    )
  return createClusterStacks({
    client: { ask },
    settings: stackSettings,
    newPassword: () => `${line.name}-${++passwords}`,
  })
}
