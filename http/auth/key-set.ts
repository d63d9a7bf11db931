/**
 * The published keys of one identity provider, kept warm.
 *
 * K1 A token can make us ask the provider at most once per `REFETCH_MS`, whatever key it names and whoever signed it.
 * K2 Requests that need the keys at the same time share one look-up.
 * K3 A look-up ends within the time of `fetchJson`; a provider that hangs costs that once per `REFETCH_MS`, not per request.
 * K4 While the provider is down the keys known last still verify, for `MAX_STALE_MS`.
 * K5 A key that the provider withdrew is gone after `MAX_AGE_MS`.
 */
import { createLocalJWKSet, errors, flattenedVerify, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { Clock } from '../ports.ts'

const REFETCH_MS = 30_000
const MAX_AGE_MS = 600_000
const MAX_STALE_MS = 24 * 3_600_000
/** With no keys at all every request would otherwise wait for the provider again. */
const COLD_REFETCH_MS = 1_000

type LocalKeys = ReturnType<typeof createLocalJWKSet>

/** The provider's keys can't be had and none are known: the caller's token is neither good nor bad. */
export class KeysUnavailableError extends Error {
  constructor(cause: unknown) {
    super('the identity provider did not return its keys', { cause })
    this.name = 'KeysUnavailableError'
  }
}

export class KeySet {
  readonly #clock: Clock
  readonly #load: () => Promise<unknown>
  #keys: LocalKeys | undefined
  #loadedAt = Number.NEGATIVE_INFINITY
  #askedAt = Number.NEGATIVE_INFINITY
  #failure: unknown
  #loading: Promise<void> | undefined

  constructor(clock: Clock, load: () => Promise<unknown>) {
    this.#clock = clock
    this.#load = load
  }

  readonly keyFor: JWTVerifyGetKey = async (header, token) => {
    const keys = await this.#current()
    try {
      const key = await keys(header, token)
      // A provider may sign with a new key under the old id, or publish one key without any.
      if (this.#mayAsk()) await flattenedVerify(token, key)
      return key
    } catch (error) {
      const unknownKey = error instanceof errors.JWKSNoMatchingKey && header.kid !== undefined
      const otherKey = error instanceof errors.JWSSignatureVerificationFailed
      if (!(unknownKey || otherKey) || !this.#mayAsk()) throw error
      await this.#ask()
      return (this.#keys ?? keys)(header, token)
    }
  }

  async #current(): Promise<LocalKeys> {
    const age = this.#clock.now() - this.#loadedAt
    if (age >= MAX_AGE_MS && this.#mayAsk()) await this.#ask()
    if (this.#keys !== undefined && this.#clock.now() - this.#loadedAt < MAX_STALE_MS) return this.#keys
    throw new KeysUnavailableError(this.#failure)
  }

  #mayAsk(): boolean {
    if (this.#loading !== undefined) return true
    const pause = this.#keys === undefined ? COLD_REFETCH_MS : REFETCH_MS
    return this.#clock.now() - this.#askedAt >= pause
  }

  async #ask(): Promise<void> {
    this.#loading ??= this.#refresh().finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  async #refresh(): Promise<void> {
    this.#askedAt = this.#clock.now()
    try {
      this.#keys = createLocalJWKSet((await this.#load()) as JSONWebKeySet)
      this.#loadedAt = this.#clock.now()
    } catch (error) {
      this.#failure = error
    }
  }
}
