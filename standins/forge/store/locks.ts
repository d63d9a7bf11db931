/** One writer at a time per name: what reads refs, decides and moves refs must not interleave with its like. */
export interface Locks {
  run<T>(name: string, work: () => Promise<T>): Promise<T>
}

export function createLocks(): Locks {
  const tails = new Map<string, Promise<unknown>>()
  return {
    run(name, work) {
      const result = (tails.get(name) ?? Promise.resolve()).then(work, work)
      tails.set(
        name,
        result.catch(() => undefined),
      )
      return result
    },
  }
}
