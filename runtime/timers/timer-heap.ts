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
    this.#heap.push(entry)
    siftUp(this.#heap, this.#heap.length - 1)
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
      while (this.#heap[0] && (this.#heap[0].isCancelled || this.#heap[0].at <= now)) {
        const entry = takeFirst(this.#heap)
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

function siftUp(heap: Entry[], start: number): void {
  let index = start
  while (index > 0) {
    const parent = (index - 1) >> 1
    if (!isEarlier(heap[index]!, heap[parent]!)) return
    swap(heap, index, parent)
    index = parent
  }
}

function takeFirst(heap: Entry[]): Entry {
  const first = heap[0]!
  const last = heap.pop()!
  if (heap.length === 0) return first
  heap[0] = last
  let index = 0
  for (;;) {
    const left = 2 * index + 1
    const right = left + 1
    let least = index
    if (left < heap.length && isEarlier(heap[left]!, heap[least]!)) least = left
    if (right < heap.length && isEarlier(heap[right]!, heap[least]!)) least = right
    if (least === index) return first
    swap(heap, index, least)
    index = least
  }
}

function swap(heap: Entry[], a: number, b: number): void {
  const kept = heap[a]!
  heap[a] = heap[b]!
  heap[b] = kept
}
