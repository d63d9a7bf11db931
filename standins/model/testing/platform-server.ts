/** An MCP server with the platform's tool names for tests of the CLIs: it writes every call to a file and answers with ids. */
import { appendFileSync } from 'node:fs'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const [, , file = ''] = process.argv
const names = ['task_note', 'issue_write', 'submit_outcome', 'scm_read']
let calls = 0

const server = new Server({ name: 'platform', version: '1' }, { capabilities: { tools: {} } })
server.setRequestHandler(ListToolsRequestSchema, async () => ({
  tools: names.map((name) => ({ name, description: name, inputSchema: { type: 'object' as const } })),
}))
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  appendFileSync(file, `${JSON.stringify({ tool: params.name, input: params.arguments })}\n`)
  return { content: [{ type: 'text', text: JSON.stringify({ accepted: true, id: `id-${++calls}` }) }] }
})
await server.connect(new StdioServerTransport())
