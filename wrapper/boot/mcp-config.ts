import { join } from 'node:path'
import { Type } from 'typebox'
import { Check } from 'typebox/value'
import type { Logger } from '../../http/operational/logging.ts'
import type { Config } from './config.ts'
import { parseJson } from './environment.ts'
import { wiringServer } from '../hooks/wiring.ts'
import type { AgentPlumbing } from './plumbing.ts'

/** Platform-owned names; nobody else may take them (WRAPPER-RULE-11, WRAPPER-MCP-4). */
export const reservedServers = ['platform', wiringServer, 'alerting', 'code-navigation']
const namePattern = '^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$'

const Extra = Type.Object({
  name: Type.String({ pattern: namePattern }),
  url: Type.String({ pattern: '^https?://' }),
  type: Type.Optional(Type.Union([Type.Literal('http'), Type.Literal('sse')])),
})
const Program = Type.Object({
  command: Type.String(),
  args: Type.Optional(Type.Array(Type.String())),
  env: Type.Optional(Type.Record(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }), Type.String())),
})
const Fragment = Type.Object({ mcpServers: Type.Record(Type.String(), Type.Object({})) })

type Servers = Record<string, object>

/** Overlay fragments first, then the extra servers, then the platform's own, which win (WRAPPER-MCP-3). */
export function renderMcpConfig(
  config: Config,
  plumbing: AgentPlumbing,
  overlays: readonly unknown[],
  logger: Logger,
): object {
  const servers: Servers = {}
  for (const overlay of overlays) addOverlay(servers, overlay, plumbing, logger)
  addExtras(servers, config.extraMcpServers, logger)
  servers['platform'] = relayed(plumbing, plumbing.sockets.tools, config)
  servers[wiringServer] = relayed(plumbing, plumbing.sockets.wiring, config)
  return { mcpServers: servers }
}

function addOverlay(servers: Servers, overlay: unknown, plumbing: AgentPlumbing, logger: Logger): void {
  if (!Check(Fragment, overlay))
    return logger.warn({}, 'an .mcp.json fragment is not an object with mcpServers; skipped')
  for (const [name, server] of Object.entries(overlay.mcpServers)) add(servers, name, inside(server, plumbing), logger)
}

/** A program that is not the platform's own runs where commands run. One that is reached by address is the operator's. */
function inside(server: object, { programs }: AgentPlumbing): object {
  if (!Check(Program, server)) return server
  const { command, args = [], env = {} } = server
  return { ...server, command: join(programs, 'inside'), args: [Object.keys(env).join(' '), command, ...args] }
}

/** Malformed or incomplete entries are warned about and skipped, never fatal: a bad value fails open (WRAPPER-MCP-7). */
function addExtras(servers: Servers, text: string, logger: Logger): void {
  if (text === '') return
  const list = parseJson(text)
  if (!Array.isArray(list)) return logger.warn({}, 'PLATFORM_EXTRA_MCP_SERVERS is not a JSON array; skipped')
  for (const entry of list as unknown[]) {
    if (!Check(Extra, entry)) logger.warn(nameOf(entry), 'an extra MCP server is incomplete; skipped')
    else add(servers, entry.name, { type: entry.type ?? 'http', url: entry.url }, logger)
  }
}

/** An address or a header may hold a secret: the log has the name alone. */
function nameOf(entry: unknown): { readonly name?: string } {
  const { name } = (entry ?? {}) as { readonly name?: unknown }
  return typeof name === 'string' ? { name } : {}
}

function add(servers: Servers, name: string, server: object, logger: Logger): void {
  if (reservedServers.includes(name)) return logger.warn({ name }, 'the name of an MCP server is reserved; skipped')
  if (servers[name]) logger.warn({ name }, 'an MCP server is configured twice; the last one counts')
  servers[name] = server
}

/** The server itself is the wrapper: what the CLI starts only carries lines. */
function relayed({ relayCommand }: AgentPlumbing, socket: string, { path }: Config): object {
  const [command, ...args] = relayCommand
  return { command, args: [...args, socket], env: { PATH: path } }
}
