/**
 * Work that waits for its commit, in a lane for each actor: in order within a lane (R2), in turn between lanes, so
 * that ten thousand events of one actor let the single event of another into the very next commit.
 */
import { Fifo } from './fifo.ts'
import type { Work } from './work.ts'

export interface BatchLimits {
  readonly items: number
  /** Of event text; one item goes however large it is. */
  readonly bytes: number
}

interface Lane {
  readonly name: string
  readonly work: Fifo<Work>
}

export class FairQueue {
  readonly #lanes = new Map<string, Lane>()
  /** Lanes with work, the next one first; a lane that had its share goes to the end. */
  readonly #ring = new Fifo<Lane>()
  /** Effects that were performed, of whatever actor: no more than were decided, and each of them ends something. */
  readonly #settlements = new Fifo<Work>()
  #size = 0
  #bytes = 0
  #urgent = 0

  get size(): number {
    return this.#size
  }

  /** Of the event text that waits. */
  get bytes(): number {
    return this.#bytes
  }

  /** False: what waits are settlements that bring nothing. Nobody is kept waiting when they go with a later commit. */
  get isUrgent(): boolean {
    return this.#urgent > 0
  }

  count(isCounted: (work: Work) => boolean): number {
    const lanes = [this.#settlements, ...[...this.#lanes.values()].map((lane) => lane.work)]
    return lanes.reduce((sum, lane) => sum + lane.waiting().filter(isCounted).length, 0)
  }

  push(work: Work): void {
    if (work.kind === 'settle') this.#settlements.push(work)
    else this.#laneOf(work.to).work.push(work)
    this.#size += 1
    this.#bytes += bytesOf(work)
    if (isUrgent(work)) this.#urgent += 1
  }

  /** The next batch: settlements, half of it at most while there is other work, and every lane in turn. */
  take(limits: BatchLimits): Work[] {
    const batch: Work[] = []
    const left = { ...limits }
    const half = this.#ring.size > 0 ? Math.ceil(limits.items / 2) : limits.items
    while (batch.length < half && this.#move(this.#settlements, batch, left));
    for (let lane = this.#ring.peek(); lane; lane = this.#ring.peek()) {
      const share = Math.max(1, Math.floor(left.items / this.#ring.size))
      let taken = 0
      while (taken < share && this.#move(lane.work, batch, left)) taken += 1
      if (taken === 0) break
      this.#ring.shift()
      if (lane.work.size > 0) this.#ring.push(lane)
      else this.#lanes.delete(lane.name)
    }
    return batch
  }

  #laneOf(name: string): Lane {
    const known = this.#lanes.get(name)
    if (known) return known
    const lane = { name, work: new Fifo<Work>() }
    this.#lanes.set(name, lane)
    this.#ring.push(lane)
    return lane
  }

  /** False when there is nothing to take, or no room for it. */
  #move(from: Fifo<Work>, batch: Work[], left: { items: number; bytes: number }): boolean {
    const work = from.peek()
    if (!work || left.items === 0) return false
    const bytes = bytesOf(work)
    if (bytes > left.bytes && batch.length > 0) return false
    from.shift()
    batch.push(work)
    left.items -= 1
    left.bytes -= bytes
    this.#size -= 1
    this.#bytes -= bytes
    if (isUrgent(work)) this.#urgent -= 1
    return true
  }
}

function bytesOf(work: Work): number {
  return work.kind === 'event' ? work.body.length : 0
}

function isUrgent(work: Work): boolean {
  return work.kind !== 'settle' || work.outcome.kind !== 'performed' || work.outcome.deliveries.length > 0
}
