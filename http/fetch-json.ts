import type { Static, TSchema } from 'typebox'
import { withDeadline } from './deadline.ts'
import { faultsOf } from './problems/validation.ts'
import type { Clock, Fetch } from './ports.ts'

/** HTTP-RULE-5: a request of ours waits no longer than this for an identity provider. */
const IDENTITY_TIMEOUT_MS = 2_000

/** An answer that was not 2xx. The body stays out of the message: it may repeat what was sent. */
class AnswerError extends Error {
  readonly status: number

  constructor(url: string, status: number) {
    super(`${new URL(url).origin} answered ${status}`)
    this.name = 'AnswerError'
    this.status = status
  }
}

interface JsonRequest<S extends TSchema> {
  readonly url: string
  readonly init?: {
    readonly method?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
  }
  /** What the answer has to be; more fields than these are fine. */
  readonly schema: S
  readonly clock: Clock
  readonly fetch: Fetch
}

/** One request to an identity provider, with a deadline over headers and body, redirects refused. */
export async function fetchJson<S extends TSchema>({
  url,
  init,
  schema,
  clock,
  fetch,
}: JsonRequest<S>): Promise<Static<S>> {
  return withDeadline(clock, IDENTITY_TIMEOUT_MS, async (signal) => {
    const headers = { accept: 'application/json', ...init?.headers }
    const answer = await fetch(url, { ...init, headers, signal, redirect: 'error' })
    if (!answer.ok) {
      await answer.body?.cancel()
      throw new AnswerError(url, answer.status)
    }
    const value: unknown = await answer.json()
    const [fault] = faultsOf(schema, value)
    if (fault !== undefined)
      throw new Error(`${new URL(url).origin} sent an answer that breaks its schema: ${fault.path} ${fault.message}`)
    return value as Static<S>
  })
}
