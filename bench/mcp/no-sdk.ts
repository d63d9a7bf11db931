/** The limit: JSON-RPC by hand, two methods, nothing imported but Node itself. */
import { createInterface } from 'node:readline'

interface Request {
  readonly id?: number
  readonly method: string
  readonly params?: { readonly protocolVersion?: string }
}

const answers: Readonly<Record<string, (request: Request) => unknown>> = {
  initialize: ({ params }) => ({
    protocolVersion: params?.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'by-hand', version: '0' },
  }),
  'tools/list': () => ({ tools: [{ name: 'nothing', inputSchema: { type: 'object' } }] }),
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as Request
  const result = answers[request.method]?.(request)
  if (request.id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id: request.id, result }))
}
