/**
 * Work that waits for its commit, in a lane for each actor: in order within a lane (R2), in turn between lanes, so
 * that ten thousand events of one actor let the single event of another into the very next commit.
 */
import type { ActorAddress } from '../../machines/definition.ts'
import { isRoomFor, isWithinShare } from '../queue-share.ts'
import type { Load } from '../queue-share.ts'
import { Fifo } from './fifo.ts'
import type { Work } from '../work.ts'

interface BatchLimits {
  readonly items: number
  /** Of event text; one item goes however large it is. */
  readonly bytes: number
}

/** Work and when it came, by the clock of whoever pushes. */
interface Waiting {
  readonly work: Work
  readonly since: number
}

interface Lane {
  readonly name: string
  readonly work: Fifo<Waiting>
  bytes: number
}

export interface Taken {
  readonly works: Work[]
  /** When the work came that waited the longest. */
  since: number
}

export class FairQueue {
  readonly #lanes = new Map<string, Lane>()
  /** Lanes with work, the next one first; a lane that had its share goes to the end. */
  #ring = new Fifo<Lane>()
  /** Effects that were performed, of whatever actor: no more than were decided, and each of them ends something. */
  #settlements = newLane('')
  #size = 0
  #bytes = 0

  get size(): number {
    return this.#size
  }

  /** Of the event text that waits. */
  get bytes(): number {
    return this.#bytes
  }

  count(isCounted: (work: Work) => boolean): number {
    return this.#waiting().filter(({ work }) => isCounted(work)).length
  }

  /** Whether one more may wait for its actor. No lane is looked up while the queue is so empty that none is over its share. */
  mayTake(to: ActorAddress, bytes: number, most: Load): boolean {
    if (!isRoomFor(bytes, this, most)) return false
    return isWithinShare(this, this, most) || isWithinShare(loadOf(this.#lanes.get(to)), this, most)
  }

  /** Actors that hold their share or more. */
  crowding(most: Load): ReadonlySet<string> {
    if (isWithinShare(this, this, most)) return nobody
    const crowded = [...this.#lanes.values()].filter((lane) => !isWithinShare(loadOf(lane), this, most))
    return new Set(crowded.map(({ name }) => name))
  }

  push(work: Work, since: number): void {
    const lane = work.kind === 'settle' ? this.#settlements : this.#laneOf(work.to)
    const bytes = bytesOf(work)
    lane.work.push({ work, since })
    lane.bytes += bytes
    this.#size += 1
    this.#bytes += bytes
  }

  /**
   * The next batch: settlements, half of it at most while there is other work, and every lane in turn. What belongs to
   * `busy` actors stays.
   */
  take(limits: BatchLimits, busy: ReadonlySet<string> = nobody): Taken {
    const batch: Taken = { works: [], since: Infinity }
    const left = { ...limits }
    const half = this.#ring.size > 0 ? Math.ceil(limits.items / 2) : limits.items
    while (batch.works.length < half && this.#move(this.#settlements, batch, left));
    const passed = busy.size > 0 ? this.#pass(busy) : []
    for (let lane = this.#ring.peek(); lane; lane = this.#ring.peek()) {
      const share = Math.max(1, Math.floor(left.items / this.#ring.size))
      let taken = 0
      while (taken < share && this.#move(lane, batch, left)) taken += 1
      if (taken === 0) break
      this.#ring.shift()
      if (lane.work.size > 0) this.#ring.push(lane)
      else this.#lanes.delete(lane.name)
    }
    for (const lane of passed) this.#ring.push(lane)
    return batch
  }

  /** Takes the lanes of these out of the ring. */
  #pass(busy: ReadonlySet<string>): readonly Lane[] {
    const lanes = this.#ring.waiting()
    const passed = lanes.filter(({ name }) => busy.has(name))
    if (passed.length === 0) return passed
    this.#ring = new Fifo()
    for (const lane of lanes) if (!busy.has(lane.name)) this.#ring.push(lane)
    return passed
  }

  /** The others keep their order and how long they have waited. */
  remove(isRemoved: (work: Work) => boolean): readonly Work[] {
    if (this.count(isRemoved) === 0) return []
    const all = this.#waiting()
    this.#settlements = newLane('')
    this.#ring = new Fifo()
    this.#lanes.clear()
    this.#size = 0
    this.#bytes = 0
    for (const { work, since } of all) if (!isRemoved(work)) this.push(work, since)
    return all.flatMap(({ work }) => (isRemoved(work) ? [work] : []))
  }

  #waiting(): readonly Waiting[] {
    return [this.#settlements, ...this.#lanes.values()].flatMap((lane) => lane.work.waiting())
  }

  #laneOf(name: string): Lane {
    const known = this.#lanes.get(name)
    if (known) return known
    const lane = newLane(name)
    this.#lanes.set(name, lane)
    this.#ring.push(lane)
    return lane
  }

  /** False when there is nothing to take, or no room for it. */
  #move(from: Lane, batch: Taken, left: { items: number; bytes: number }): boolean {
    const next = from.work.peek()
    if (!next || left.items === 0) return false
    const bytes = bytesOf(next.work)
    if (bytes > left.bytes && batch.works.length > 0) return false
    from.work.shift()
    from.bytes -= bytes
    batch.works.push(next.work)
    batch.since = Math.min(batch.since, next.since)
    left.items -= 1
    left.bytes -= bytes
    this.#size -= 1
    this.#bytes -= bytes
    return true
  }
}

const nobody: ReadonlySet<string> = new Set()

function newLane(name: string): Lane {
  return { name, work: new Fifo(), bytes: 0 }
}

function loadOf(lane: Lane | undefined): Load {
  return { size: lane?.work.size ?? 0, bytes: lane?.bytes ?? 0 }
}

function bytesOf(work: Work): number {
  return work.kind === 'event' ? work.body.length : 0
}
