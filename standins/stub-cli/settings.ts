/** `~/.claude/settings.json` and `~/.claude.json`: the members that change what a wrapper sees. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const hookEvents = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'Stop',
  'StopFailure',
  'SessionEnd',
] as const
export type HookEvent = (typeof hookEvents)[number]

/** A program that gets its input on stdin, or a tool of an MCP server that gets what a template makes of it. */
export type Hook = { readonly matcher: string } & (
  | { readonly command: string }
  | { readonly server: string; readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
)

export interface McpServer {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export interface Settings {
  readonly hooks: Readonly<Record<HookEvent, readonly Hook[]>>
  readonly statusLine: string | undefined
  readonly skipDangerousModePermissionPrompt: boolean
  readonly isOnboarded: boolean
  readonly isTrusted: boolean
  readonly mcpServers: Readonly<Record<string, McpServer>>
}

export function readSettings(home: string, cwd: string): Settings {
  const settings = [join(home, '.claude/settings.json'), join(cwd, '.claude/settings.json')].map(readJson)
  const state = readJson(join(home, '.claude.json'))
  const mcp = settings.some((one) => one['enableAllProjectMcpServers'] === true)
    ? members(readJson(join(cwd, '.mcp.json'))['mcpServers'])
    : {}
  return {
    hooks: hooksOf(settings),
    statusLine: settings
      .map((one) => members(one['statusLine'])['command'])
      .find((command) => typeof command === 'string'),
    skipDangerousModePermissionPrompt: settings.some((one) => one['skipDangerousModePermissionPrompt'] === true),
    isOnboarded: state['hasCompletedOnboarding'] === true,
    isTrusted: members(members(state['projects'])[cwd])['hasTrustDialogAccepted'] === true,
    mcpServers: Object.fromEntries(Object.entries(mcp).flatMap(([name, server]) => stdioServer(name, members(server)))),
  }
}

function hooksOf(settings: readonly Record<string, unknown>[]): Record<HookEvent, readonly Hook[]> {
  const asked = (event: HookEvent): readonly Hook[] =>
    settings.flatMap((one) => list(members(one['hooks'])[event]).flatMap(groupOf))
  return Object.fromEntries(hookEvents.map((event) => [event, asked(event)])) as Record<HookEvent, readonly Hook[]>
}

function groupOf(group: unknown): readonly Hook[] {
  const { matcher: given, hooks } = members(group)
  const matcher = typeof given === 'string' ? given : '*'
  return list(hooks).flatMap((hook): readonly Hook[] => {
    const { type, command, server, tool, input } = members(hook)
    if (type === 'mcp_tool') return [{ matcher, server: String(server), tool: String(tool), input: members(input) }]
    return typeof command === 'string' ? [{ matcher, command }] : []
  })
}

function stdioServer(name: string, server: Record<string, unknown>): readonly (readonly [string, McpServer])[] {
  if (typeof server['command'] !== 'string') return []
  return [
    [
      name,
      {
        command: server['command'],
        args: list(server['args']).map(String),
        env: members(server['env']) as Record<string, string>,
      },
    ],
  ]
}

function readJson(file: string): Record<string, unknown> {
  return existsSync(file) ? members(JSON.parse(readFileSync(file, 'utf8'))) : {}
}

function members(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
