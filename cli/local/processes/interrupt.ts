/** A terminal and npm both pass one Ctrl-C on, and so may a launcher: what comes this soon after is the same one. */
const sameKeyMs = 1000

/** Fires at the first SIGINT, SIGTERM or SIGHUP (a terminal was closed); one that comes later than a second after it ends the process as usual. */
export function untilInterrupted(now: () => number = () => performance.now()): AbortSignal {
  const interrupt = new AbortController()
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  let first: number | undefined
  const hear = (name: NodeJS.Signals): void => {
    first ??= now()
    interrupt.abort()
    if (now() - first < sameKeyMs) return
    for (const each of names) process.off(each, hear)
    process.kill(process.pid, name)
  }
  for (const name of names) process.on(name, hear)
  return interrupt.signal
}

/** A pending promise keeps no process alive: the timer does. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const alive = setInterval(() => undefined, 60_000)
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  clearInterval(alive)
}
