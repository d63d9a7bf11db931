/** What an MCP server costs that does nothing: the SDK's low-level server, one tool, as it is installed. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const server = new Server({ name: 'bare', version: '0' }, { capabilities: { tools: {} } })
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [{ name: 'nothing', inputSchema: { type: 'object' as const } }],
}))
server.setRequestHandler(CallToolRequestSchema, () => ({ content: [] }))
await server.connect(new StdioServerTransport())
