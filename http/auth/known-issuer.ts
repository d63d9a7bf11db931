/**
 * A provider's published configuration, asked for from the start on and again until it is had: a program whose identity
 * provider is away serves what needs no provider.
 */
import type { Logger } from '../logging.ts'
import type { Clock, Fetch } from '../ports.ts'
import { discoverIssuer, type IssuerMetadata } from './discovery.ts'

export interface KnownIssuer {
  /** Rejects while the provider does not answer. */
  metadata(): Promise<IssuerMetadata>
  /** In words for an operator; empty once the provider has answered. */
  missing(): readonly string[]
  stop(): void
}

export interface KnownIssuerOptions {
  readonly issuer: string
  readonly clock: Clock
  readonly fetch: Fetch
  readonly logger: Logger
}

const again = 5_000

export function knownIssuer({ issuer, clock, fetch, logger }: KnownIssuerOptions): KnownIssuer {
  let known: IssuerMetadata | undefined
  let asking: Promise<IssuerMetadata> | undefined
  let isStopped = false
  let cancel = (): void => undefined

  async function ask(): Promise<IssuerMetadata> {
    if (known !== undefined) return known
    asking ??= discoverIssuer(issuer, clock, fetch).finally(() => (asking = undefined))
    known = await asking
    return known
  }

  function watch(isFirst: boolean): void {
    ask().then(
      () => isFirst || logger.info('the identity provider answers now'),
      (error: Error) => {
        if (isFirst) logger.warn({ error: error.message }, 'the identity provider does not answer; the server retries')
        if (!isStopped) cancel = clock.setTimer(again, () => watch(false)).cancel
      },
    )
  }

  watch(true)
  return {
    metadata: ask,
    missing: () =>
      known === undefined ? ['the identity provider has not answered yet, so the server refuses every token'] : [],
    stop() {
      isStopped = true
      cancel()
    },
  }
}
