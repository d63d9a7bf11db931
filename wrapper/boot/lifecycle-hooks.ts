import { closeSync, openSync } from 'node:fs'
import type { Logger } from '../../http/operational/logging.ts'
import type { LifecycleHooks } from '../../machines/turn/pod-environment.ts'
import { endGroup } from '../../runtime/process-group.ts'
import type { Clock } from '../clock.ts'
import type { CommandSpace } from '../space/space.ts'
import { readVariables, variablesDescriptor } from './command-variables.ts'

export type LifecycleHook = keyof LifecycleHooks

export type RunLifecycleHook = (hook: LifecycleHook, argument?: string) => Promise<void>

export type HookFailed = (hook: LifecycleHook) => void

interface HookRunnerOptions {
  readonly hooks: LifecycleHooks
  /** A hook runs what a repository's own scripts say. */
  readonly space: CommandSpace
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** A file of `exportLines`: what the Project's hooks see besides. */
  readonly variables?: string
  readonly logger: Logger
  readonly onFailure: HookFailed
  readonly clock: Clock
  readonly limitMs?: number
}

/** Bounds the damage of a hook that never ends. */
const defaultLimitMs = 300_000
/** What a hook wrote right before its end arrives within this time. */
const lastWordsMs = 250

type PodHooks = Pick<HookRunnerOptions, 'space' | 'clock' | 'logger' | 'onFailure' | 'variables'>

/** Of the wrapper's `Config`. */
interface HookedPod {
  readonly hooks: LifecycleHooks
  readonly workspaceDir: string
  readonly path: string
  readonly home: string
  readonly lang: string
  readonly identity: { readonly task: string; readonly project: string }
}

/** The hooks of one pod: they run in the workspace and know its Task. */
export function lifecycleHooksOf(
  { hooks, workspaceDir, path, home, lang, identity }: HookedPod,
  tools: PodHooks,
): RunLifecycleHook {
  const { task, project } = identity
  const env = { PATH: path, HOME: home, LANG: lang, PLATFORM_TASK: task, PLATFORM_PROJECT: project }
  return lifecycleHookRunner({ hooks, cwd: workspaceDir, env, ...tools })
}

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
  { space, cwd, env, variables = '/dev/null', clock, limitMs = defaultLimitMs }: HookRunnerOptions,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const own = ['sh', '-c', script, 'sh', ...(argument === undefined ? [] : [argument])]
    const command = ['sh', '-c', `${readVariables}; exec "$@"`, 'variables', ...own]
    const file = openSync(variables, 'r')
    // Its process group is ended at the limit, so that what the hook started ends too.
    const stdio = Array.from({ length: variablesDescriptor }, (_, index) => (index === 2 ? 'pipe' : 'ignore'))
    const child = space.spawn(command, { cwd, env, stdio: [...stdio, file] as const, network: true })
    closeSync(file)
    const { stderr } = child
    if (stderr === null) return resolve('it was started without its pipe')
    const limit = clock.setTimer(limitMs, () => endGroup(child.pid))
    let tail = ''
    const settle = (failure: string | undefined): void => {
      limit.cancel()
      stderr.destroy()
      resolve(failure)
    }
    stderr.on('data', (chunk: Buffer) => (tail = (tail + chunk.toString()).slice(-500)))
    child.on('error', (error) => settle(error.message))
    // A hook may leave a server running, which holds its pipe open: its own end counts, not the pipe's.
    child.on('exit', (code, signal) => {
      const ending = (): string | undefined => (code === 0 ? undefined : `${signal ?? `exit ${code}`}: ${tail.trim()}`)
      const late = clock.setTimer(lastWordsMs, () => settle(ending()))
      child.on('close', () => (late.cancel(), settle(ending())))
    })
  })
}
