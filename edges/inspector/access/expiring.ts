import { constantTimeEqual } from '../../../http/auth/hmac.ts'
import type { Clock } from '../../../http/ports.ts'

/** The oldest goes first: a program that adds in a loop fills no memory. */
const mostKept = 1000

interface Entry<Value> {
  readonly text: string
  readonly value: Value | undefined
  readonly endsAt: number
}

/** Texts that are known for a while, each with a value where one was given. */
export class Expiring<Value = never> {
  readonly #clock: Pick<Clock, 'now'>
  readonly #lifetimeMs: number
  #entries: readonly Entry<Value>[] = []

  constructor(clock: Pick<Clock, 'now'>, lifetimeMs: number) {
    this.#clock = clock
    this.#lifetimeMs = lifetimeMs
  }

  add(text: string, value?: Value): string {
    const entry = { text, value, endsAt: this.#clock.now() + this.#lifetimeMs }
    this.#entries = [...this.#live(), entry].slice(-mostKept)
    return text
  }

  has(text: string): boolean {
    return this.#find(text) !== undefined
  }

  valueOf(text: string): Value | undefined {
    return this.#find(text)?.value
  }

  remove(text: string): boolean {
    const isThere = this.has(text)
    this.#entries = this.#live().filter((entry) => !constantTimeEqual(entry.text, text))
    return isThere
  }

  #find(text: string): Entry<Value> | undefined {
    return this.#live().find((entry) => constantTimeEqual(entry.text, text))
  }

  #live(): readonly Entry<Value>[] {
    const now = this.#clock.now()
    return this.#entries.filter(({ endsAt }) => endsAt > now)
  }
}
