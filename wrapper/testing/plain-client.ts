import { connect } from 'node:net'
import { onLines } from '../selftest/lines.ts'

/** A program that knows the path of the tools' socket, as one in the CLI's view does: JSON-RPC by hand, nothing of ours. */
export interface PlainClient {
  /** The answer to one `tools/call`: its text, or its error. */
  call(tool: string, input: unknown, id?: string): Promise<string>
  close(): void
}

interface Answer {
  readonly id?: number
  readonly result?: { readonly content?: readonly { readonly text: string }[] }
  readonly error?: { readonly message: string }
}

export async function plainClient(path: string): Promise<PlainClient> {
  const socket = connect(path)
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  const waiting = new Map<number, (answer: Answer) => void>()
  // A server that closes on it answers nothing.
  socket.on('error', () => undefined)
  onLines(socket, (line) => {
    const answer = JSON.parse(line) as Answer
    waiting.get(answer.id ?? -1)?.(answer)
  })
  let ids = 0
  const ask = (method: string, params: object): Promise<Answer> => {
    const id = (ids += 1)
    socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return new Promise((resolve) => waiting.set(id, resolve))
  }
  const clientInfo = { name: 'plain', version: '0' }
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  return {
    call: async (tool, input, id) => {
      const meta = id === undefined ? {} : { _meta: { 'claudecode/toolUseId': id } }
      const { result, error } = await ask('tools/call', { name: tool, arguments: input, ...meta })
      return result?.content?.map(({ text }) => text).join('') ?? `error: ${error?.message}`
    },
    close: () => socket.destroy(),
  }
}
