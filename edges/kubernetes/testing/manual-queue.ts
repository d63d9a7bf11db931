import type { Workqueue } from '../api/api.ts'

/** Works when the test drains it; keys in the order in which they came. */
export class ManualQueue implements Workqueue {
  readonly #work: (key: string) => Promise<void>
  readonly #keys = new Set<string>()
  readonly delayed = new Map<string, number>()
  /** What a key's work threw last; it is worked on again at the next drain. */
  readonly failures = new Map<string, unknown>()
  #isStopped = false

  constructor(work: (key: string) => Promise<void>) {
    this.#work = work
  }

  add(key: string): void {
    if (!this.#isStopped) this.#keys.add(key)
  }

  after(key: string, milliseconds: number): void {
    if (!this.#isStopped) this.delayed.set(key, milliseconds)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#keys.clear()
  }

  /** It comes first. */
  prefer(key: string): void {
    const others = [...this.#keys].filter((one) => one !== key)
    this.#keys.clear()
    for (const one of [key, ...others]) this.#keys.add(one)
  }

  get waiting(): readonly string[] {
    return [...this.#keys]
  }

  /** The delays pass. */
  fire(): void {
    for (const key of this.delayed.keys()) this.add(key)
    this.delayed.clear()
  }

  async step(): Promise<void> {
    const [key] = this.#keys
    if (key === undefined) return
    this.#keys.delete(key)
    try {
      await this.#work(key)
      this.failures.delete(key)
    } catch (error) {
      this.failures.set(key, error)
    }
  }

  /** Until nothing waits. */
  async drain(): Promise<void> {
    for (const key of this.failures.keys()) this.add(key)
    for (let steps = 0; this.#keys.size > 0; steps++) {
      if (steps > 10_000) throw new Error(`the queue never ends: ${this.waiting.join(' ')}`)
      await this.step()
    }
  }
}
