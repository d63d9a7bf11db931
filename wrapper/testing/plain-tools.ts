import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { CreateToolsServer } from '../tools/port.ts'

/** Tools for tests of the wrapper, which may not know the platform's own. */
export const plainTools: CreateToolsServer = ({ task }, runner) => {
  const server = new Server({ name: 'platform', version: '0' }, { capabilities: { tools: {} } })
  const tool = (name: string): object => ({ name, description: name, inputSchema: { type: 'object' } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: ['echo', 'note', 'outcome', 'push', 'report'].map(tool) as never,
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const asked = { id: params._meta?.['claudecode/toolUseId'], tool: params.name, arguments: params.arguments }
    const text = await runner.perform(asked, async (calls) => {
      const body = JSON.stringify(params.arguments ?? {})
      if (params.name === 'echo') return body
      if (params.name === 'push')
        return calls.push().then((failed) => (failed.length === 0 ? 'pushed' : JSON.stringify(failed)))
      if (params.name === 'report') return String(calls.reportIssue(params.arguments as never))
      const path = `tasks/${task}/${params.name === 'outcome' ? 'outcome' : 'notes'}`
      const answer = await calls.ask('operator', path, { method: 'POST', body, signal })
      return `${answer.status} ${await answer.text()}`
    })
    return { content: [{ type: 'text', text }] }
  })
  return server
}
