/** What happened between the opening of a window and the moment when all that was begun in it had ended. */
export class Window {
  readonly latenciesMs: number[] = []
  readonly effectsMs: number[] = []
  readonly #endsAt: number
  operations = 0

  constructor(ms: number) {
    this.#endsAt = performance.now() + ms
  }

  /** Nothing new is begun in a window that is closed; what was begun still counts. */
  isOpen(): boolean {
    return performance.now() < this.#endsAt
  }

  acknowledged(latencyMs: number): void {
    this.operations++
    this.latenciesMs.push(latencyMs)
  }

  /** Operations that are acknowledged together and have no latency of their own. */
  completed(operations: number): void {
    this.operations += operations
  }

  /** From the sender's call to the start of the effect that it led to. */
  effectBegan(latencyMs: number): void {
    this.effectsMs.push(latencyMs)
  }
}

/** `clients` that each have one operation under way until the window closes. */
export async function closedLoop(
  window: Window,
  clients: number,
  once: (client: number, window: Window) => Promise<void>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (window.isOpen()) await once(client, window)
    }),
  )
}

/** Each client has a share of the subjects for itself and goes through it in turn. */
export function shares(subjects: number, clients: number): (client: number) => number {
  const share = Math.max(1, Math.floor(subjects / clients))
  const turns = new Uint32Array(clients)
  return (client) => (client * share + (turns[client]!++ % share)) % subjects
}

/** Waits for what no call announces. Bounded, so that a bench never hangs. */
export async function until(isMet: () => boolean | Promise<boolean>, what: string, boundMs = 30_000): Promise<void> {
  const end = performance.now() + boundMs
  while (!(await isMet())) {
    if (performance.now() > end) throw new Error(`not within ${boundMs} ms: ${what}`)
    await new Promise((resolve) => void setTimeout(resolve, 1))
  }
}
