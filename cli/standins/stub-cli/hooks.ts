/** Calls hooks as the CLI does: JSON on stdin and an answer as JSON or text on stdout, or both by HTTP. */
import { run } from './shell.ts'
import type { Hook, HookEvent, Settings } from './settings.ts'

export interface HookAnswer {
  readonly context: readonly string[]
  /** A hook's `decision: block`, or `permissionDecision: deny`. */
  readonly blocked: string | undefined
}

export type CallHooks = (event: HookEvent, input: Readonly<Record<string, unknown>>) => Promise<HookAnswer>

/** A larger context is replaced by a file reference in the real CLI, so it does not arrive here either. */
const maxContext = 10_000
const hookTimeoutMs = 60_000

export function hookCaller(
  settings: Settings,
  cwd: string,
  common: () => Readonly<Record<string, unknown>>,
): CallHooks {
  return async (event, input) => {
    const context: string[] = []
    let blocked: string | undefined
    const tool = typeof input['tool_name'] === 'string' ? input['tool_name'] : ''
    for (const hook of settings.hooks[event].filter((one) => isMatch(one.matcher, tool))) {
      const ran = await call(hook, cwd, JSON.stringify({ ...common(), hook_event_name: event, ...input }))
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

function call(hook: Hook, cwd: string, input: string): Promise<Called> {
  return 'url' in hook ? post(hook.url, input) : run(hook.command, { cwd, input, timeoutMs: hookTimeoutMs })
}

/** A hook that can't be reached, or refuses, blocks nothing. */
async function post(url: string, body: string): Promise<Called> {
  const unheard = { code: 1, stdout: '', stderr: '' }
  try {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(hookTimeoutMs) })
    const stdout = await response.text()
    return response.ok ? { code: 0, stdout, stderr: '' } : unheard
  } catch {
    return unheard
  }
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
