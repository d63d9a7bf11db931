import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the model of a test does with one request. `hold` keeps the stream open after the text until the client leaves. */
export type Move =
  | {
      readonly kind: 'say'
      readonly text: string
      readonly hold?: boolean
      readonly stopReason?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  | { readonly kind: 'call'; readonly tool: string; readonly input: object }
  | {
      readonly kind: 'refuse'
      readonly status: number
      readonly type: string
      readonly message?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  | { readonly kind: 'silence' }
  /** A stream that ends in the middle, with the API's own error event or without a word. */
  | {
      readonly kind: 'break'
      readonly how: 'error-event' | 'reset'
      /** Streamed whole before it breaks, and answered in one piece when asked again. */
      readonly after?: { readonly tool: string; readonly input: object }
    }

export interface ModelRequest {
  readonly text: string
  readonly headers: IncomingMessage['headers']
  readonly body: MessagesBody
}

interface MessagesBody {
  readonly stream?: boolean
  readonly model: string
  readonly tools?: readonly { readonly name: string }[]
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

export interface TestModel {
  readonly url: string
  readonly requests: readonly ModelRequest[]
  /** Method and path of whatever was asked besides messages. */
  readonly strays: readonly string[]
  /** What was posted to the usage feed. */
  readonly usageReports: readonly unknown[]
  close(): Promise<void>
}

/** A Messages API that answers each request by `decide`; every stream has the shape of the real one. */
export async function startTestModel(
  decide: (request: ModelRequest, index: number) => Move,
  /** False: requests are judged and forgotten, for runs whose requests would not fit into memory. */
  keeps = true,
  /** A unix socket in place of a port. */
  socket?: string,
): Promise<TestModel> {
  let count = 0
  const requests: ModelRequest[] = []
  const strays: string[] = []
  const usageReports: unknown[] = []
  const server = createServer((request, response) => void serve(request, response))
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('utf8')
    if (request.url === '/internal/account-usage') {
      usageReports.push(JSON.parse(text))
      return void response.writeHead(204).end()
    }
    if (!request.url?.startsWith('/v1/messages') || request.method !== 'POST') {
      strays.push(`${request.method} ${request.url}`)
      return void response.writeHead(404).end()
    }
    const seen = { text, headers: request.headers, body: JSON.parse(text) as MessagesBody }
    count += 1
    if (keeps) requests.push(seen)
    answer(decide(seen, count - 1), seen.body, response, count)
  }
  await new Promise<void>((resolve) =>
    socket ? server.listen(socket, resolve) : server.listen(0, '127.0.0.1', resolve),
  )
  return {
    url: socket ? '' : `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    strays,
    usageReports,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function answer(move: Move, body: MessagesBody, response: ServerResponse, index: number): void {
  if (move.kind === 'silence') return
  if (move.kind === 'break') return breakOff(move, body, response, index)
  if (move.kind === 'refuse') {
    response.writeHead(move.status, { 'content-type': 'application/json', ...move.headers })
    return void response.end(
      JSON.stringify({
        type: 'error',
        error: { type: move.type, message: move.message ?? `refused with ${move.type}` },
      }),
    )
  }
  const block =
    move.kind === 'say'
      ? { type: 'text', text: move.text }
      : { type: 'tool_use', id: `toolu_${index}`, name: move.tool, input: move.input }
  const stopReason = move.kind === 'say' ? (move.stopReason ?? 'end_turn') : 'tool_use'
  const message = { id: `msg_${index}`, type: 'message', role: 'assistant', model: body.model, stop_sequence: null }
  const usage = { input_tokens: 100, cache_creation_input_tokens: 20, cache_read_input_tokens: 30, output_tokens: 7 }
  if (!body.stream)
    return void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ ...message, content: [block], stop_reason: stopReason, usage }))
  response.writeHead(200, { 'content-type': 'text/event-stream', ...(move.kind === 'say' ? move.headers : {}) })
  const send = (event: { type: string }): boolean =>
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  const open = (value: object): object => ({ type: 'content_block_start', index: 0, content_block: value })
  send({
    type: 'message_start',
    ...{ message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } } },
  })
  if (block.type === 'text') {
    send(open({ type: 'text', text: '' }) as never)
    send({ type: 'content_block_delta', ...{ index: 0, delta: { type: 'text_delta', text: block.text } } })
  } else {
    send(open({ ...block, input: {} }) as never)
    send({
      type: 'content_block_delta',
      ...{ index: 0, delta: { type: 'input_json_delta', partial_json: JSON.stringify(block.input) } },
    })
  }
  if (move.kind === 'say' && move.hold) return
  send({ type: 'content_block_stop', ...{ index: 0 } })
  send({
    type: 'message_delta',
    ...{ delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: 7 } },
  })
  send({ type: 'message_stop' })
  response.end()
}

/** Streamed requests only: asked for a whole message, as the CLI does after such a break, the server answers. */
function breakOff(
  { how, after }: Extract<Move, { kind: 'break' }>,
  body: MessagesBody,
  response: ServerResponse,
  index: number,
): void {
  if (!body.stream) {
    const whole: Move = after ? { kind: 'call', ...after } : { kind: 'say', text: 'whole' }
    return answer(whole, body, response, index)
  }
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = { id: `msg_${index}`, type: 'message', role: 'assistant', model: body.model, content: [], usage }
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  const event = (value: { type: string }): string => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const block = after && { type: 'tool_use', id: `toolu_${index}`, name: after.tool, input: after.input }
  const start = [
    { type: 'message_start', message },
    ...(block
      ? [
          { type: 'content_block_start', index: 0, content_block: block },
          { type: 'content_block_stop', index: 0 },
        ]
      : []),
  ]
    .map(event)
    .join('')
  if (how === 'error-event') return void response.end(`${start}${event(error)}`)
  response.write(start, () => response.destroy())
}
