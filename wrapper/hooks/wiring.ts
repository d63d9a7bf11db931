import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { Check } from 'typebox/value'
import type { Logger } from '../../http/operational/logging.ts'
import { openMcpSocket, type McpSocket } from '../sockets/mcp-socket.ts'
import { HookArguments, hookInputOf, type HookAnswer, type HookEvent, type HookInput } from './hook-input.ts'

export const wiringServer = 'wiring'
export const wiringTool = 'hook'

export type OnHook = (event: HookEvent, input: HookInput) => HookAnswer | undefined

export interface Wiring extends McpSocket {
  /** The CLI has listed this server's tools: from now on its hooks arrive. */
  isConnected(): boolean
}

interface WiringOptions {
  readonly path: string
  readonly onHook: OnHook
  readonly logger: Logger
}

/**
 * The CLI's hooks as calls of an MCP tool that is listed to nobody, so no model can name it. Only the first connection is
 * served: where an agent could end the relay, it could not take its place and tell an end that never was.
 */
export async function openWiring({ path, onHook, logger }: WiringOptions): Promise<Wiring> {
  let isTaken = false
  let isConnected = false
  const serverFor = (): Server | undefined => {
    if (isTaken) {
      logger.error({}, 'the wrapper refused a second connection to the hooks')
      return undefined
    }
    isTaken = true
    const server = hookServer(onHook, () => (isConnected = true))
    server.onclose = () => logger.warn({}, 'the hooks are disconnected')
    return server
  }
  return { isConnected: () => isConnected, ...(await openMcpSocket({ path, serverFor })) }
}

function hookServer(onHook: OnHook, listed: () => void): Server {
  const server = new Server({ name: wiringServer, version: '0' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => {
    listed()
    return { tools: [] }
  })
  server.setRequestHandler(CallToolRequestSchema, ({ params }): CallToolResult => {
    const call: unknown = params.arguments
    if (params.name !== wiringTool || !Check(HookArguments, call)) throw new Error('not a hook of the wrapper')
    // Text that is no JSON the CLI would show to the model; an empty object says nothing.
    return { content: [{ type: 'text', text: JSON.stringify(onHook(call.event, hookInputOf(call)) ?? {}) }] }
  })
  return server
}
