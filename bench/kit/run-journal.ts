/** What a run says while it runs, and what went wrong: one cell that fails must not cost the other twenty minutes. */
export interface RunJournal {
  say(line: string): void
  /** Undefined when it failed; the run goes on, and is invalid. */
  attempt<T>(name: string, measure: () => Promise<T>): Promise<T | undefined>
  readonly failures: readonly string[]
}

export function runJournal(say: (line: string) => void): RunJournal {
  const failures: string[] = []
  return {
    say,
    failures,
    async attempt(name, measure) {
      try {
        return await measure()
      } catch (error) {
        const failure = `${name} failed: ${error instanceof Error ? error.message : String(error)}`
        failures.push(failure.split('\n')[0]!)
        say(failure)
        return undefined
      }
    },
  }
}
