// The smallest MCP server that the CLI accepts: one tool, which tells what its environment holds.
import { createInterface } from 'node:readline'

const tool = {
  name: 'environment',
  description: 'Names of the variables',
  inputSchema: { type: 'object', properties: {} },
}
const answers = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'platform', version: '0' },
  }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': () => ({ content: [{ type: 'text', text: JSON.stringify(process.env) }] }),
  ping: () => ({}),
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line)
  if (message.id === undefined) return
  const answer = answers[message.method]
  const body = answer ? { result: answer(message.params) } : { error: { code: -32601, message: 'unknown' } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...body })}\n`)
})
