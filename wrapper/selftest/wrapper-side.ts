/** What the CLI reaches of a wrapper, for cases that watch the CLI: the wrapper's own sockets and hooks, and a tools' server by hand. */
import { createServer, type Socket } from 'node:net'
import { createLogger } from '../../http/operational/logging.ts'
import type { HookAnswer, HookEvent, HookInput } from '../hooks/hook-input.ts'
import { openWiring } from '../hooks/wiring.ts'
import { onLines } from './lines.ts'
import { makeSocketFolder, socketsIn, type AgentSockets } from '../sockets/agent-sockets.ts'

export interface HookCall {
  readonly event: HookEvent
  readonly input: HookInput
}

/** Undefined: nothing to say. */
export type AnswerHook = (event: HookEvent) => HookAnswer | 'refuse' | undefined

/** `params` of a `tools/call` as they stand on the wire. */
export interface ToolCall {
  readonly name: string
  readonly arguments?: unknown
  readonly _meta?: Readonly<Record<string, unknown>>
}

interface WrapperSide {
  readonly sockets: AgentSockets
  /** Where the sockets are, and the CLI's helper programs. */
  readonly link: string
  readonly hooks: readonly HookCall[]
  readonly toolCalls: readonly ToolCall[]
  hooksConnected(): boolean
  answerWith(answer: AnswerHook): void
  onHook(listener: (call: HookCall) => void): void
  close(): Promise<void>
}

export async function openWrapperSide(): Promise<WrapperSide> {
  const folder = makeSocketFolder()
  const sockets = socketsIn(folder.path)
  const hooks: HookCall[] = []
  const listeners: ((call: HookCall) => void)[] = []
  let answer: AnswerHook = () => undefined
  const wiring = await openWiring({
    path: sockets.wiring,
    logger: createLogger({ name: 'contract', level: 'silent' }),
    onHook: (event, input) => {
      const call = { event, input }
      hooks.push(call)
      for (const listener of listeners) listener(call)
      const reply = answer(event)
      if (reply === 'refuse') throw new Error('refused')
      return reply
    },
  })
  const toolCalls: ToolCall[] = []
  const closeTools = await serveEcho(sockets.tools, (call) => toolCalls.push(call))
  return {
    sockets,
    link: folder.path,
    hooks,
    toolCalls,
    hooksConnected: wiring.isConnected,
    answerWith: (next) => (answer = next),
    onHook: (listener) => listeners.push(listener),
    close: async () => {
      await Promise.all([wiring.close(), closeTools()])
      folder.remove()
    },
  }
}

interface Message {
  readonly id?: number | string
  readonly method: string
  readonly params: { readonly protocolVersion?: string } & ToolCall
}

/** The smallest MCP server that the CLI accepts: one tool, which takes anything and gives it back. */
async function serveEcho(path: string, heard: (call: ToolCall) => void): Promise<() => Promise<void>> {
  const tool = { name: 'echo', description: 'Says it again', inputSchema: { type: 'object', properties: {} } }
  const answers: Readonly<Record<string, (params: Message['params']) => object>> = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'platform', version: '0' },
    }),
    'tools/list': () => ({ tools: [tool] }),
    'tools/call': (params) => {
      heard(params)
      return { content: [{ type: 'text', text: JSON.stringify(params.arguments ?? null) }] }
    },
    ping: () => ({}),
  }
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket.on('error', () => undefined))
    onLines(socket, (line) => {
      const { id, method, params } = JSON.parse(line) as Message
      if (id === undefined) return
      const body = answers[method] ? { result: answers[method](params) } : { error: { code: -32601, message: method } }
      socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`)
    })
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return () =>
    new Promise((resolve) => {
      for (const socket of open) socket.destroy()
      server.close(() => resolve())
    })
}
