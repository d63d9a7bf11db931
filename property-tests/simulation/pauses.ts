/** Whether a queue let a Task begin while it was paused, read from its journal alone. */
import type { MachineEvent } from '../../machines/definition.ts'
import { grants } from '../prove/history.ts'
import type { PlacedRow } from './evidence.ts'

/** What a queue was told: no slots are left to it, or an operator stopped it. Either pauses it (QUEUE-10). */
class Told {
  #hasSlots = false
  #isStopped = false

  get isPaused(): boolean {
    return !this.#hasSlots || this.#isStopped
  }

  hear({ type, ...event }: MachineEvent): void {
    if (type === 'queue.configured') this.#hasSlots = event['maxConcurrentAgents'] !== 0
    if (type === 'queue.paused') this.#isStopped = true
    if (type === 'queue.resumed' || (type === 'queue.closed' && event['reason'] === 'Deleted')) this.#isStopped = false
  }
}

/**
 * SCHEDULE-3: a paused Project gets no new Task. A hold of the budget admits alerts only, which LAW-1 counts. A queue sends
 * Tasks other words too: that the model is withheld, or that the Project is deleted.
 */
export function nothingIsMintedWhilePaused(rows: readonly PlacedRow[]): readonly string[] {
  const queues = new Map<string, Told>()
  return rows.flatMap(({ address, seq, event, effects }) => {
    if (!address.startsWith('queue:')) return []
    const told = queues.get(address) ?? new Told()
    queues.set(address, told)
    told.hear(event)
    const isBegun = effects.some(({ type, params }) => type === 'deliver' && isGrant(params['event']))
    return told.isPaused && isBegun ? [`paused: ${address} ${seq} let something begin`] : []
  })
}

function isGrant(event: unknown): boolean {
  return grants.has((event as MachineEvent).type)
}
