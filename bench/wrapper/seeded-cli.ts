/** The agent's CLI as anybody would start it under a pseudo-terminal: seeded past its dialogs, nothing of the wrapper around it. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from '@lydell/node-pty'
import { startTestModel } from '../../wrapper/selftest/model.ts'
import { realCli } from '../../wrapper/testing/pod.ts'
import type { Script } from './script.ts'

export interface SeededCli {
  /** When its process was started. */
  readonly startedAt: number
  write(bytes: string): void
  onOutput(listener: (text: string) => void): void
  close(): Promise<void>
}

export interface SeedOptions {
  readonly cols: number
  readonly rows: number
  /** Shell command of the Stop hook; absent: no hook at all. */
  readonly stopHook?: (dir: string) => string
}

export async function startSeededCli(script: Script, options: SeedOptions): Promise<SeededCli & { dir: string }> {
  const model = await startTestModel(script.decide, false)
  const dir = mkdtempSync(join(tmpdir(), 'seeded-cli-'))
  const key = `sk-ant-bench-${randomUUID()}`
  writeSeed(dir, key, options)
  const workspace = join(dir, 'workspace')
  const startedAt = performance.now()
  const pty = spawn(
    realCli,
    ['--dangerously-skip-permissions', '--session-id', randomUUID(), '--model', 'claude-sonnet-4-5'],
    {
      name: 'xterm-256color',
      cols: options.cols,
      rows: options.rows,
      cwd: workspace,
      env: environment(dir, key, model.url),
    },
  )
  const exited = new Promise<void>((resolve) => void pty.onExit(() => resolve()))
  return {
    dir,
    startedAt,
    write: (bytes) => pty.write(bytes),
    onOutput: (listener) => void pty.onData(listener),
    async close() {
      pty.kill('SIGTERM')
      const late = setTimeout(() => pty.kill('SIGKILL'), 5000)
      await exited
      clearTimeout(late)
      await model.close()
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function writeSeed(dir: string, key: string, { stopHook }: SeedOptions): void {
  const workspace = join(dir, 'workspace')
  for (const folder of [workspace, join(dir, '.claude')]) mkdirSync(folder, { recursive: true })
  const write = (path: string, value: object): void => writeFileSync(join(dir, path), JSON.stringify(value))
  write('.claude.json', {
    hasCompletedOnboarding: true,
    customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
    projects: { [workspace]: { hasTrustDialogAccepted: true } },
  })
  const hooks = stopHook ? { Stop: [{ hooks: [{ type: 'command', command: stopHook(dir) }] }] } : {}
  write('.claude/settings.json', { skipDangerousModePermissionPrompt: true, hooks })
}

function environment(home: string, key: string, modelUrl: string): Record<string, string> {
  return {
    HOME: home,
    PATH: process.env['PATH'] ?? '',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: key,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
    DISABLE_AUTOUPDATER: '1',
    ...(process.getuid?.() === 0 ? { IS_SANDBOX: '1' } : {}),
  }
}
