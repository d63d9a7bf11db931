/** An answer as the Messages API writes it: one JSON message, or the events of a stream. */
import { createHash } from 'node:crypto'
import type { Answer, MessagesRequest } from './messages.ts'

export interface Usage {
  readonly input_tokens: number
  readonly cache_creation_input_tokens: number
  readonly cache_read_input_tokens: number
  readonly output_tokens: number
}

export interface StreamEvent {
  readonly type: string
  readonly [member: string]: unknown
}

/** Four characters a token: near enough for budgets, and the same request always costs the same. */
export function tokensOf(value: unknown): number {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '')
  return Math.ceil(text.length / 4)
}

/** The newest message is fresh input; what stands before it was cached by the request before. */
function usageOf(request: MessagesRequest, answer: Answer): Usage {
  const before = request.messages.slice(0, -1)
  const fixed = tokensOf([request.system ?? '', request.tools ?? []])
  return {
    input_tokens: tokensOf(request.messages.at(-1)),
    cache_creation_input_tokens: before.length === 0 ? fixed : 0,
    cache_read_input_tokens: before.length === 0 ? 0 : fixed + tokensOf(before),
    output_tokens: tokensOf(answer.text) + (answer.call === undefined ? 0 : tokensOf(answer.call.input)),
  }
}

export function messageOf(request: MessagesRequest, answer: Answer): Record<string, unknown> {
  return {
    ...emptyMessage(request),
    content: blocks(answer),
    stop_reason: answer.stopReason,
    usage: usageOf(request, answer),
  }
}

export function streamOf(request: MessagesRequest, answer: Answer): readonly StreamEvent[] {
  const usage = usageOf(request, answer)
  return [
    { type: 'message_start', message: { ...emptyMessage(request), usage: { ...usage, output_tokens: 1 } } },
    { type: 'ping' },
    ...blocks(answer).flatMap(blockEvents),
    { type: 'message_delta', delta: { stop_reason: answer.stopReason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
}

/** The id is made of the request: a retry of it is the same message, another request never is. No list price is of its model. */
function emptyMessage(request: MessagesRequest): Record<string, unknown> {
  const digest = createHash('sha256').update(JSON.stringify(request)).digest('hex').slice(0, 24)
  return {
    id: `msg_${digest}`,
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: [],
    stop_reason: null,
    stop_sequence: null,
  }
}

type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> }

function blocks(answer: Answer): readonly Block[] {
  return [
    ...(answer.text === '' ? [] : [{ type: 'text' as const, text: answer.text }]),
    ...(answer.call === undefined ? [] : [{ type: 'tool_use' as const, ...answer.call }]),
  ]
}

function blockEvents(block: Block, index: number): readonly StreamEvent[] {
  const [empty, deltas] =
    block.type === 'text'
      ? [{ type: 'text', text: '' }, pieces(block.text).map((text) => ({ type: 'text_delta', text }))]
      : [
          { ...block, input: {} },
          pieces(JSON.stringify(block.input)).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
        ]
  return [
    { type: 'content_block_start', index, content_block: empty },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

/** By code points, so that no piece ends inside a surrogate pair; large texts in few pieces. */
function pieces(text: string): readonly string[] {
  const points = Array.from(text)
  const size = Math.max(48, Math.ceil(points.length / 64))
  return Array.from({ length: Math.ceil(points.length / size) }, (_, index) =>
    points.slice(index * size, (index + 1) * size).join(''),
  )
}
