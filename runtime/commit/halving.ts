/**
 * Whether to commit what waits in two halves, so that one is stepped while the store writes the other. It costs a second
 * commit, with all that a commit takes however small it is, and saves the time of stepping: so it pays where stepping
 * everything takes longer than a commit does, and nowhere else. Both are measured as they happen.
 */
export type HalvingRule = 'measured' | 'always'

/** Too few to be measured in. */
const fewest = 16
/** The part of a new measurement in the running mean. */
const weight = 0.2

export class Halving {
  readonly #rule: HalvingRule
  #stepMs = 0
  #commitMs = 0

  constructor(rule: HalvingRule) {
    this.#rule = rule
  }

  isWorthwhile(items: number): boolean {
    if (this.#rule === 'always') return items > 1
    return items >= fewest && items * this.#stepMs > this.#commitMs
  }

  stepped(items: number, ms: number): void {
    if (items >= fewest / 2) this.#stepMs += weight * (ms / items - this.#stepMs)
  }

  committed(ms: number): void {
    this.#commitMs += weight * (ms - this.#commitMs)
  }
}
