/** Time as the kit sees it: `now` in epoch milliseconds, timers that can be taken back. The runtime's clock fits. */
export interface Clock {
  now(): number
  setTimer(milliseconds: number, run: () => void): { cancel(): void }
  /** Of each loop of the process: a server's own clock knows (`server-clock.ts`). */
  silences?(): readonly LoopSilence[]
}

/** How long ago a loop of the process had its last turn. */
export interface LoopSilence {
  readonly name: string
  readonly silentMs: number
  readonly isTooLong: boolean
  /** Without it the process cannot serve. */
  readonly isVital: boolean
}

/** Gives an id that nobody else gives, of letters, digits and dashes. The runtime's ids fit. */
export interface Ids {
  next(): string
}

/** The web's `fetch`, injected so that tests and the simulation decide what answers. */
export type Fetch = typeof globalThis.fetch
