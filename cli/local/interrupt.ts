/** Fires at the first SIGINT or SIGTERM; a second one ends the process as usual. */
export function untilInterrupted(): AbortSignal {
  const interrupt = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupt.abort())
  return interrupt.signal
}

export async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  // A pending promise keeps no process alive: the timer does.
  const alive = setInterval(() => undefined, 60_000)
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  clearInterval(alive)
}
