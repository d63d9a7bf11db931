/** The tools of the project's MCP servers, over stdio, under the names that the CLI gives them. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { McpServer } from '../settings.ts'
import type { Tool } from './tool.ts'

export interface McpTools {
  readonly tools: readonly Tool[]
  /** For hooks: the text that a tool answers, whether it is listed or not. */
  call(server: string, tool: string, input: Readonly<Record<string, unknown>>): Promise<string>
  close(): Promise<void>
}

/** A server that does not start has no tools; the CLI boots without it too. */
export async function connectServers(servers: Readonly<Record<string, McpServer>>, cwd: string): Promise<McpTools> {
  const clients = new Map<string, Client>()
  const tools: Tool[] = []
  for (const [name, server] of Object.entries(servers)) {
    const client = new Client({ name: 'claude-code', version: '2.1.329' })
    try {
      await client.connect(
        new StdioClientTransport({
          command: server.command,
          args: [...server.args],
          cwd,
          stderr: 'ignore',
          env: { ...inherited(), ...server.env },
        }),
      )
      clients.set(name, client)
      tools.push(...(await toolsOf(name, client)))
    } catch (error) {
      process.stdout.write(`MCP server ${name} failed: ${String(error)}\r\n`)
    }
  }
  return {
    tools,
    call: async (server, tool, input) => {
      const client = clients.get(server)
      if (client === undefined) throw new Error(`no server ${server}`)
      return textOf((await client.callTool({ name: tool, arguments: { ...input } })).content)
    },
    close: async () => void (await Promise.allSettled([...clients.values()].map((client) => client.close()))),
  }
}

function inherited(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
}

async function toolsOf(server: string, client: Client): Promise<readonly Tool[]> {
  const { tools } = await client.listTools()
  return tools.map((tool) => ({
    name: `mcp__${server}__${tool.name}`,
    description: tool.description ?? '',
    inputSchema: tool.inputSchema,
    async run(input, signal, id) {
      const call = { name: tool.name, arguments: { ...input }, _meta: { 'claudecode/toolUseId': id } }
      const answer = await client.callTool(call, undefined, { signal })
      return { text: textOf(answer.content), error: answer.isError === true }
    },
  }))
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return ''
  return content
    .map((block: { type?: string; text?: string }) => (block.type === 'text' ? (block.text ?? '') : `[${block.type}]`))
    .join('\n')
}
