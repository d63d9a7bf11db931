/**
 * Which comments fit: newest first within a thread, across threads in proportion to their length. Weighted fair
 * queueing in place of fixed shares: each thread's next comment is due at (bytes before it / comments of the thread),
 * so every thread's newest comes first, then the earliest due, and the first that doesn't fit ends the round. So what is left over in one thread serves
 * the others, and a larger budget always shows all that a smaller one showed. Ties go by the order of the threads.
 *
 * A comment is rendered when its turn comes: of twenty thousand, those that fit.
 */
import { fitsIn, minus, sizeOf, type Size } from './size.ts'

export interface FillThread {
  readonly count: number
  /** Rendered, the n-th newest (0 is the newest). */
  render(nth: number): string
}

interface Queue {
  readonly thread: FillThread
  readonly taken: string[]
  bytes: number
  next: { readonly text: string; readonly size: Size } | undefined
}

/** The rendered comments of each thread that are shown, newest first, in the order of the threads given. */
export function fillComments(threads: readonly FillThread[], budget: Size): readonly (readonly string[])[] {
  const queues = threads.map((thread): Queue => ({ thread, taken: [], bytes: 0, next: nextOf(thread, 0) }))
  let left = budget
  for (;;) {
    const queue = earliestDue(queues)
    if (queue?.next === undefined || !fitsIn(queue.next.size, left)) break
    left = minus(left, queue.next.size)
    queue.bytes += queue.next.size.bytes
    queue.taken.push(queue.next.text)
    queue.next = nextOf(queue.thread, queue.taken.length)
  }
  return queues.map(({ taken }) => taken)
}

function nextOf(thread: FillThread, nth: number): Queue['next'] {
  if (nth >= thread.count) return undefined
  const text = thread.render(nth)
  return { text, size: sizeOf(text) }
}

/** There are as many queues as a Task has threads: few enough to look at each. */
function earliestDue(queues: readonly Queue[]): Queue | undefined {
  let earliest: Queue | undefined
  for (const queue of queues) {
    if (queue.next === undefined) continue
    if (earliest === undefined || dueOf(queue) < dueOf(earliest)) earliest = queue
  }
  return earliest
}

function dueOf({ bytes, thread }: Queue): number {
  return bytes / thread.count
}
