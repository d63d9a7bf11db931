/** Writes answers and faults to the connection. */
import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { AccountUsage, FaultStep } from '../scenarios/format.ts'
import { errorOf, type ErrorAnswer } from './faults.ts'
import type { Answer, MessagesRequest } from './messages.ts'
import { messageOf, streamOf, type StreamEvent } from './wire.ts'

export interface Exchange {
  readonly request: MessagesRequest
  readonly response: ServerResponse
  readonly requestId: string
  readonly accountUsage: AccountUsage | undefined
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

export function sendError(response: ServerResponse, error: ErrorAnswer, requestId: string): void {
  const body = { type: 'error', error: { type: error.type, message: error.message }, request_id: requestId }
  sendJson(response, error.status, body, { 'request-id': requestId, ...error.headers })
}

/** `seconds` spreads the events over that time; a client that hung up ends the writing. */
export async function sendAnswer(exchange: Exchange, answer: Answer, seconds = 0): Promise<void> {
  const { request, response, requestId } = exchange
  const headers = { 'request-id': requestId, ...usageHeaders(exchange.accountUsage) }
  if (request.stream !== true) {
    if (seconds > 0) await delay(seconds * 1000)
    return sendJson(response, 200, messageOf(request, answer), headers)
  }
  const events = streamOf(request, answer)
  startStream(response, headers)
  for (const event of events) {
    if (response.destroyed) return
    writeEvent(response, event)
    if (seconds > 0) await delay((seconds * 1000) / events.length)
  }
  response.end()
}

export async function sendFault(exchange: Exchange, fault: FaultStep): Promise<void> {
  const { response, request, requestId } = exchange
  const error = errorOf(fault, Date.now() / 1000)
  if (error !== undefined) return sendError(response, error, requestId)
  const text = fault.text ?? 'This sentence is cut off in the mid'
  switch (fault.fault) {
    case 'refusal':
      return sendAnswer(exchange, { text: fault.text ?? '', stopReason: 'refusal' })
    case 'maxTokens':
      return sendAnswer(exchange, { text, stopReason: 'max_tokens' })
    case 'hang':
      return fault.seconds === undefined ? undefined : pingEach(exchange, fault.seconds)
    default:
      break
  }
  if (request.stream === true) {
    startStream(response, { 'request-id': requestId })
    for (const event of streamOf(request, { text, stopReason: 'end_turn' }).slice(0, 4)) writeEvent(response, event)
  }
  if (fault.fault === 'errorEvent' && request.stream === true) {
    writeEvent(response, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })
    return void response.end()
  }
  await delay(20)
  response.socket?.resetAndDestroy()
}

async function pingEach({ request, response, requestId }: Exchange, seconds: number): Promise<void> {
  if (request.stream !== true) return
  startStream(response, { 'request-id': requestId })
  while (!response.destroyed) {
    writeEvent(response, { type: 'ping' })
    await delay(seconds * 1000, undefined, { ref: false })
  }
}

function startStream(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    ...headers,
  })
}

function writeEvent(response: ServerResponse, event: StreamEvent): void {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}

/** What a subscription's answers carry; the CLI shows it to its status line. */
function usageHeaders(usage: AccountUsage | undefined): Readonly<Record<string, string>> {
  if (usage === undefined) return {}
  const reset = String(Math.ceil(Date.now() / 1000 + (usage.resetsInSeconds ?? 3600)))
  return {
    'anthropic-ratelimit-unified-status': 'allowed',
    'anthropic-ratelimit-unified-5h-status': 'allowed',
    'anthropic-ratelimit-unified-5h-utilization': String(usage.fiveHour),
    'anthropic-ratelimit-unified-5h-reset': reset,
    'anthropic-ratelimit-unified-7d-status': 'allowed',
    'anthropic-ratelimit-unified-7d-utilization': String(usage.sevenDay),
    'anthropic-ratelimit-unified-7d-reset': reset,
  }
}
