import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Fetch } from '../../edges/http/ports.ts'
import { Problem } from '../../edges/http/problem.ts'
import type { TokenSource } from '../../edges/http/token-source.ts'
import type { Service } from './allowed-calls.ts'

export interface Upstream {
  readonly baseUrl: string
  /** Gives the bearer; the caller never sees it. */
  readonly token: TokenSource
}

export interface ForwardOptions {
  readonly upstreams: Readonly<Partial<Record<Service, Upstream>>>
  readonly fetch: Fetch
}

const passedRequestHeaders = ['accept', 'content-type', 'idempotency-key', 'x-request-id'] as const
const passedResponseHeaders = ['content-type', 'location', 'retry-after', 'x-request-id', 'allow'] as const

/** Adds the bearer to one call and streams the answer back. */
export async function forward(
  options: ForwardOptions,
  service: Service,
  path: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const upstream = options.upstreams[service]
  if (!upstream) throw new Problem('not-found', `this pod has no ${service} service`)
  const response = await call(options.fetch, upstream, path, request)
  if (response.status === 401) upstream.token.forget()
  for (const name of passedResponseHeaders) {
    const value = response.headers.get(name)
    if (value !== null) void reply.header(name, value)
  }
  void reply.code(response.status)
  return response.body ? reply.send(Readable.fromWeb(response.body as never)) : reply.send('')
}

async function call(fetch: Fetch, upstream: Upstream, path: string, request: FastifyRequest): Promise<Response> {
  const headers = new Headers({ authorization: `Bearer ${await upstream.token.token()}` })
  for (const name of passedRequestHeaders) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  const hasBody = request.method !== 'GET' && Buffer.isBuffer(request.body) && request.body.length > 0
  try {
    return await fetch(`${upstream.baseUrl}/${path}`, {
      method: request.method,
      headers,
      redirect: 'manual',
      ...(hasBody ? { body: new Uint8Array(request.body as Buffer) } : {}),
    })
  } catch (cause) {
    throw new Problem('upstream-failed', 'the service behind this call could not be reached', { cause })
  }
}

/** The pod's own token doesn't change while the pod lives. */
export function fixedToken(token: string): TokenSource {
  return { token: () => Promise.resolve(token), forget: () => undefined }
}
