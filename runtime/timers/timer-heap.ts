/** Any number of points in time over one timer of the clock: a heap, so that ten thousand retries are one `setTimer`. */
import type { Clock, Timer } from '../clock.ts'

export interface Alarm {
  cancel(): void
}

interface Entry {
  readonly at: number
  readonly order: number
  readonly ring: () => void
  isCancelled: boolean
}

/** The clock is looked at this often while anything waits: the time of day may have been set forward. */
const longestSleepMs = 1000
/** Cancelled entries stay in the heap until they come up, or until they are this many and half of it. */
const manyCancelled = 256

export class Alarms {
  readonly #clock: Clock
  readonly #time: () => number
  #heap: Entry[] = []
  #cancelled = 0
  #order = 0
  #timer: Timer | undefined
  #wakeAt = Infinity

  /** `time` says which of the clock's readings the alarms go by. */
  constructor(clock: Clock, time: 'now' | 'elapsed') {
    this.#clock = clock
    this.#time = () => clock[time]()
  }

  /** Rings once, when the time is `at` or later; never inside this call. */
  at(at: number, ring: () => void): Alarm {
    const entry: Entry = { at, order: this.#order++, ring, isCancelled: false }
    push(this.#heap, entry)
    if (at < this.#wakeAt) this.#sleep()
    return { cancel: () => this.#cancel(entry) }
  }

  clear(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#wakeAt = Infinity
    this.#heap = []
    this.#cancelled = 0
  }

  #cancel(entry: Entry): void {
    if (entry.isCancelled) return
    entry.isCancelled = true
    this.#cancelled++
    if (this.#cancelled < manyCancelled || this.#cancelled * 2 < this.#heap.length) return
    // A sorted array is a heap.
    this.#heap = this.#heap.filter((other) => !other.isCancelled).toSorted((a, b) => (isEarlier(a, b) ? -1 : 1))
    this.#cancelled = 0
  }

  #sleep(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#wakeAt = Infinity
    const first = this.#heap[0]
    if (!first) return
    const now = this.#time()
    this.#wakeAt = first.at
    this.#timer = this.#clock.setTimer(Math.min(Math.max(0, first.at - now), longestSleepMs), () => this.#woken())
  }

  #woken(): void {
    this.#timer = undefined
    // What rings may set new alarms: they sleep from here on.
    this.#wakeAt = -Infinity
    const now = this.#time()
    try {
      for (let [entry] = this.#heap; entry && (entry.isCancelled || entry.at <= now); [entry] = this.#heap) {
        removeFirst(this.#heap)
        if (entry.isCancelled) this.#cancelled--
        else ringOnce(entry)
      }
    } finally {
      this.#sleep()
    }
  }
}

/** It is out of the heap: to cancel it from now on changes nothing. */
function ringOnce(entry: Entry): void {
  entry.isCancelled = true
  entry.ring()
}

function isEarlier(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}

function push(heap: Entry[], entry: Entry): void {
  let index = heap.length
  while (index > 0) {
    const parent = (index - 1) >> 1
    const above = heap[parent]
    if (above === undefined || !isEarlier(entry, above)) break
    heap[index] = above
    index = parent
  }
  heap[index] = entry
}

/** What was the last one sinks from the root to its place. */
function removeFirst(heap: Entry[]): void {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  let index = 0
  for (;;) {
    const left = 2 * index + 1
    const [one, other] = [heap[left], heap[left + 1]]
    const isRight = one !== undefined && other !== undefined && isEarlier(other, one)
    const below = isRight ? other : one
    if (below === undefined || !isEarlier(below, last)) break
    heap[index] = below
    index = isRight ? left + 1 : left
  }
  heap[index] = last
}
