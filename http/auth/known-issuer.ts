/**
 * A provider's published configuration, asked for from the start on and again until it is had: a program whose identity
 * provider is away serves what needs no provider.
 */
import type { Logger } from '../operational/logging.ts'
import type { Clock, Fetch } from '../ports.ts'
import { discoverIssuer, type IssuerMetadata } from './discovery.ts'

export interface KnownIssuer {
  /** Rejects while the provider does not answer. */
  metadata(): Promise<IssuerMetadata>
  /** In words for an operator; empty once the provider has answered. */
  missing(): readonly string[]
  stop(): void
}

interface KnownIssuerOptions {
  readonly issuer: string
  readonly clock: Clock
  readonly fetch: Fetch
  readonly logger: Logger
  /** A number in [0, 1), as `Math.random` gives it. */
  readonly random: () => number
}

const firstPauseMs = 5_000
const longestPauseMs = 60_000

export function knownIssuer({ issuer, clock, fetch, logger, random }: KnownIssuerOptions): KnownIssuer {
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

  /** The failures 1, 2, 4, 8 and so on are logged. */
  function watch(failures: number): void {
    ask().then(
      () => failures === 0 || logger.info({ failures }, 'the identity provider answers now'),
      ({ message: error }: Error) => {
        const failed = failures + 1
        if (Number.isInteger(Math.log2(failed)))
          logger.warn({ error, failures: failed }, 'the identity provider does not answer; the server retries')
        if (!isStopped) cancel = clock.setTimer(pauseMs(failed, random), () => watch(failed)).cancel
      },
    )
  }

  watch(0)
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

/** Half of it by chance: many servers lost their provider at the same moment. */
function pauseMs(failures: number, random: () => number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1)) * (1 - random() / 2)
}
