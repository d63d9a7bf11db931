/** The MCP stdio server of a pod: the tools of its profile, and no others, over the wrapper's broker (document 2). */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { faultsOf } from '../../edges/http/validation.ts'
import { isAgentKind, mayCall } from '../../edges/agents/profiles.ts'
import { ToolFailure, type Backend } from './backend.ts'
import type { Tool } from './tool.ts'
import { outcomeTool } from './tools/outcome.ts'
import { platformTools } from './tools/platform.ts'
import { scmTools } from './tools/scm.ts'

export interface AvailableBackends {
  readonly operator: boolean
  readonly memory: boolean
}

/** Registered: what the profile has and what has a backend. An unknown profile gets the always-on set without an outcome. */
export function toolsFor(profile: string, available: AvailableBackends): readonly Tool[] {
  const outcome = isAgentKind(profile) ? [outcomeTool(profile)] : []
  return [...platformTools, ...scmTools, ...outcome].filter(
    ({ name, needs }) => mayCall(profile, name) && (needs === 'none' || available[needs]),
  )
}

export function createMcpServer(tools: readonly Tool[], backend: Backend, version: string): Server {
  const server = new Server({ name: 'platform', version }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, title, description, input, annotations }) => ({
      name,
      title,
      description,
      inputSchema: input as { type: 'object' },
      annotations: { title, ...annotations, openWorldHint: false },
    })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async (request) =>
    callTool(tools, backend, request.params.name, request.params.arguments ?? {}),
  )
  return server
}

/** The low-level server validates nothing: that is done here, and every fault is told at once. */
async function callTool(
  tools: readonly Tool[],
  backend: Backend,
  name: string,
  input: Record<string, unknown>,
): Promise<CallToolResult> {
  const tool = tools.find((candidate) => candidate.name === name)
  if (tool === undefined)
    return failure(`there is no tool ${name}; there are: ${tools.map((known) => known.name).join(', ')}`)
  const faults = faultsOf(tool.input, input)
  if (faults.length > 0)
    return failure(
      [
        'the call breaks the tool’s schema; repair and call again:',
        ...faults.map(({ path, message }) => `- ${path || '(the input)'} ${message}`),
      ].join('\n'),
    )
  try {
    const { text, data } = await tool.call(input, backend)
    return { content: [{ type: 'text', text }], ...(data === undefined ? {} : { structuredContent: { ...data } }) }
  } catch (error) {
    if (error instanceof ToolFailure) return failure(error.message)
    throw error
  }
}

function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] }
}
