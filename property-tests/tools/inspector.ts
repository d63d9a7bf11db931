/** The MCP inspector's command line, somebody else's client, before the relay to a pod's tools. */
import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { programDir } from '../../cli/program.ts'

/** Where `bin/test-tools.mjs` has installed other people's programs. */
export function peerProgram(name: string): string {
  return join(process.env['PROTOCOL_PEERS'] ?? '', 'node_modules', '.bin', name)
}

const limitMs = 120_000

export async function inspect(socket: string, parameters: readonly string[]): Promise<Record<string, unknown>> {
  const server = [process.execPath, join(programDir, 'wrapper', 'hooks', 'relay.mjs'), socket]
  // It looks for `node` on the path.
  const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`
  const { stdout } = await promisify(execFile)(peerProgram('mcp-inspector'), ['--cli', ...server, ...parameters], {
    env: { PATH: path, HOME: process.env['HOME'] ?? '/' },
    timeout: limitMs,
    maxBuffer: 16 * 1024 * 1024,
  })
  return JSON.parse(stdout) as Record<string, unknown>
}

export async function inspectCall(
  socket: string,
  tool: string,
  input: Readonly<Record<string, unknown>>,
): Promise<{ readonly isError: boolean; readonly text: string; readonly structured: unknown }> {
  const given = Object.entries(input).flatMap(([name, value]) => [
    '--tool-arg',
    `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  ])
  const answer = await inspect(socket, ['--method', 'tools/call', '--tool-name', tool, ...given])
  const [content] = answer['content'] as { readonly text: string }[]
  return { isError: answer['isError'] === true, text: content?.text ?? '', structured: answer['structuredContent'] }
}
