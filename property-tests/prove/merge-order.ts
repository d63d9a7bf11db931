/** Merge requests of one Task merge in the order that its agent gave (OUTCOME-19). */
import type { Performed } from '../machines/world/trace.ts'
import { taskIn } from '../machines/world/trace.ts'
import type { FiniteLaw, Seen } from './world-model.ts'

/** An earlier one stays behind only when the Task knew it closed, or a person closed it behind its back. */
function mergedOutOfTurn({ moment, world, history }: Seen): readonly string[] {
  if (moment.kind !== 'performed' || moment.effect.type !== 'mergeMergeRequest' || moment.result !== 'merged') return []
  const { effect, actors } = moment satisfies Performed
  const task = actors.get(effect.actor)
  const order = history.orders[effect.actor] ?? []
  const earlier = order.slice(0, Math.max(0, order.indexOf(String(effect.params['repository']))))
  if (!task || earlier.length === 0) return []
  const isOpen = (repository: string, number: number): boolean =>
    world.forge.mergeRequest(repository, number)?.row.mergeRequest.state === 'open'
  return taskIn(task)
    .forge.mergeRequests.filter(
      ({ repository, state, number }) => earlier.includes(repository) && state === 'open' && isOpen(repository, number),
    )
    .map(() => 'merged before one that comes first in its order')
}

export const mergeOrderLaw: FiniteLaw = {
  law: 'order',
  says: 'merge requests of several repositories merge in the order that was given',
  breaches: mergedOutOfTurn,
}
