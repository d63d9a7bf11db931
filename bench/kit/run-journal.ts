/** What a run says while it runs, and what went wrong: one cell that fails must not cost the other twenty minutes. */
export interface RunJournal {
  say(line: string): void
  /** Undefined when it failed; the run goes on, and is invalid. */
  attempt<T>(name: string, measure: () => Promise<T>): Promise<T | undefined>
  readonly failures: readonly string[]
  /** As `attempt`, so many times at most: one that fails and then succeeds is told, and leaves the run valid. */
  attemptAgain<T>(name: string, times: number, measure: (time: number) => Promise<T>): Promise<T | undefined>
  readonly repeats: readonly string[]
}

export function runJournal(say: (line: string) => void): RunJournal {
  const failures: string[] = []
  const repeats: string[] = []
  async function attempt<T>(name: string, measure: () => Promise<T>, failed: string[]): Promise<T | undefined> {
    try {
      return await measure()
    } catch (error) {
      const failure = `${name} failed: ${error instanceof Error ? error.message : String(error)}`
      failed.push(failure.split('\n')[0]!)
      say(failure)
      return undefined
    }
  }
  return {
    say,
    failures,
    repeats,
    attempt: (name, measure) => attempt(name, measure, failures),
    async attemptAgain(name, times, measure) {
      for (let time = 0; time < times - 1; time++) {
        const result = await attempt(name, () => measure(time), repeats)
        if (result !== undefined) return result
      }
      return attempt(name, () => measure(times - 1), failures)
    },
  }
}
