import type { Static, TSchema } from 'typebox'
import { DeadlineError, withDeadline } from '../../../http/deadline.ts'
import type { Fetch } from '../../../http/ports.ts'
import { currentRequestId } from '../../../http/request-id.ts'
import { faultsOf } from '../../../http/problems/validation.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { EngineError } from '../port.ts'

export interface ApiOptions {
  readonly url: string
  readonly apiKey?: string | undefined
  readonly fetch: Fetch
  readonly clock: Clock
}

/** It answers from memory and files; a query may wait for a model. */
const quickMs = 15_000
export const modelMs = 120_000

export interface Call<S extends TSchema> {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: object
  readonly schema: S
  readonly withinMs?: number
  /** Statuses beside 200 that say something to the caller, who is then given null. */
  readonly nullStatuses?: readonly number[]
}

export interface LightRagApi {
  call<S extends TSchema>(call: Call<S>): Promise<Static<S> | null>
  /** As `call`, for calls to which only 200 is an answer. */
  ask<S extends TSchema>(call: Call<S>): Promise<Static<S>>
}

export function createApi(options: ApiOptions): LightRagApi {
  const base = options.url.replace(/\/+$/, '')

  async function call<S extends TSchema>(given: Call<S>): Promise<Static<S> | null> {
    const { path, withinMs = quickMs } = given
    try {
      return await withDeadline(options.clock, withinMs, (signal) => send(given, signal))
    } catch (error) {
      if (error instanceof EngineError) throw error
      const reason = error instanceof DeadlineError ? 'timeout' : 'failed'
      throw new EngineError(reason, `LightRAG did not answer ${path.replace(/\?.*/, '')}`, { cause: error })
    }
  }

  async function send<S extends TSchema>(given: Call<S>, signal: AbortSignal): Promise<Static<S> | null> {
    const { method = 'GET', path, body, schema, nullStatuses = [] } = given
    const requestId = currentRequestId()
    const response = await options.fetch(base + path, {
      method,
      signal,
      redirect: 'error',
      headers: {
        accept: 'application/json',
        ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(options.apiKey === undefined ? {} : { 'x-api-key': options.apiKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (nullStatuses.includes(response.status)) return null
    const where = path.replace(/\?.*/, '').replace(/(track_status\/).*/, '$1…')
    if (response.status !== 200) throw new EngineError('failed', `LightRAG answered ${response.status} to ${where}`)
    const value: unknown = JSON.parse(text)
    const [fault] = faultsOf(schema, value)
    if (fault)
      throw new EngineError('failed', `LightRAG’s answer to ${where} breaks its schema: ${fault.path} ${fault.message}`)
    return value as Static<S>
  }

  return {
    call,
    async ask(given) {
      const answer = await call(given)
      if (answer === null) throw new EngineError('failed', `LightRAG gave no answer to ${given.path}`)
      return answer
    },
  }
}
