/**
 * A stand-in for the Claude Code CLI, for the faults that the real one can't be made to show. It behaves as measured
 * with 2.1.329 where a wrapper can see it: pty, hooks, transcript, status line, Messages API, tools, MCP servers.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { ApiOptions } from './api.ts'
import { readArguments, type StubArguments } from './arguments.ts'
import { showDialog, type DialogKind } from './dialog.ts'
import { readFaults, type StubFaults } from './faults.ts'
import { hookCaller } from './hooks.ts'
import { inputBox } from './input-box.ts'
import { keyReader, type Key } from './keys.ts'
import { readSettings, type Settings } from './settings.ts'
import { run } from './shell.ts'
import { draw, terminal } from './terminal.ts'
import { bashTool } from './tools/bash.ts'
import { fileTools } from './tools/files.ts'
import { connectServers } from './tools/mcp.ts'
import { isSessionTaken, openTranscript, transcriptPath } from './transcript.ts'
import { playTurn, type Session } from './turn.ts'

const escapeFlushMs = 40
const statusLineTimeoutMs = 5_000

function write(text: string): void {
  process.stdout.write(text)
}

function exit(code: number): never {
  write('\u001b[?2004l\u001b[?1049l')
  process.exit(code)
}

function stopWith(message: string): never {
  write(`${message}\r\n`)
  process.exit(1)
}

async function main(): Promise<void> {
  const flags = readArguments(process.argv.slice(2))
  if (flags.version) return write('2.1.329 (Claude Code)\n')
  const faults = readFaults(flags.faultsFile, process.env)
  if (faults.exitAtBoot !== undefined) exit(faults.exitAtBoot)
  const home = process.env['HOME'] ?? '/'
  const cwd = process.cwd()
  const settings = readSettings(home, cwd)
  refuseUnprepared(flags, settings)
  let listener: (key: Key) => void = () => undefined
  readKeys((key) => listener(key))
  write('\u001b[?1049h\u001b[?2004h')
  const dialogKind = dialogOf(flags, faults, settings)
  if (dialogKind !== undefined && !(await showDialog(dialogKind, write, (next) => (listener = next)))) exit(1)
  listener = () => undefined
  if (faults.bootDelayMs !== undefined) await delay(faults.bootDelayMs)
  const { press } = await openSession(flags, faults, settings, { home, cwd })
  listener = press
  draw(write)
}

function refuseUnprepared(flags: StubArguments, settings: Settings): void {
  if (!settings.isOnboarded) stopWith('Unable to connect to Anthropic services')
  if (flags.skipPermissions && process.getuid?.() === 0 && process.env['IS_SANDBOX'] !== '1') {
    stopWith('--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons')
  }
}

function dialogOf(flags: StubArguments, faults: StubFaults, settings: Settings): DialogKind | undefined {
  if (faults.dialog !== undefined) return faults.dialog
  if (!settings.isTrusted) return 'trust'
  return flags.skipPermissions && !settings.skipDangerousModePermissionPrompt ? 'bypass' : undefined
}

function readKeys(press: (key: Key) => void): void {
  const reader = keyReader()
  let flush: NodeJS.Timeout | undefined
  if (process.stdin.isTTY) process.stdin.setRawMode(true)
  process.stdin.setEncoding('utf8')
  process.stdin.on('data', (chunk: string) => {
    clearTimeout(flush)
    reader.read(chunk).forEach(press)
    flush = setTimeout(() => reader.flush().forEach(press), escapeFlushMs)
  })
  process.stdin.on('end', () => exit(0))
}

async function openSession(
  flags: StubArguments,
  faults: StubFaults,
  settings: Settings,
  place: { home: string; cwd: string },
): Promise<{ press: (key: Key) => void }> {
  const sessionId = flags.resume ?? flags.sessionId ?? randomUUID()
  const path = transcriptPath(place.home, place.cwd, sessionId)
  if (flags.resume === undefined && isSessionTaken(path)) stopWith(`Session ID ${sessionId} is already in use`)
  let promptId = randomUUID() as string
  const transcript = openTranscript(path, {
    sessionId,
    cwd: place.cwd,
    promptId: () => promptId,
    newId: randomUUID,
    now: () => new Date(),
  })
  const common = (): Record<string, unknown> => ({
    session_id: sessionId,
    transcript_path: path,
    cwd: place.cwd,
    prompt_id: promptId,
    effort: { level: flags.effort },
  })
  const mcp = await connectServers(settings.mcpServers, place.cwd)
  const hooks = hookCaller(settings, place.cwd, common, mcp.call)
  const builtIn = [bashTool(place.cwd), ...fileTools(place.cwd)]
  const session: Session = {
    api: apiOptions(process.env),
    model: flags.model,
    hooks,
    transcript,
    faults,
    exit,
    messages: [],
    tools: [...builtIn, ...mcp.tools].filter((tool) => !flags.disallowedTools.includes(tool.name)),
    system: `# Environment\n - Primary working directory: ${place.cwd}\n${flags.appendSystemPrompt}`,
  }
  const shut = async (code: number): Promise<void> => {
    await hooks('SessionEnd', { reason: code === 0 ? 'prompt_input_exit' : 'other' })
    await mcp.close()
    exit(code)
  }
  process.once('SIGTERM', () => void shut(143))
  await hooks('SessionStart', { source: flags.resume === undefined ? 'startup' : 'resume', model: flags.model })
  const status = statusLine(settings, place.cwd, () => ({
    ...common(),
    model: { id: flags.model, display_name: flags.model },
  }))
  await status()
  const { press } = terminal({
    box: inputBox(randomBytes(2).toString('hex')),
    faults,
    write,
    exit: (code) => void shut(code),
    async play(prompt, ordinal, signal) {
      promptId = randomUUID()
      const ending = await playTurn(session, prompt, ordinal, signal)
      await status()
      return ending
    },
  })
  return { press }
}

function apiOptions(env: NodeJS.ProcessEnv): ApiOptions {
  const socket = env['ANTHROPIC_UNIX_SOCKET'] || undefined
  const token = env['CLAUDE_CODE_OAUTH_TOKEN'] ?? env['ANTHROPIC_AUTH_TOKEN']
  const headers: Record<string, string> =
    token === undefined ? { 'x-api-key': env['ANTHROPIC_API_KEY'] ?? '' } : { authorization: `Bearer ${token}` }
  return {
    baseUrl: env['ANTHROPIC_BASE_URL'] ?? 'http://127.0.0.1:9',
    ...(socket === undefined ? {} : { socket }),
    headers,
    maxRetries: Number(env['CLAUDE_CODE_MAX_RETRIES'] ?? 10),
    onText: (text) => write(text.replaceAll('\n', '\r\n')),
  }
}

function statusLine(
  settings: Settings,
  cwd: string,
  input: () => Readonly<Record<string, unknown>>,
): () => Promise<void> {
  return async () => {
    if (settings.statusLine === undefined) return
    const { stdout } = await run(settings.statusLine, {
      cwd,
      input: JSON.stringify({ ...input(), version: '2.1.329' }),
      timeoutMs: statusLineTimeoutMs,
    })
    if (stdout.trim() !== '') write(`\r\n${stdout.trim()}`)
  }
}

await main()
