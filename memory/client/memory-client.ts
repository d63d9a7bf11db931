/** The knowledge service's REST interface as its clients call it. */
import { gzipSync } from 'node:zlib'
import { ApiError } from '../../http/problems/api-error.ts'
import { withDeadline } from '../../http/deadline.ts'
import type { Clock, Fetch } from '../../http/ports.ts'
import type { TokenSource } from '../../http/token-source.ts'

export interface MemoryClient {
  readonly url: string
  get(path: string): Promise<unknown>
  post(path: string, body: unknown): Promise<unknown>
  delete(path: string): Promise<unknown>
}

export interface MemoryClientOptions {
  readonly url: string
  readonly tokens: TokenSource
  readonly clock: Clock
  readonly fetch: Fetch
  readonly wait: (ms: number) => Promise<void>
}

interface Answer {
  readonly ok: boolean
  readonly status: number
  readonly text: string
}

/** A graph of a big repository takes a while to be taken in. */
const answerMs = 300_000
/** Bodies above this are sent packed. */
const packFrom = 64 * 1024
/** A service that restarts is back by then; all that is sent may be sent again. */
const waits: readonly number[] = [500, 2_000, 5_000]
const later: ReadonlySet<number> = new Set([429, 502, 503, 504])

export function memoryClient({ url, tokens, clock, fetch, wait }: MemoryClientOptions): MemoryClient {
  const base = url.replace(/\/$/, '')

  async function send(method: string, path: string, body: unknown): Promise<Answer> {
    const headers: Record<string, string> = {
      authorization: `Bearer ${await tokens.token()}`,
      accept: 'application/json',
    }
    let content: Uint8Array<ArrayBuffer> | undefined
    if (body !== undefined) {
      const text = Buffer.from(JSON.stringify(body))
      const packed = text.length > packFrom
      content = Uint8Array.from(packed ? gzipSync(text) : text)
      headers['content-type'] = 'application/json'
      if (packed) headers['content-encoding'] = 'gzip'
    }
    return withDeadline(clock, answerMs, async (signal) => {
      const init = { method, headers, signal }
      const answer = await fetch(`${base}${path}`, content === undefined ? init : { ...init, body: content })
      return { ok: answer.ok, status: answer.status, text: await answer.text() }
    })
  }

  async function call(method: string, path: string, body?: unknown): Promise<unknown> {
    let refreshed = false
    for (let attempt = 0; ; attempt += 1) {
      const pause = waits[attempt]
      const answer = await send(method, path, body).catch((error: unknown) => {
        if (pause === undefined || !isConnection(error)) throw unreachable(url, error)
        return undefined
      })
      if (answer?.status === 401 && !refreshed) {
        refreshed = true
        tokens.forget()
        continue
      }
      if (answer !== undefined && (!later.has(answer.status) || pause === undefined)) return read(answer)
      await wait(pause ?? 0)
    }
  }

  return {
    url,
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    delete: (path) => call('DELETE', path),
  }
}

function read({ ok, status, text }: Answer): unknown {
  let value: unknown = text === '' ? undefined : text
  try {
    if (text !== '') value = JSON.parse(text)
  } catch {
    // Said as it came: a proxy in between answers in HTML.
  }
  if (ok) return value
  throw new ApiError('the knowledge service', status, value)
}

function isConnection(error: unknown): boolean {
  return error instanceof TypeError
}

function unreachable(url: string, error: unknown): Error {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
  if (error instanceof Error && error.name !== 'TypeError') return error
  return new Error(`the knowledge service at ${url} cannot be reached${cause}`, { cause: error })
}
