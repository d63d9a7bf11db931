/** The client side of the Messages API, with the retries of the CLI as measured. */
import { setTimeout as delay } from 'node:timers/promises'
import { post } from './post.ts'

export type Block =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; input: Record<string, unknown> }

export interface ApiMessage {
  readonly id: string
  readonly role: 'assistant'
  readonly model: string
  readonly content: readonly Block[]
  readonly stop_reason: string | null
  readonly usage: Readonly<Record<string, number>>
  readonly requestId?: string
}

export interface ApiOptions {
  readonly baseUrl: string
  /** A unix socket that all requests go to, whatever host they name. */
  readonly socket?: string
  readonly headers: Readonly<Record<string, string>>
  readonly maxRetries: number
  /** Text as it is streamed, for the screen. */
  readonly onText?: (text: string) => void
}

/** The answer could not be had: `error` is what the StopFailure hook is told. */
export class ApiFailure extends Error {
  readonly status: number
  readonly error: string
  constructor(status: number, error: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.error = error
  }
}

/** ESC during an answer; `partial` is undefined before the first token. */
export class Interrupted extends Error {
  readonly partial: ApiMessage | undefined
  constructor(partial: ApiMessage | undefined) {
    super('interrupted')
    this.partial = partial
  }
}

const backoffMs = [600, 1_000, 2_000, 4_000, 8_000]
const errors: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'authentication_failed',
  403: 'authentication_failed',
  413: 'invalid_request',
  429: 'rate_limit',
}

export async function ask(
  options: ApiOptions,
  body: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ApiMessage> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await askOnce(options, body, signal)
    } catch (error) {
      if (signal.aborted) throw error instanceof Interrupted ? error : new Interrupted(undefined)
      const failure = asFailure(error)
      if (!isRetryable(failure) || attempt >= options.maxRetries) throw failure
      await delay(backoffMs[Math.min(attempt, backoffMs.length - 1)], undefined, { signal }).catch(() => {
        throw new Interrupted(undefined)
      })
    }
  }
}

function asFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error
  return new ApiFailure(0, 'server_error', `API Error: Connection error. ${String(error)}`, { cause: error })
}

function isRetryable(failure: ApiFailure): boolean {
  if (failure.message.startsWith("You've hit your limit")) return false
  return failure.status === 0 || failure.status === 401 || failure.status === 429 || failure.status >= 500
}

async function askOnce(
  options: ApiOptions,
  body: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ApiMessage> {
  const response = await post(options.socket, `${options.baseUrl}/v1/messages?beta=true`, {
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...options.headers },
    body: JSON.stringify({ ...body, stream: true }),
    signal,
  })
  if (!response.ok) throw await failureOf(response)
  const requestId = response.headers.get('request-id') ?? ''
  return { ...(await readStream(response, signal, options.onText)), requestId }
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const text = await response.text()
  const isLimit = response.status === 429 && response.headers.get('anthropic-ratelimit-unified-status') === 'rejected'
  const message = isLimit ? "You've hit your limit" : `API Error: ${response.status} ${text}`
  return new ApiFailure(response.status, errors[response.status] ?? 'server_error', message)
}

interface Partial {
  id: string
  model: string
  content: Block[]
  stop_reason: string | null
  usage: Record<string, number>
  json: string
}

async function readStream(response: Response, signal: AbortSignal, onText: ApiOptions['onText']): Promise<ApiMessage> {
  const partial: Partial = { id: '', model: '', content: [], stop_reason: null, usage: {}, json: '' }
  let text = ''
  let ended = false
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true })
      const events = text.split('\n\n')
      text = events.pop() ?? ''
      for (const event of events) ended = apply(partial, event, onText) || ended
    }
  } catch (error) {
    if (signal.aborted) throw new Interrupted(partial.content.length > 0 ? finished(partial) : undefined)
    throw error
  }
  if (!ended) throw new ApiFailure(0, 'server_error', 'API Error: the stream ended early')
  return finished(partial)
}

const decoder = new TextDecoder()

interface WireEvent {
  readonly type: string
  readonly message?: Pick<Partial, 'id' | 'model' | 'usage'>
  readonly content_block?: Block
  readonly delta?: { readonly text?: string; readonly partial_json?: string; readonly stop_reason?: string }
  readonly usage?: Record<string, number>
  readonly error?: unknown
}

/** True when the message is complete. */
function apply(partial: Partial, source: string, onText: ApiOptions['onText']): boolean {
  // A dot ends at U+2028, which stands unescaped in JSON.
  const data = /^data: ([^\n]*)/m.exec(source)?.[1]
  if (data === undefined) return false
  const event = JSON.parse(data) as WireEvent
  if (event.type === 'error') throw new ApiFailure(529, 'server_error', `API Error: ${JSON.stringify(event.error)}`)
  if (event.message !== undefined)
    Object.assign(partial, { id: event.message.id, model: event.message.model, usage: { ...event.message.usage } })
  if (event.content_block !== undefined) {
    partial.content.push(event.content_block)
    partial.json = ''
  }
  if (event.type === 'content_block_delta') applyDelta(partial, event.delta ?? {})
  if (event.delta?.text !== undefined) onText?.(event.delta.text)
  if (event.type === 'content_block_stop') endBlock(partial)
  if (event.type === 'message_delta') {
    partial.stop_reason = event.delta?.stop_reason ?? null
    Object.assign(partial.usage, event.usage)
  }
  return event.type === 'message_stop'
}

function applyDelta(partial: Partial, delta: NonNullable<WireEvent['delta']>): void {
  const block = partial.content.at(-1)
  if (block?.type === 'text') block.text += delta.text ?? ''
  else partial.json += delta.partial_json ?? ''
}

function endBlock(partial: Partial): void {
  const block = partial.content.at(-1)
  if (block?.type === 'tool_use') block.input = JSON.parse(partial.json || '{}') as Record<string, unknown>
}

function finished(partial: Partial): ApiMessage {
  const { id, model, content, stop_reason, usage } = partial
  return { id, role: 'assistant', model, content, stop_reason, usage }
}
