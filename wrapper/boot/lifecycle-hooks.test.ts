import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { makeOrigin, realClock, runGit } from '../testing/pod.ts'
import { rememberingLogger } from '../testing/quiet-log.ts'
import { openPlainSpace, type CommandSpace } from '../space/space.ts'
import { openWorkspace } from '../testing/workspace.ts'
import { createWrapperMetrics } from '../metrics.ts'
import { exportLines } from './command-variables.ts'
import { loadConfig } from './config.ts'
import type { LifecycleHooks } from '../../machines/turn/pod-environment.ts'
import { lifecycleHookRunner, type LifecycleHook } from './lifecycle-hooks.ts'
import { prepareWorkspace } from './prepare-workspace.ts'

describe('lifecycle hooks', () => {
  let dir: string
  let failed: LifecycleHook[]
  let lines: readonly string[]
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'hooks-'))
    failed = []
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  const runner = (hooks: LifecycleHooks): ReturnType<typeof lifecycleHookRunner> => {
    const { logger, lines: logged } = rememberingLogger()
    lines = logged
    return lifecycleHookRunner({
      hooks,
      space: openPlainSpace(),
      cwd: dir,
      env: { PATH: process.env['PATH']!, PLATFORM_TASK: 'default/t', PLATFORM_PROJECT: 'demo' },
      clock: realClock,
      logger,
      onFailure: (hook) => failed.push(hook),
    })
  }
  const told = (): string[] => readFileSync(join(dir, 'told'), 'utf8').trim().split('\n')

  test('run in a shell with their argument and an environment that holds nothing else (HOOKS-1, HOOKS-11)', async () => {
    const run = runner({ preClone: 'echo "$1|$#|$PLATFORM_TASK|$PLATFORM_PROJECT|$HOME" >> told' })
    await run('preClone', "http://forge/it's $(not) run.git")
    expect(told()).toEqual(["http://forge/it's $(not) run.git|1|default/t|demo|"])
  })

  test('see the variables of the Project (POD-ENV-19)', async () => {
    const variables = join(dir, 'variables')
    writeFileSync(variables, exportLines({ CI_TOKEN: "it's\n$(one)" }))
    const hooks = { postClone: 'printf "%s" "$CI_TOKEN" > told; ls /proc/$$/fd | grep -c "^6$" >> told' }
    const { logger } = rememberingLogger()
    const options = { hooks, space: openPlainSpace(), cwd: dir, env: { PATH: process.env['PATH']! }, variables }
    await lifecycleHookRunner({ ...options, clock: realClock, logger, onFailure: (hook) => failed.push(hook) })(
      'postClone',
    )
    expect(told()).toEqual(["it's", '$(one)0'])
  })

  test('run in the command space (HOOKS-11)', async () => {
    const plain = openPlainSpace()
    const space: CommandSpace = {
      ...plain,
      spawn: (command, run) => plain.spawn(command, { ...run, env: { ...run.env, WHERE: `inside ${run.network}` } }),
    }
    const env = { PATH: process.env['PATH']! }
    const hooks = { conversationStart: 'echo "$WHERE" > told' }
    const { logger } = rememberingLogger()
    const onFailure = (hook: LifecycleHook): void => void failed.push(hook)
    await lifecycleHookRunner({ hooks, space, cwd: dir, env, clock: realClock, logger, onFailure })('conversationStart')
    expect(told()).toEqual(['inside true'])
  })

  test('are skipped when empty or absent (HOOKS-1)', async () => {
    const run = runner({ conversationStart: '' })
    await run('conversationStart')
    await run('conversationFinished')
    expect([failed, lines]).toEqual([[], []])
  })

  test('are counted and logged when they fail, and stop nothing (HOOKS-2)', async () => {
    const run = runner({ postClone: 'echo broken >&2; exit 3', agentTurnFinished: 'kill -9 $$' })
    await run('postClone', dir)
    await run('agentTurnFinished')
    expect(failed).toEqual(['postClone', 'agentTurnFinished'])
    expect(lines.join()).toMatch(/exit 3: broken.*SIGKILL/s)
  })

  test('may leave a server running', async () => {
    await runner({ conversationStart: 'sleep 1000 & echo $! > told' })('conversationStart')
    const pid = Number(told()[0])
    expect([failed, isAlive(pid)]).toEqual([[], true])
    process.kill(pid, 'SIGKILL')
  })

  test('end at their limit with everything that they started', async () => {
    const { logger } = rememberingLogger()
    const run = lifecycleHookRunner({
      hooks: { conversationStart: 'sleep 1000 & echo $! > told; wait' },
      space: openPlainSpace(),
      cwd: dir,
      env: { PATH: process.env['PATH']! },
      clock: realClock,
      logger,
      limitMs: 500,
      onFailure: (hook) => failed.push(hook),
    })
    await run('conversationStart')
    expect(failed).toEqual(['conversationStart'])
    // The kernel ends the group after the call that kills it.
    await vi.waitFor(() => expect(isAlive(Number(told()[0]))).toBe(false), { timeout: 10_000, interval: 20 })
  })

  test('around a clone: before it with the address, after the checkout of the work branch with the folder (HOOKS-3, HOOKS-4, HOOKS-10)', async () => {
    const origin = makeOrigin(dir)
    const config = loadConfig(
      {
        HOME: dir,
        WORKSPACE_DIR: join(dir, 'ws'),
        OIDC_ISSUER: 'https://id.example',
        OIDC_AUDIENCE: 'wrapper',
        PLATFORM_TASK: 'task-1',
        PLATFORM_CONTRACT_VERSION: '4',
        PLATFORM_PROJECT: 'demo',
        MODEL_PROVIDER_API_KEY: 'key',
        REPOS: JSON.stringify([{ name: 'lib', url: origin, base: 'main' }]),
      },
      () => '',
    )
    const run = runner({
      preClone: 'echo "pre $1 $(ls ws 2>/dev/null)" >> told',
      postClone: 'echo "post $1 $(git -C "$1" symbolic-ref --short HEAD)" >> told',
    })
    const metrics = createWrapperMetrics(config.identity, 'lib')
    const { git, inside, wire } = openWorkspace({ dir, url: origin, branch: config.taskBranch })
    const tools = { git, inside, wire, runHook: run, metrics, logger: rememberingLogger().logger }
    const prepare = (stamp: string): ReturnType<typeof prepareWorkspace> =>
      prepareWorkspace(config, { ...tools, stamp })
    await prepare('1')
    const clone = join(dir, 'ws', 'lib')
    expect(told()).toEqual([`pre ${origin} `, `post ${clone} platform/task-1`])
    await prepare('2')
    expect(told()).toHaveLength(2)
    expect(runGit(clone, 'status', '--porcelain')).toBe('')
  })
})

/** A zombie has ended: only its parent is late. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
