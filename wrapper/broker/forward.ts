import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Fetch } from '../../edges/http/ports.ts'
import { Problem } from '../../edges/http/problem.ts'
import type { TokenSource } from '../../edges/http/token-source.ts'
import { sleep, type Clock } from '../clock.ts'
import type { Service } from './allowed-calls.ts'

export interface Upstream {
  readonly baseUrl: string
  /** Gives the bearer; the caller never sees it. */
  readonly token: TokenSource
  /** How long a service that nobody listens for is waited for. */
  readonly patienceMs: number
}

export interface ForwardOptions {
  readonly upstreams: Readonly<Partial<Record<Service, Upstream>>>
  readonly fetch: Fetch
  readonly clock: Clock
}

/** Set by the wrapper about the call, never taken from the agent. */
export type OwnHeaders = Readonly<Record<`x-platform-${string}`, string>>

const firstPauseMs = 250
const longestPauseMs = 4000

const passedRequestHeaders = ['accept', 'content-type', 'idempotency-key', 'x-request-id'] as const
const passedResponseHeaders = ['content-type', 'location', 'retry-after', 'x-request-id', 'allow'] as const

/** Adds the bearer to one call and streams the answer back. */
export async function forward(
  options: ForwardOptions,
  service: Service,
  path: string,
  request: FastifyRequest,
  reply: FastifyReply,
  ownHeaders: OwnHeaders = {},
): Promise<FastifyReply> {
  const upstream = options.upstreams[service]
  if (!upstream) throw new Problem('not-found', `this pod has no ${service} service`)
  const init = await requestOf(upstream, request, ownHeaders)
  const response = await reach(options, upstream, `${upstream.baseUrl}/${path}`, init, () => reply.raw.destroyed)
  if (response.status === 401) upstream.token.forget()
  for (const name of passedResponseHeaders) {
    const value = response.headers.get(name)
    if (value !== null) void reply.header(name, value)
  }
  void reply.code(response.status)
  return response.body ? reply.send(Readable.fromWeb(response.body as never)) : reply.send('')
}

async function requestOf(upstream: Upstream, request: FastifyRequest, own: OwnHeaders): Promise<RequestInit> {
  const headers = new Headers({ ...own, authorization: `Bearer ${await upstream.token.token()}` })
  for (const name of passedRequestHeaders) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  const hasBody = request.method !== 'GET' && Buffer.isBuffer(request.body) && request.body.length > 0
  return {
    method: request.method,
    headers,
    redirect: 'manual',
    ...(hasBody ? { body: new Uint8Array(request.body as Buffer) } : {}),
  }
}

/** A refused connection has carried nothing, so the call is made again; after any other failure it may have been heard. */
async function reach(
  { fetch, clock }: ForwardOptions,
  { patienceMs }: Upstream,
  url: string,
  init: RequestInit,
  isAbandoned: () => boolean,
): Promise<Response> {
  const giveUpAt = clock.now() + patienceMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await fetch(url, init)
    } catch (cause) {
      const leftMs = giveUpAt - clock.now()
      if (!isRefused(cause) || isAbandoned() || leftMs <= 0)
        throw new Problem('upstream-failed', 'the service behind this call could not be reached', { cause })
      await sleep(clock, Math.min(pauseMs, leftMs))
    }
  }
}

function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'
}

/** The pod's own token doesn't change while the pod lives. */
export function fixedToken(token: string): TokenSource {
  return { token: () => Promise.resolve(token), forget: () => undefined }
}
