/**
 * The only way to a forge's API: the Project's budget before each request, a deadline on it, conditional GETs (a 304
 * costs nothing of the primary limit), and limits told as `RateLimitedError`. Nothing is repeated here but what a renamed
 * repository sends on to its id. A write passes its fence last, when its turn has come.
 */
import { createHash } from 'node:crypto'
import { DeadlineError, withDeadline } from '../../../http/deadline.ts'
import type { Clock, Fetch } from '../../../http/ports.ts'
import { ForgeUnavailableError, type RateLimitedError } from '../errors.ts'
import type { ForgeWire, LimitHeaders, RepositoryPaths } from './adapter.ts'
import type { Fence } from '../port.ts'
import type { Budget } from './rate-limit.ts'

interface TransportOptions {
  readonly fetch: Fetch
  readonly clock: Clock
  readonly budget: Budget
  readonly wire: Pick<ForgeWire, 'limits' | 'repositories'>
}

/** One budget and one memory of answers for all who ask, each behind a fence of its own. */
export type Transport = (fence?: Fence) => Fetch

const DEADLINE_MS = 30_000
const KEPT_ANSWERS = 500
/** GitHub asks for at least a minute when a secondary limit comes without a time; GitLab counts most of its limits by the minute. */
const UNTOLD_WAIT_MS = 60_000

interface KeptAnswer {
  readonly etag: string
  readonly headers: Headers
  readonly body: ArrayBuffer
}

export function createTransport({ fetch, clock, budget, wire }: TransportOptions): Transport {
  const kept = keptAnswers()
  return (fence) => async (input, init) => {
    const url = String(input instanceof Request ? input.url : input)
    const answer = await ask(fence, url, init)
    return isRedirect(answer, init) ? follow(fence, url, answer, init) : answer
  }

  async function ask(fence: Fence | undefined, url: string, init: RequestInit | undefined): Promise<Response> {
    const operation = operationOf(url, init)
    await budget.take(operation)
    if (isWrite(init)) fence?.()
    const key = cacheKey(url, init)
    const known = key === undefined ? undefined : kept.get(key)
    const answer = await send({ fetch, clock }, operation, url, withEtag(init, known))
    const words = answer.status === 403 ? await answer.clone().text() : ''
    const limited = limitOf(wire.limits, answer, clock.now(), words)
    if (limited !== undefined) throw await closeBudget(operation, answer, limited)
    if (answer.status === 304 && known !== undefined)
      return answerAt(url, known.body, { status: 200, headers: known.headers })
    return key === undefined ? answer : kept.keep(key, url, answer)
  }

  /**
   * A repository that has another name answers under its id, also a write, which is sent there as it was, once. A subject of
   * another repository is not the one asked for.
   */
  async function follow(
    fence: Fence | undefined,
    url: string,
    answer: Response,
    init: RequestInit | undefined,
  ): Promise<Response> {
    const moved = movedTo(wire.repositories, url, answer.headers.get('location'))
    const asked = operationOf(url, init)
    if (isWrite(init) && !keepsMethod.has(answer.status))
      throw new ForgeUnavailableError(`${asked}: the forge answers a write with the address of a page`)
    if (moved === undefined)
      throw new ForgeUnavailableError(`${asked}: the forge sends to an address that is none of its own`)
    if (moved.isSameSubject && (await isOfRepository(moved, init))) {
      const there = await ask(fence, moved.url, init)
      if (!isRedirect(there, init)) return there
      throw new ForgeUnavailableError(`${asked}: the forge sends from one address to the next`)
    }
    return answerAt(url, jsonOf({ message: `moved to repository ${moved.id}` }), {
      status: 404,
      headers: { 'content-type': 'application/json' },
    })
  }

  /** The repository itself is where the forge says; of what is in it the repository that was named has to have the id. */
  async function isOfRepository({ repositoryUrl, id, tail }: Moved, init: RequestInit | undefined): Promise<boolean> {
    if (tail === '') return true
    const reads = readAs(init)
    const named = await ask(undefined, repositoryUrl, reads)
    const location = isRedirect(named, reads) ? named.headers.get('location') : null
    const movedUrl = movedTo(wire.repositories, repositoryUrl, location)
    return movedUrl === undefined ? named.ok && (await idIn(named)) === id : movedUrl.id === id
  }

  async function closeBudget(operation: string, answer: Response, limit: Limit): Promise<RateLimitedError> {
    await answer.body?.cancel()
    return budget.close(operation, limit.type, limit.waitMs)
  }
}

async function send(
  { fetch, clock }: Pick<TransportOptions, 'fetch' | 'clock'>,
  operation: string,
  url: string,
  init: RequestInit | undefined,
): Promise<Response> {
  try {
    return await withDeadline(clock, DEADLINE_MS, async (signal) =>
      buffered(url, await fetch(url, { ...init, signal, redirect: 'manual' })),
    )
  } catch (error) {
    const what = error instanceof DeadlineError ? error.message : 'the forge did not answer'
    throw new ForgeUnavailableError(`${operation}: ${what}`, { cause: error })
  }
}

interface KeptAnswers {
  get(key: string): KeptAnswer | undefined
  /** The same answer, to be read again; only one with an etag is kept. */
  keep(key: string, url: string, answer: Response): Promise<Response>
}

function keptAnswers(): KeptAnswers {
  const kept = new Map<string, KeptAnswer>()
  return {
    get: (key) => kept.get(key),
    async keep(key, url, answer) {
      const etag = answer.headers.get('etag')
      if (answer.status !== 200 || etag === null) return answer
      const body = await answer.arrayBuffer()
      kept.delete(key)
      kept.set(key, { etag, headers: answer.headers, body })
      if (kept.size > KEPT_ANSWERS) kept.delete(kept.keys().next().value!)
      return answerAt(url, body, { status: 200, headers: answer.headers })
    },
  }
}

function operationOf(url: string, init: RequestInit | undefined): string {
  return `${init?.method ?? 'GET'} ${new URL(url).pathname}`
}

function isWrite(init: RequestInit | undefined): boolean {
  return (init?.method ?? 'GET') !== 'GET'
}

/** The token and what is accepted, without the words of a write. */
function readAs(init: RequestInit | undefined): RequestInit | undefined {
  if (!isWrite(init)) return init
  const headers = new Headers(init?.headers)
  headers.delete('content-type')
  return { headers }
}

/** One that its caller does not follow himself (a log is another host's). */
function isRedirect({ status }: Response, init: RequestInit | undefined): boolean {
  return (isWrite(init) || init?.redirect !== 'manual') && [301, 302, 303, 307, 308].includes(status)
}

/** RFC 9110 section 15.4: a 302 or 303 asks for a page to be read. GitHub's 301 of a renamed repository means its method too. */
const keepsMethod = new Set([301, 307, 308])

interface Moved {
  readonly url: string
  readonly repositoryUrl: string
  /** The forge's own of the repository. */
  readonly id: string
  /** The path below the repository. */
  readonly tail: string
  readonly isSameSubject: boolean
}

function movedTo({ named, byId }: RepositoryPaths, from: string, location: string | null): Moved | undefined {
  if (location === null || !URL.canParse(location, from)) return undefined
  const asked = new URL(from)
  const url = new URL(location, from)
  const here = named.exec(asked.pathname)?.groups
  const there = byId.exec(url.pathname)?.groups
  if (url.origin !== asked.origin || here === undefined || there === undefined || here['base'] !== there['base'])
    return undefined
  const tail = here['tail'] ?? ''
  return {
    url: url.href,
    repositoryUrl: from.slice(0, from.length - asked.search.length - tail.length),
    id: there['id']!,
    tail,
    isSameSubject: tail === (there['tail'] ?? ''),
  }
}

async function idIn(answer: Response): Promise<string | undefined> {
  const { id } = (await answer.clone().json()) as { readonly id?: number }
  return id === undefined ? undefined : String(id)
}

function jsonOf(value: object): ArrayBuffer {
  return new TextEncoder().encode(JSON.stringify(value)).buffer
}

interface Limit {
  readonly type: 'primary' | 'secondary'
  readonly waitMs: number
}

/**
 * 429, or a 403 that says when to come back or names a limit (FORGE-BUDGET-3): any other 403 is a missing right. Without a time
 * the words alone name a secondary limit: the remaining requests are of the primary one.
 */
export function limitOf(headers: LimitHeaders, answer: Response, now: number, words: string): Limit | undefined {
  if (!headers.statuses.includes(answer.status)) return undefined
  const retryAfter = Number(answer.headers.get('retry-after') ?? Number.NaN)
  const spent = answer.headers.get(headers.remaining) === '0'
  const reset = Number(answer.headers.get(headers.reset) ?? Number.NaN) * 1000 - now
  if (Number.isFinite(retryAfter))
    return { type: spent ? 'primary' : 'secondary', waitMs: Math.max(retryAfter * 1000, 0) }
  if (spent) return { type: 'primary', waitMs: Number.isFinite(reset) ? Math.max(reset, 1000) : UNTOLD_WAIT_MS }
  const isSecondary = answer.status === 429 || headers.words?.test(words) === true
  return isSecondary ? { type: 'secondary', waitMs: UNTOLD_WAIT_MS } : undefined
}

/** The deadline covers the body too. */
async function buffered(url: string, answer: Response): Promise<Response> {
  if (answer.status === 204 || answer.status === 304) return answer
  return answerAt(url, await answer.arrayBuffer(), {
    status: answer.status,
    statusText: answer.statusText,
    headers: answer.headers,
  })
}

/** octokit's paging reads `url`, which a made Response leaves empty. */
function answerAt(url: string, body: ArrayBuffer, init: ResponseInit): Response {
  return Object.defineProperty(new Response(body, init), 'url', { value: url })
}

/** Per token: what one may read is not what another may. */
function cacheKey(url: string, init: RequestInit | undefined): string | undefined {
  if (isWrite(init)) return undefined
  const headers = new Headers(init?.headers)
  return createHash('sha256')
    .update([url, ...['accept', 'authorization', 'private-token'].map((name) => headers.get(name))].join('\n'))
    .digest('hex')
}

function withEtag(init: RequestInit | undefined, known: KeptAnswer | undefined): RequestInit | undefined {
  if (known === undefined) return init
  const headers = new Headers(init?.headers)
  headers.set('if-none-match', known.etag)
  return { ...init, headers }
}
