/**
 * The pod's server factory behind streamable HTTP, as the public conformance suite wants it: it knows no stdio. The tools
 * that its scenarios name are made of what every tool of ours is made of. Test code only.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Type, type TObject } from 'typebox'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { systemClock, sleep } from '../../runtime/clock.ts'
import { brokeredBackend, ToolFailure, type Backend, type OngoingCall } from '../../edges/agents/mcp/backend.ts'
import type { ToolName } from '../../machines/turn/tools.ts'
import { createMcpServer } from '../../edges/agents/mcp/server.ts'
import type { AgentCalls, ToolRunner } from '../../wrapper/tools/port.ts'
import { reading, type Tool } from '../../edges/agents/mcp/tool.ts'
import type { ToolAnswer } from '../../edges/agents/mcp/tool-answer.ts'

export interface HttpMcpServer {
  readonly url: string
  close(): Promise<void>
}

const nothing = Type.Object({}, { additionalProperties: false })

/** `$schema`, `$defs` and `additionalProperties` have to arrive as they were written. */
const dialect = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  additionalProperties: false,
} as unknown as TObject

interface Scenario {
  readonly name: string
  readonly input?: TObject
  readonly call: (ongoing: OngoingCall) => Promise<ToolAnswer>
}

const scenarios: readonly Scenario[] = [
  { name: 'test_simple_text', call: async () => ({ text: 'This is a simple text response for testing.' }) },
  {
    name: 'test_error_handling',
    call: () => Promise.reject(new ToolFailure('This tool intentionally returns an error for testing')),
  },
  {
    name: 'test_tool_with_progress',
    call: async ({ report: tell, signal }) => {
      for (const step of ['begun', 'half done', 'done']) {
        tell(step)
        await sleep(systemClock, 50, signal)
      }
      return { text: 'done' }
    },
  },
  { name: 'json_schema_2020_12_tool', input: dialect, call: async () => ({ text: 'done' }) },
]

/** A call of it, as the server lets it go on. */
type OngoingBackend = Backend & { readonly ongoing: OngoingCall }

const scenarioTools = scenarios.map(({ name, input = nothing, call }): Tool => ({
  name: name as ToolName,
  title: name,
  description: 'Named by the conformance suite.',
  input,
  annotations: reading,
  call: (_input, backend) => call((backend as OngoingBackend).ongoing),
}))

/** The suite is no model: what it calls is let go on, and reaches nothing. */
const runner: ToolRunner = {
  perform: (_asked, run) =>
    run({
      ask: () => Promise.reject(new Error('nobody listens')),
      reportIssue: () => undefined,
      push: async () => [],
    }),
}

export async function startHttpMcpServer(profile: string): Promise<HttpMcpServer> {
  const server = createServer((request, response) => void answer(profile, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** Without sessions: a server a request, as the SDK's own example has it. */
async function answer(profile: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableDnsRebindingProtection: true,
    allowedHosts: [`127.0.0.1:${request.socket.localPort}`, `localhost:${request.socket.localPort}`],
  })
  const pod = { task: 'implement-lib-1-abcde', project: 'demo', profile, repositories: [] }
  const options = { pod, hasMemory: false, timeoutMs: 1000, patienceMs: 0, clock: systemClock, newId: randomUUID }
  const backend = (calls: AgentCalls, ongoing: OngoingCall): OngoingBackend => ({
    ...brokeredBackend(options, calls, ongoing),
    ongoing,
  })
  const server = createMcpServer({ profile, version: '0', clock: systemClock, runner, backend, more: scenarioTools })
  response.on('close', () => void server.close())
  await server.connect(transport as never)
  await transport.handleRequest(request, response)
}
