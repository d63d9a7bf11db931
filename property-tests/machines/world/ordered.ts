/** What may be performed next: the runtime's lanes, without their waiting (`runtime/effects/ordered-effects.ts`, R6). */
import type { OutboxEffectType } from '../../../machines/effect.ts'
import type { ActorAddress } from '../../../machines/definition.ts'
import type { Outstanding } from './trace.ts'

/** Types whose handlers are `ordered`. */
export const orderedTypes: ReadonlySet<string> = new Set<OutboxEffectType>([
  'writeLabels',
  'postComment',
  'postReview',
  'closeIssue',
  'fileIssue',
  'openMergeRequest',
  'checkProject',
  'mergeMergeRequest',
])

/** An ordered effect waits for every earlier one of its actor. */
export function performable(outbox: readonly Outstanding[]): readonly Outstanding[] {
  const busy = new Set<ActorAddress>()
  return outbox.filter(({ actor, type }) => {
    if (!orderedTypes.has(type)) return true
    const isFirst = !busy.has(actor)
    busy.add(actor)
    return isFirst
  })
}
