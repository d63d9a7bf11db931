import type { Prompt, Script } from './script.ts'

export interface TurnTimes {
  readonly submittedAt: number
  readonly toldAt: number
  /** Undefined: it has no report. */
  readonly reported: string | undefined
}

/** One agent that was started for this round. */
export interface Contender {
  readonly readyMs: number
  turn(prompt: Prompt, asked: Promise<unknown>): Promise<TurnTimes>
  close(): Promise<void>
}

export type OpenContender = (script: Script) => Promise<Contender>

/** Nothing here takes longer on any machine that is worth a figure. */
const limitMs = 120_000

export function bounded<T>(promise: Promise<T>, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what}: nothing for ${limitMs / 1000} s`)), limitMs)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
