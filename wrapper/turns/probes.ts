import type { LastProbe } from '../../machines/turn/schema.ts'
import { isoTime } from '../clock.ts'

interface Waiting {
  readonly probeId: string
  readonly text: string
}

/**
 * Probes of the stall escalation: one at a time, handed over at the next tool-call boundary, answered by the agent's
 * first line after that (WRAPPER-RULE-7). A newer probe replaces one that was never delivered.
 */
export class Probes {
  /** A repeated call may come late: after a newer probe, too (PROBE-6). */
  readonly #asked = new Set<string>()
  #waiting: Waiting | undefined
  #last: LastProbe | undefined

  get last(): LastProbe | undefined {
    return this.#last
  }

  /** Delivered and not yet answered: what the agent does now is the exchange, not genuine activity (WRAPPER-RULE-8). */
  get isOpen(): boolean {
    return this.#last?.deliveredAt !== undefined && this.#last.answeredAt === undefined
  }

  ask(probeId: string, text: string): void {
    if (this.#asked.has(probeId)) return
    this.#asked.add(probeId)
    this.#waiting = { probeId, text }
    this.#last = { probeId }
  }

  /** The text for a tool boundary, once. */
  deliver(at: number): string | undefined {
    const waiting = this.#waiting
    if (!waiting) return undefined
    this.#waiting = undefined
    this.#last = { probeId: waiting.probeId, deliveredAt: isoTime(at) }
    return waiting.text
  }

  assistantSpoke(at: number): void {
    if (this.isOpen) this.#last = { ...this.#last!, answeredAt: isoTime(at) }
  }

  turnEnded(): void {
    this.#waiting = undefined
  }
}
