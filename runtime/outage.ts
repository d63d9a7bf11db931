/**
 * Somebody who is asked again and again does not answer: a store, a forge, a pod, a provider. An outage costs time and
 * nothing else, so tries become rare, and lines in the log rarer still.
 *
 * - O1 The pause before the next try is the jittered backoff of `backoff.ts`, by the failures since the last answer.
 * - O2 The failures 1, 2, 4, 8 and so on are logged, then the answer that ends them; an answer without a failure never.
 */
import { backoffMs, type BackoffBounds } from './backoff.ts'
import type { Clock } from './clock.ts'
import { messageOf } from './errors.ts'
import type { Logger } from './logger.ts'
import type { Random } from './random.ts'

interface OutageOptions {
  readonly clock: Pick<Clock, 'elapsed'>
  readonly random: Random
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** The sentence of a failure, and the one of its end. */
  readonly failing: string
  readonly over: string
  readonly bounds?: BackoffBounds
}

export interface Outage {
  /** Counts a failed try and gives the pause before the next one, in milliseconds. */
  failed(error: unknown, fields?: object): number
  /** The other side answered. */
  answered(fields?: object): void
}

export function createOutage({ clock, random, logger, failing, over, bounds }: OutageOptions): Outage {
  let failures = 0
  let since = 0
  return {
    failed(error, fields = {}) {
      if (failures === 0) since = clock.elapsed()
      failures += 1
      if (isLogged(failures)) logger.warn({ ...fields, failures, error: messageOf(error) }, failing)
      return backoffMs(failures, random, bounds)
    },
    answered(fields = {}) {
      if (failures === 0) return
      logger.info({ ...fields, failures, afterMs: clock.elapsed() - since }, over)
      failures = 0
    },
  }
}

/** Of many failures in a row: at doubling distance, so that a day of an outage is a dozen lines. */
export function isLogged(failures: number): boolean {
  return Number.isInteger(Math.log2(failures))
}
