import { spawn } from 'node:child_process'
import { Type, type Static } from 'typebox'
import type { Logger } from '../../edges/http/logging.ts'
import type { EnvironmentReader } from './environment.ts'

const command = Type.Optional(Type.String())

/** S3 LifecycleHooks: each a shell command; empty is skipped; a failure is logged and counted, never fatal. */
export const LifecycleHooks = Type.Object(
  {
    preClone: command,
    postClone: command,
    conversationStart: command,
    conversationRestart: command,
    agentTurnFinished: command,
    conversationFinished: command,
  },
  { additionalProperties: false },
)
export type LifecycleHooks = Static<typeof LifecycleHooks>
export type LifecycleHook = keyof LifecycleHooks

export function parseLifecycleHooks(read: EnvironmentReader): LifecycleHooks {
  return read.json('LIFECYCLE_HOOKS', LifecycleHooks, {})
}

export type RunLifecycleHook = (hook: LifecycleHook, argument?: string) => Promise<void>

interface HookRunnerOptions {
  readonly hooks: LifecycleHooks
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly logger: Logger
  readonly onFailure: (hook: LifecycleHook) => void
}

/** Bounds the damage of a hook that never ends. */
const hookTimeoutMs = 300_000

export function lifecycleHookRunner(options: HookRunnerOptions): RunLifecycleHook {
  return async (hook, argument) => {
    const script = options.hooks[hook]
    if (!script) return
    const failure = await runShell(script, argument, options)
    if (failure === undefined) return
    options.logger.warn({ hook, failure }, 'lifecycle hook failed')
    options.onFailure(hook)
  }
}

function runShell(
  script: string,
  argument: string | undefined,
  options: HookRunnerOptions,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', script, 'sh', ...(argument === undefined ? [] : [argument])], {
      cwd: options.cwd,
      env: { ...options.env },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: hookTimeoutMs,
    })
    let tail = ''
    child.stderr.on('data', (chunk: Buffer) => (tail = (tail + chunk.toString()).slice(-500)))
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code, signal) => resolve(code === 0 ? undefined : `${signal ?? `exit ${code}`}: ${tail.trim()}`))
  })
}
