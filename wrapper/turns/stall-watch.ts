/**
 * Stamps a suspected stall once and re-arms; never ends a turn (WRAPPER-STALL-1 to WRAPPER-STALL-4). Genuine activity or the turn's end
 * clears it, a probe exchange does not.
 */
export class StallWatch {
  readonly #windowMs: number
  #lastActivityAt: number
  #armedAt: number
  #suspectedAt: number | undefined

  constructor(windowMs: number, now: number) {
    this.#windowMs = windowMs
    this.#lastActivityAt = now
    this.#armedAt = now
  }

  get lastActivityAt(): number {
    return this.#lastActivityAt
  }

  get suspectedAt(): number | undefined {
    return this.#suspectedAt
  }

  activity(now: number): void {
    this.#lastActivityAt = now
    this.#armedAt = now
    this.#suspectedAt = undefined
  }

  turnEnded(): void {
    this.#suspectedAt = undefined
  }

  /** True when this look is the first to suspect this stall. */
  look(now: number): boolean {
    if (now - this.#armedAt < this.#windowMs) return false
    this.#armedAt = now
    if (this.#suspectedAt !== undefined) return false
    this.#suspectedAt = now
    return true
  }
}
