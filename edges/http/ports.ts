/** Time as the kit sees it: `now` in epoch milliseconds, timers that can be taken back. The runtime's clock fits. */
export interface Clock {
  now(): number
  setTimer(milliseconds: number, run: () => void): { cancel(): void }
}

/** Gives a new unique id (letters, digits and dashes) at every call. */
export type Ids = () => string

/** The web's `fetch`, injected so that tests and the simulation decide what answers. */
export type Fetch = typeof globalThis.fetch
