import { constantTimeEqual } from '../../http/auth/hmac.ts'
import type { Clock } from '../../http/ports.ts'

/** The oldest goes first: a program that adds in a loop fills no memory. */
const mostKept = 1000

/** Texts that are known for a while. */
export class Expiring {
  readonly #clock: Pick<Clock, 'now'>
  readonly #lifetimeMs: number
  #entries: readonly { readonly text: string; readonly endsAt: number }[] = []

  constructor(clock: Pick<Clock, 'now'>, lifetimeMs: number) {
    this.#clock = clock
    this.#lifetimeMs = lifetimeMs
  }

  add(text: string): string {
    this.#entries = [...this.#live(), { text, endsAt: this.#clock.now() + this.#lifetimeMs }].slice(-mostKept)
    return text
  }

  has(text: string): boolean {
    return this.#live().some((entry) => constantTimeEqual(entry.text, text))
  }

  remove(text: string): boolean {
    const isThere = this.has(text)
    this.#entries = this.#live().filter((entry) => !constantTimeEqual(entry.text, text))
    return isThere
  }

  #live(): readonly { readonly text: string; readonly endsAt: number }[] {
    const now = this.#clock.now()
    return this.#entries.filter(({ endsAt }) => endsAt > now)
  }
}
