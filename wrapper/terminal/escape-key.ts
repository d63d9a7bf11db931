import { until, type Clock } from '../clock.ts'
import type { Terminal } from './terminal.ts'

const escape = '\u001b'
const takenMs = 1000
const pollMs = 20

/**
 * The CLI reads an ESC and a bracket that comes in one go with it as the start of a key's code, and both are gone. A turn's
 * line begins with a bracket, so nothing is typed until the CLI painted after an ESC, or had its time to.
 */
export class EscapeKey {
  readonly #terminal: Terminal
  readonly #clock: Clock
  #pressedAt: number | undefined

  constructor(terminal: Terminal, clock: Clock) {
    this.#terminal = terminal
    this.#clock = clock
  }

  /** When it was typed. */
  press(): number {
    this.#terminal.write(escape)
    this.#pressedAt = this.#clock.now()
    return this.#pressedAt
  }

  async taken(): Promise<void> {
    const at = this.#pressedAt
    if (at === undefined) return
    await until(this.#clock, pollMs, at + takenMs - this.#clock.now(), () => this.#terminal.lastOutputAt() > at)
    this.#pressedAt = undefined
  }
}
