import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../http/problems/problem.ts'
import type { Fetch } from '../../http/ports.ts'
import { BlockReader, readWhole, type BlockSink } from '../attestation/block-reader.ts'
import { refusalEvent, refusalOf } from './ceiling.ts'
import { StreamReader, type ModelMeter } from './meter.ts'

/** The real credential of the model: lives here and in no file, variable or argument of the agent. */
interface ModelCredential {
  readonly kind: 'api-key' | 'oauth'
  readonly value: string
}

export interface ModelProxyOptions {
  readonly baseUrl: string
  readonly credential: ModelCredential
  readonly fetch: Fetch
  readonly meter: ModelMeter
  /** Where the `tool_use` blocks go of what the model answers to this request. */
  readonly requestBegan: (body: Uint8Array) => BlockSink
  readonly onOutput: () => void
  /** A request that brought no whole answer: its status, 0 when the connection failed or broke off. */
  readonly onFailure: (status: number) => void
}

/** Largest request of the Messages API. */
export const maxModelRequestBytes = 32 * 1024 * 1024

/** Hop-by-hop and credential headers of the agent's request never go on; the body's coding must stay readable here. */
const droppedRequestHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'authorization',
  'x-api-key',
  'accept-encoding',
  'cookie',
  'proxy-authorization',
])
const droppedResponseHeaders = new Set([
  'connection',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'keep-alive',
  'set-cookie',
])

/** Passes one request of the CLI on to the model provider with the real key, and streams the answer back while counting. */
export async function forwardToModel(
  options: ModelProxyOptions,
  path: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (asksForTokens(path, request) && !options.meter.mayGoOn()) {
    const { status, body } = refusalOf(options.meter.ceiling.limit)
    return reply.code(status).send(body)
  }
  const gone = new AbortController()
  reply.raw.on('close', () => gone.abort())
  options.meter.requestStarted()
  reply.raw.on('close', () => options.meter.requestEnded())
  const sink = asksForTokens(path, request) ? options.requestBegan(bodyOf(request)) : undefined
  const response = await ask(options, path, request, gone.signal)
  // The CLI went away (an interrupt does that): there is nobody to answer.
  if (!response) return reply.hijack()
  options.meter.responseStarted(response.status, response.headers)
  if (asksForTokens(path, request) && !response.ok) failed(options, response.status)
  for (const [name, value] of response.headers) if (!droppedResponseHeaders.has(name)) void reply.header(name, value)
  void reply.code(response.status)
  if (!response.body) return reply.send('')
  return reply.send(counted(options, response, response.body, response.ok ? sink : undefined))
}

/** Counting tokens or listing models is free. */
function asksForTokens(path: string, request: FastifyRequest): boolean {
  return request.method === 'POST' && path.split('?', 1)[0] === '/v1/messages'
}

async function ask(
  options: ModelProxyOptions,
  path: string,
  request: FastifyRequest,
  signal: AbortSignal,
): Promise<Response | undefined> {
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD'
  try {
    return await options.fetch(`${options.baseUrl}${path}`, {
      method: request.method,
      headers: requestHeaders(options.credential, request),
      signal,
      redirect: 'manual',
      ...(hasBody && Buffer.isBuffer(request.body) ? { body: new Uint8Array(request.body) } : {}),
    })
  } catch (cause) {
    if (signal.aborted) return undefined
    failed(options, 0)
    throw new Problem('upstream-failed', 'the model provider could not be reached', { cause })
  }
}

function bodyOf({ body }: FastifyRequest): Uint8Array {
  return Buffer.isBuffer(body) ? body : new Uint8Array()
}

function requestHeaders(credential: ModelCredential, request: FastifyRequest): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && !droppedRequestHeaders.has(name))
      headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  headers.set('accept-encoding', 'identity')
  if (credential.kind === 'oauth') headers.set('authorization', `Bearer ${credential.value}`)
  else headers.set('x-api-key', credential.value)
  return headers
}

/** Counts and registers what passes. Nothing reaches the CLI before its blocks are registered. */
function counted(
  options: ModelProxyOptions,
  response: Response,
  body: ReadableStream<Uint8Array>,
  sink: BlockSink | undefined,
): Readable {
  const streams = (response.headers.get('content-type') ?? '').startsWith('text/event-stream')
  return Readable.from(streams ? countStream(options, body, sink) : countWhole(options, response, body, sink), {
    objectMode: false,
  })
}

async function* countStream(
  options: ModelProxyOptions,
  body: ReadableStream<Uint8Array>,
  sink: BlockSink | undefined,
): AsyncGenerator<Uint8Array> {
  const reader = new StreamReader(options.meter)
  const blocks = sink && new BlockReader(sink)
  const decoder = new TextDecoder()
  try {
    for await (const chunk of body) {
      options.meter.received(chunk.length)
      options.onOutput()
      const text = decoder.decode(chunk, { stream: true })
      reader.push(text)
      blocks?.push(text)
      yield chunk
      if (reader.isOpen && !options.meter.mayGoOn()) {
        // Leaving the loop closes the request upstream, so the provider stops there too.
        yield Buffer.from(refusalEvent(options.meter.ceiling.limit))
        return
      }
    }
  } catch (error) {
    failed(options, 0)
    throw error
  } finally {
    blocks?.end()
  }
  if (reader.isOpen) failed(options, 0)
}

function failed({ meter, onFailure }: ModelProxyOptions, status: number): void {
  meter.failed(status)
  onFailure(status)
}

async function* countWhole(
  options: ModelProxyOptions,
  response: Response,
  body: ReadableStream<Uint8Array>,
  sink: BlockSink | undefined,
): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) {
    chunks.push(chunk)
    options.meter.received(chunk.length)
  }
  const whole = Buffer.concat(chunks)
  try {
    const message: unknown = JSON.parse(whole.toString('utf8'))
    options.meter.message(message)
    if (!response.ok) options.meter.refused(message)
    if (sink) readWhole(sink, message)
    if (response.ok) options.meter.answeredWhole()
  } catch {
    // Not a message: an error page or a count.
  }
  yield whole
}
