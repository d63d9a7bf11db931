import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { contractVersion } from '../../machines/turn/schema.ts'
import { callTimeoutMs } from '../../edges/agents/call-timeout.ts'
import { isAgentKind } from '../../edges/agents/profiles.ts'
import { systemClock } from '../../runtime/clock.ts'
import { httpBackend } from '../mcp/backend.ts'
import { createMcpServer } from '../mcp/server.ts'

/** An orchestrator that restarts is back well within this. */
const patienceMs = 60_000

/** `statewright mcp`: the tools of one pod on stdio. Everything it knows comes from the wrapper's environment. */
export async function mcp(env: Readonly<Record<string, string | undefined>>, version: string): Promise<void> {
  const given = env['PLATFORM_CONTRACT_VERSION']
  if (given !== undefined && Number(given) !== contractVersion) {
    throw new Error(
      `PLATFORM_CONTRACT_VERSION is ${given}, this server speaks ${contractVersion}: the pod and the platform are of different releases`,
    )
  }
  const profile = env['PLATFORM_TOOL_PROFILE'] ?? ''
  if (!isAgentKind(profile))
    console.error(
      `WARN the tool profile ${profile === '' ? 'is empty' : `"${profile}" is unknown`}: only the always-on tools are served`,
    )
  const nameOf = (id: string): string => id.slice(id.indexOf('/') + 1)
  const pod = { task: nameOf(env['PLATFORM_TASK'] ?? ''), project: nameOf(env['PLATFORM_PROJECT'] ?? ''), profile }
  const options = {
    pod,
    operatorUrl: env['PLATFORM_OPERATOR_URL'] ?? '',
    memoryUrl: env['PLATFORM_MEMORY_URL'] ?? '',
    internalUrl: env['PLATFORM_INTERNAL_URL'] ?? '',
    fetch,
    timeoutMs: callTimeoutMs,
    patienceMs,
    clock: systemClock,
    logError: (line: string) => console.error(line),
  }
  const server = createMcpServer({
    profile,
    version,
    clock: systemClock,
    backend: (call) => httpBackend(options, call),
  })
  await server.connect(new StdioServerTransport())
  await new Promise<void>((resolve) => {
    server.onclose = resolve
    process.stdin.once('end', resolve)
  })
}
