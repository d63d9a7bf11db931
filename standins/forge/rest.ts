/** What the REST servers of both dialects share: what a route works with, the faults around it, and how a failure is answered. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { FaultBoard } from './faults.ts'
import type { Actor, Repository } from './store/records.ts'
import type { World } from './store/world.ts'
import type { Sender } from './webhooks/sender.ts'

/** What every route works with. */
export interface Platform<Links> {
  readonly world: World
  readonly links: Links
  readonly sender: Sender
  readonly faults: FaultBoard
}

/** One authenticated request. On routes without a repository in their path `repository` is never read. */
export interface Call<Links> extends Platform<Links> {
  readonly actor: Actor | undefined
  /** The actor where one is needed; without one the answer is 401. */
  readonly writer: Actor
  readonly repository: Repository
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** Path and query as asked, for the addresses of other pages. */
  readonly url: string
}

export interface Answer<Text> {
  readonly status?: number
  readonly body?: unknown
  readonly text?: Text
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer that is not about the store: no token, a wrong one, a body that is no JSON. */
export class HttpRefusal extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

export interface Worded {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export function numberParam(call: { readonly params: Readonly<Record<string, string>> }, name: string): number {
  const text = call.params[name] ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : -1
}

/** The dialect's words for a secondary rate limit and for a server that fails. */
export interface FaultWords {
  readonly tooMany: string
  readonly failed: string
}

/** Runs what answers the request, unless a fault strikes before it; a fault after it hides its answer. */
export async function strikeAround<A>(
  faults: FaultBoard,
  { method, url }: FastifyRequest,
  { prefix, tooMany, failed }: FaultWords & { readonly prefix: string },
  run: () => A | Promise<A>,
): Promise<A> {
  const path = decodeURI(url.split('?')[0] ?? '').slice(prefix.length)
  const limited = faults.strikeRequest('rateLimit', method, path)
  if (limited) {
    const { status = 429, retryAfter = 1 } = limited
    throw new HttpRefusal(status, tooMany, retryAfter === null ? {} : { 'retry-after': String(retryAfter) })
  }
  const broken = faults.strikeRequest('errorBeforeWrite', method, path)
  if (broken) throw new HttpRefusal(broken.status ?? 502, failed)
  const answer = await run()
  const lost = faults.strikeRequest('errorAfterWrite', method, path)
  if (lost) throw new HttpRefusal(lost.status ?? 502, failed)
  return answer
}

/** Answers a failure in the dialect's words. One that it has none for is the forge's own: it is logged, and answered with `failed`. */
export function errorHandler(
  wordError: (error: unknown) => Worded | undefined,
  failed: string,
  log: (error: unknown) => void,
): (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  return (error, _request, reply) => {
    const known = wordError(error) ?? wordError(fromFastify(error))
    if (!known) log(error)
    const { status, headers, body } = known ?? wordError(new HttpRefusal(500, failed))!
    return reply
      .code(status)
      .headers({ ...headers })
      .send(body)
  }
}

function fromFastify(error: unknown): unknown {
  const { statusCode: status, message } = error as Partial<FastifyError>
  return status !== undefined && status >= 400 && status < 500 ? new HttpRefusal(status, message ?? '') : error
}
