/** An agent CLI, the real one or the stub, under a pseudo-terminal with its own home, as the wrapper drives it. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { spawn, type IPty } from '@lydell/node-pty'

export interface HookLine {
  readonly hook_event_name: string
  readonly prompt?: string
  readonly prompt_id?: string
  readonly transcript_path?: string
  readonly last_assistant_message?: string
  readonly tool_name?: string
  readonly error?: string
}

export interface TerminalUnderTest {
  readonly workspace: string
  readonly home: string
  readonly exited: Promise<number>
  hooks(event?: string): readonly HookLine[]
  statusLines(): number
  calls(): readonly { readonly tool: string; readonly input: Record<string, unknown> }[]
  transcript(): readonly TranscriptLine[]
  screen(): string
  write(text: string): void
  /** SIGTERM. */
  end(): void
  /** Typed line, paste and Enter as separate writes. */
  submit(token: string, body: string): Promise<void>
  until(what: string, condition: () => boolean, seconds?: number): Promise<void>
}

export interface TranscriptLine {
  readonly type: string
  readonly message?: {
    readonly id?: string
    readonly content: unknown
    readonly usage?: unknown
    readonly stop_reason?: string | null
  }
  readonly [member: string]: unknown
}

export interface TerminalOptions {
  readonly cli: string
  readonly modelUrl: string
  readonly apiKey: string
  readonly faults?: Readonly<Record<string, unknown>>
  readonly environment?: Readonly<Record<string, string>>
  readonly settings?: Readonly<Record<string, unknown>>
}

const platformServer = join(import.meta.dirname, 'platform-server.ts')
const quietMs = 1_500

export async function withTerminal<Result>(
  options: TerminalOptions,
  action: (terminal: TerminalUnderTest) => Promise<Result>,
): Promise<Result> {
  const root = mkdtempSync(join(tmpdir(), 'terminal-'))
  const [home, workspace] = [join(root, 'home'), join(root, 'workspace')]
  prepare(root, options)
  const pty = spawn(
    options.cli,
    ['--dangerously-skip-permissions', '--session-id', '11111111-2222-4333-8444-555555555555'],
    {
      name: 'xterm-256color',
      cols: 120,
      rows: 40,
      cwd: workspace,
      env: environment(home, options),
    },
  )
  const terminal = observe(pty, root)
  try {
    return await action(terminal)
  } finally {
    pty.kill('SIGTERM')
    if ((await Promise.race([terminal.exited, delay(5_000, 'late')])) === 'late') pty.kill('SIGKILL')
    rmSync(root, { recursive: true, force: true, maxRetries: 5 })
  }
}

function prepare(root: string, options: TerminalOptions): void {
  const [home, workspace] = [join(root, 'home'), join(root, 'workspace')]
  mkdirSync(join(home, '.claude'), { recursive: true })
  mkdirSync(join(workspace, 'spanlet'), { recursive: true })
  const json = (file: string, value: unknown): void => writeFileSync(file, JSON.stringify(value))
  json(join(home, '.claude.json'), {
    hasCompletedOnboarding: true,
    customApiKeyResponses: { approved: [options.apiKey.slice(-20)], rejected: [] },
    projects: { [workspace]: { hasTrustDialogAccepted: true } },
  })
  const hook = { hooks: [{ type: 'command', command: `{ cat; echo; } >> '${join(root, 'hooks.jsonl')}'` }] }
  const events = [
    'SessionStart',
    'UserPromptSubmit',
    'Stop',
    'StopFailure',
    'PreToolUse',
    'PostToolUse',
    'PostToolUseFailure',
  ]
  json(join(home, '.claude/settings.json'), {
    skipDangerousModePermissionPrompt: true,
    enableAllProjectMcpServers: true,
    hooks: Object.fromEntries(events.map((event) => [event, [hook]])),
    statusLine: { type: 'command', command: `{ cat; echo; } >> '${join(root, 'status.jsonl')}'` },
    ...options.settings,
  })
  json(join(workspace, '.mcp.json'), {
    mcpServers: { platform: { command: process.execPath, args: [platformServer, join(root, 'calls.jsonl')] } },
  })
  if (options.faults !== undefined) json(join(home, '.stub-cli.json'), options.faults)
}

/** An allowlist: nothing of the machine that runs the tests reaches the CLI. */
function environment(home: string, options: TerminalOptions): Record<string, string> {
  return {
    HOME: home,
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    ANTHROPIC_BASE_URL: options.modelUrl,
    ANTHROPIC_API_KEY: options.apiKey,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    IS_SANDBOX: '1',
    ENABLE_TOOL_SEARCH: 'false',
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    ...options.environment,
  }
}

function observe(pty: IPty, root: string): TerminalUnderTest {
  let screen = ''
  let lastOutput = Date.now()
  pty.onData((data) => {
    screen = (screen + data).slice(-20_000)
    lastOutput = Date.now()
  })
  let hasExited = false
  const exited = new Promise<number>((resolve) =>
    pty.onExit(({ exitCode }) => {
      hasExited = true
      resolve(exitCode)
    }),
  )
  const hooks = (event?: string): readonly HookLine[] =>
    readLines<HookLine>(join(root, 'hooks.jsonl')).filter(
      (line) => event === undefined || line.hook_event_name === event,
    )
  const terminal: TerminalUnderTest = {
    workspace: join(root, 'workspace'),
    home: join(root, 'home'),
    exited,
    hooks,
    statusLines: () => readLines(join(root, 'status.jsonl')).length,
    calls: () => readLines(join(root, 'calls.jsonl')),
    transcript: () => readLines(hooks().at(-1)?.transcript_path ?? ''),
    screen: () => screen,
    write: (text) => pty.write(text),
    end: () => pty.kill('SIGTERM'),
    async submit(token, body) {
      await terminal.until('the prompt', () => hooks('SessionStart').length > 0 && Date.now() - lastOutput > quietMs)
      pty.write(`[turn ${token}] Carry out the message below.`)
      await delay(60)
      pty.write(`\u001b[200~\n${body}\u001b[201~`)
      await delay(250)
      pty.write('\r')
    },
    async until(what, condition, seconds = 30) {
      const end = Date.now() + seconds * 1000
      while (!condition()) {
        if (Date.now() > end || hasExited)
          throw new Error(
            `${hasExited ? 'the CLI exited' : 'waited too long'} before ${what}; hooks: ${hooks()
              .map((line) => line.hook_event_name)
              .join(' ')}; screen: ${screen.slice(-1500)}`,
          )
        await delay(50)
      }
    },
  }
  return terminal
}

/** A line still being written is left out. */
function readLines<Line>(file: string): readonly Line[] {
  if (file === '' || !existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return line.trim() === '' ? [] : [JSON.parse(line) as Line]
      } catch {
        return []
      }
    })
}
