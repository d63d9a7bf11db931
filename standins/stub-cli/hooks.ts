/** Calls hooks as the CLI does: JSON on stdin and an answer as JSON or text on stdout, or a tool of an MCP server. */
import { run } from './shell.ts'
import type { Hook, HookEvent, Settings } from './settings.ts'

export interface HookAnswer {
  readonly context: readonly string[]
  /** A hook's `decision: block`, or `permissionDecision: deny`. */
  readonly blocked: string | undefined
}

export type CallHooks = (event: HookEvent, input: Readonly<Record<string, unknown>>) => Promise<HookAnswer>

type Told = Readonly<Record<string, unknown>>
export type CallTool = (server: string, tool: string, input: Told) => Promise<string>

/** A larger context is replaced by a file reference in the real CLI, so it does not arrive here either. */
const maxContext = 10_000
const hookTimeoutMs = 60_000

export function hookCaller(
  settings: Settings,
  cwd: string,
  common: () => Readonly<Record<string, unknown>>,
  callTool: CallTool,
): CallHooks {
  return async (event, input) => {
    const context: string[] = []
    let blocked: string | undefined
    const tool = typeof input['tool_name'] === 'string' ? input['tool_name'] : ''
    for (const hook of settings.hooks[event].filter((one) => isMatch(one.matcher, tool))) {
      const ran = await call(hook, cwd, { ...common(), hook_event_name: event, ...input }, callTool)
      const answer = readAnswer(ran.stdout, event)
      context.push(...answer.context)
      blocked ??= ran.code === 2 ? ran.stderr : answer.blocked
    }
    return { context, blocked }
  }
}

interface Called {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function call(hook: Hook, cwd: string, told: Told, callTool: CallTool): Promise<Called> {
  if ('command' in hook) return run(hook.command, { cwd, input: JSON.stringify(told), timeoutMs: hookTimeoutMs })
  return callServer(hook.server, hook.tool, filled(hook.input, told), callTool)
}

/** A server that is not there, or refuses, blocks nothing. */
async function callServer(server: string, tool: string, input: Told, callTool: CallTool): Promise<Called> {
  try {
    return { code: 0, stdout: await callTool(server, tool, input), stderr: '' }
  } catch {
    return { code: 1, stdout: '', stderr: '' }
  }
}

/** `${member}` of a template is that member as text, and empty where there is none; what is filled in is not read again. */
function filled(template: Told, told: Told): Told {
  const fill = (value: unknown): unknown =>
    typeof value === 'string' ? value.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => textOf(told[name])) : value
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, fill(value)]))
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function isMatch(matcher: string, tool: string): boolean {
  return matcher === '' || matcher === '*' || tool === '' || new RegExp(`^(?:${matcher})$`).test(tool)
}

function readAnswer(stdout: string, event: HookEvent): HookAnswer {
  const answer = readJson(stdout)
  if (answer === undefined)
    return { context: event === 'UserPromptSubmit' && stdout.trim() !== '' ? [stdout.trim()] : [], blocked: undefined }
  const specific = (answer['hookSpecificOutput'] ?? {}) as Record<string, unknown>
  const context =
    typeof specific['additionalContext'] === 'string' && specific['additionalContext'].length <= maxContext
      ? [specific['additionalContext']]
      : []
  const isBlocked = answer['decision'] === 'block' || specific['permissionDecision'] === 'deny'
  return {
    context,
    blocked: isBlocked ? String(answer['reason'] ?? specific['permissionDecisionReason'] ?? 'blocked') : undefined,
  }
}

function readJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
