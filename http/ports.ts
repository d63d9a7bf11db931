/** Time as the kit sees it: `now` in epoch milliseconds, timers that can be taken back. The runtime's clock fits. */
export interface Clock {
  now(): number
  setTimer(milliseconds: number, run: () => void): { cancel(): void }
}

/** Gives an id that nobody else gives, of letters, digits and dashes. The runtime's ids fit. */
export interface Ids {
  next(): string
}

/** The web's `fetch`, injected so that tests and the simulation decide what answers. */
export type Fetch = typeof globalThis.fetch
