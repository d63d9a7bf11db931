/** QueuedEvents (QUEUED-EVENT): the entries of a Project's queue. */
import type { SpendingLimits } from '../../machines/ledger/events.ts'
import { positions } from '../../machines/queue/admission.ts'
import type { QueueContext, WaitingEntry } from '../../machines/queue/context.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import { worstCaseOf } from '../../machines/why/way/worst-case.ts'
import { bounded } from './bounded.ts'
import { apiVersion, metadataOf, time, type ActorShape, type DerivedResource } from './shape.ts'

/** What the cost of an entry is told from: the limits of its Project's ledger, and the Tasks that wait for their next pod. */
export interface CostFacts {
  readonly limits?: SpendingLimits
  readonly tasks: ReadonlyMap<string, Pick<TaskContext, 'kind' | 'config'>>
}

/** What the Task of an entry costs at most, once through its stages and by its ledger; null: nothing names a most. */
function costOf({ seed, task }: WaitingEntry, { limits, tasks }: CostFacts): { readonly worstCase?: object } {
  const of = seed ?? tasks.get(task)
  if (of === undefined) return {}
  const { tokensPerPass, laps, tokensAtMost } = worstCaseOf(of, limits)
  return { worstCase: { tokensPerPass, laps, tokensAtMost, assumes: 'nobody comments, and no pod is lost' } }
}

/** One resource per entry that waits or holds a slot; where it waits and why is the queue's own word. */
export function queuedEventResources(
  actor: ActorShape<QueueContext>,
  costs: CostFacts = { tasks: new Map() },
): readonly DerivedResource[] {
  const queue = actor.context
  const { namespace } = metadataOf(actor)
  const waiting = new Map(
    positions(queue, queue.at).map(({ entry, position, reason }) => [entry, { position, reason }]),
  )
  const held = queue.entries.map((entry) => {
    const spec = {
      projectRef: metadataOf(actor).name,
      sort: entry.sort,
      class: entry.class,
      priority: entry.priority,
      sequence: entry.sequence,
      kind: entry.kind,
      taskRef: entry.task,
    }
    const status =
      entry.admittedAt === null
        ? { state: 'Queued', ...waiting.get(entry.entry), ...costOf(entry, costs) }
        : { state: 'Admitted', admittedAt: time(entry.admittedAt), ...costOf(entry, costs) }
    const name = entry.entry.replaceAll('/', '-')
    return {
      apiVersion,
      kind: 'QueuedEvent',
      metadata: { name, namespace, generation: actor.seq },
      spec,
      status: bounded(status),
    }
  })
  const left = queue.finished.slice(-shownFinished).map(({ entry, state, reason }) => {
    const name = entry.replaceAll('/', '-')
    const metadata = { name, namespace, generation: actor.seq }
    const spec = { projectRef: metadataOf(actor).name }
    return { apiVersion, kind: 'QueuedEvent', metadata, spec, status: { state, reason } }
  })
  return [...held, ...left]
}

/** Of those that left: enough to see what became of the newest. */
const shownFinished = 50
