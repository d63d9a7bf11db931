/** The end of a bench that somebody ends: by Ctrl-C, which comes from the terminal and from npm as well, or by a kill. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** A shell's for a program that Ctrl-C ended. */
const exitCode = 130

/** The first signal clears away and ends the process, further ones wait with it. Returns what takes this back. */
export function onInterrupt(clearAway: () => Promise<unknown>): () => void {
  let isEnding = false
  const end = (): void => {
    if (isEnding) return
    isEnding = true
    void clearAway().finally(() => process.exit(exitCode))
  }
  for (const signal of signals) process.on(signal, end)
  return () => {
    for (const signal of signals) process.off(signal, end)
  }
}
