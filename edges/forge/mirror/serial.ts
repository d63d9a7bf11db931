/** Work on one subject, one after another; different subjects side by side. */
interface Serial {
  run<T>(key: string, work: () => Promise<T>): Promise<T>
}

export function createSerial(): Serial {
  const tails = new Map<string, Promise<unknown>>()
  return {
    async run(key, work) {
      const before = tails.get(key) ?? Promise.resolve()
      const mine = before.then(work, work)
      const tail = mine.catch(() => undefined)
      tails.set(key, tail)
      try {
        return await mine
      } finally {
        if (tails.get(key) === tail) tails.delete(key)
      }
    },
  }
}
