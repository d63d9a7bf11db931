/** The members of a refine outcome as they are in the call; each decides again when it is asked (OWNERSHIP-7). */
import type { TaskContext } from '../../../machines/task/context.ts'
import type { FoldMember } from '../../../machines/task/events.ts'
import { addressOf } from '../../../runtime/address.ts'
import type { ActorView } from '../../../runtime/runtime.ts'
import { idIn } from '../caller.ts'
import type { AgentApiDeps } from '../deps.ts'

export async function foldMembers(
  deps: Pick<AgentApiDeps, 'runtime'>,
  task: TaskContext,
  folds: readonly { readonly task: string }[],
): Promise<readonly FoldMember[]> {
  const names = [...new Set(folds.map((member) => idIn(member.task, { task: task.id })))]
  return Promise.all(
    names.map(async (name) => ({ task: name, state: stateOf(task, await deps.runtime.read(addressOf('task', name))) })),
  )
}

function stateOf(refine: TaskContext, view: ActorView<'task'> | undefined): FoldMember['state'] {
  if (view === undefined || view.status === 'quarantined') return 'unknown'
  const member = view.context
  if (member.config.project !== refine.config.project || member.kind !== 'implement') return 'unknown'
  if (view.status === 'done' || member.stage.class === 'terminal') return 'ended'
  return member.pod.alive ? 'running' : 'free'
}
