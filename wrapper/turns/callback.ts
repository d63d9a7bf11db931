import { signHmac } from '../../http/auth/hmac.ts'
import type { Logger } from '../../http/operational/logging.ts'
import type { Fetch } from '../../http/ports.ts'
import type { TurnComplete } from '../../machines/turn/schema.ts'
import type { BackoffBounds } from '../../runtime/backoff.ts'
import { createOutage } from '../../runtime/outage.ts'
import { sleep, type Clock } from '../clock.ts'
import { messageOf } from '../errors.ts'

export interface Posting {
  readonly fetch: Fetch
  readonly clock: Clock
  readonly secret?: string | undefined
}

interface CallbackOptions extends Posting {
  /** A number in [0, 1), as `Math.random` gives it. */
  readonly random: () => number
  readonly logger: Logger
  readonly defaultUrl: string
  readonly traceparentOf: (turnId: string) => string | undefined
}

const pauses: BackoffBounds = { firstMs: 500, longestMs: 60_000 }
const attemptLimitMs = 10_000

/** Tells the orchestrator that a turn ended, again and again until it is acknowledged; polling stays true meanwhile. */
export class CallbackSender {
  readonly #options: CallbackOptions
  readonly #open = new Set<Promise<void>>()
  #stopped = false

  constructor(options: CallbackOptions) {
    this.#options = options
  }

  /** Calls `acknowledged` after a 2xx; at once when there is nowhere to send to. */
  send(body: TurnComplete, callbackUrl: string | undefined, acknowledged: () => void): void {
    const url = callbackUrl || this.#options.defaultUrl
    if (url === '') return acknowledged()
    const sending = this.#deliver(url, JSON.stringify(body), body.turnId, acknowledged).finally(() =>
      this.#open.delete(sending),
    )
    this.#open.add(sending)
  }

  /** Waits for what is under way; whatever is left stays in the journal for the next start. */
  async drain(limitMs: number): Promise<void> {
    await Promise.race([Promise.allSettled(this.#open), sleep(this.#options.clock, limitMs)])
    this.#stopped = true
  }

  async #deliver(url: string, body: string, turnId: string, acknowledged: () => void): Promise<void> {
    const { clock, random, logger } = this.#options
    const outage = createOutage({
      clock: { elapsed: () => clock.now() },
      random,
      logger,
      failing: 'the orchestrator did not acknowledge a callback',
      over: 'the orchestrator acknowledged a callback that it had not',
      bounds: pauses,
    })
    while (!this.#stopped) {
      const failure = await this.#attempt(url, body, turnId)
      if (failure === undefined) {
        outage.answered({ turnId })
        return acknowledged()
      }
      await sleep(clock, outage.failed(failure, { turnId }))
    }
  }

  #attempt(url: string, body: string, turnId: string): Promise<string | undefined> {
    const traceparent = this.#options.traceparentOf(turnId)
    const headers = { 'x-request-id': turnId, ...(traceparent === undefined ? {} : { traceparent }) }
    return postSigned(this.#options, { url, body, headers, limitMs: attemptLimitMs })
  }
}

interface Post {
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly limitMs: number
}

/** Answers what failed. Redirects are not followed: they would lead around the rules for callback URLs. */
export async function postSigned(
  { fetch, clock, secret }: Posting,
  { url, body, headers, limitMs }: Post,
): Promise<string | undefined> {
  const limit = new AbortController()
  const timer = clock.setTimer(limitMs, () => limit.abort())
  try {
    const all = {
      'content-type': 'application/json',
      ...headers,
      ...(secret ? { 'x-platform-signature': signHmac(secret, body) } : {}),
    }
    const response = await fetch(url, { method: 'POST', headers: all, body, redirect: 'manual', signal: limit.signal })
    await response.body?.cancel()
    return response.ok ? undefined : `status ${response.status}`
  } catch (error) {
    return messageOf(error)
  } finally {
    timer.cancel()
  }
}
