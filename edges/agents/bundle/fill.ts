/**
 * Which comments fit: newest first within a thread, across threads in proportion to their length. Weighted fair
 * queueing in place of fixed shares: each thread's next comment is due at (bytes before it / comments of the thread),
 * so every thread's newest comes first, then the earliest due, and the first that doesn't fit ends the round. So what is left over in one thread serves
 * the others, and a larger budget always shows all that a smaller one showed.
 */
export interface FillThread {
  readonly repository: string
  readonly number: number
  /** Rendered size of each comment in bytes, newest first. */
  readonly sizes: readonly number[]
}

/** How many of each thread's newest comments are shown, in the order of the threads given. */
export function fillComments(threads: readonly FillThread[], budget: number): number[] {
  const shown = threads.map(() => 0)
  let left = budget
  for (const { thread, size } of dueOrder(threads)) {
    if (size > left) break
    left -= size
    shown[thread] = (shown[thread] ?? 0) + 1
  }
  return shown
}

interface Due {
  readonly thread: number
  readonly size: number
  readonly due: number
}

function dueOrder(threads: readonly FillThread[]): readonly Due[] {
  const all = threads.flatMap(({ sizes }, thread) => {
    let sum = 0
    return sizes.map((size): Due => {
      const due = sum / sizes.length
      sum += size
      return { thread, size, due }
    })
  })
  // Stable sort: equal dues keep the order of threads (repository, number) and of comments.
  return all.toSorted((a, b) => a.due - b.due || a.thread - b.thread)
}
