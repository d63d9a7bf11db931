import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLogger } from '../../edges/http/logging.ts'
import { writeAgentFiles } from '../boot/agent-files.ts'
import { agentCommand, agentEnvironment } from '../boot/agent-process.ts'
import { loadConfig } from '../boot/config.ts'
import type { AgentPlumbing } from '../boot/plumbing.ts'
import { shellWords } from '../boot/shell-words.ts'
import { until, type Clock } from '../clock.ts'
import type { HookAnswer, HookEvent } from '../hooks/hook-input.ts'
import { awaitReady } from '../terminal/boot.ts'
import { sanitise } from '../terminal/sanitise.ts'
import { submit, typedLine } from '../terminal/submit.ts'
import { openTerminal, type Terminal } from '../terminal/terminal.ts'
import { startTestModel, type ModelRequest, type Move, type TestModel } from './model.ts'

/** What the composition root gives. */
export interface AgentInput {
  readonly cli: string
  readonly clock: Clock
  readonly uuid: () => string
  /** The Node that runs the status line's program. */
  readonly node: string
  readonly isRoot: boolean
  readonly path: string
}

export interface AgentOptions {
  /** A subscription's token in place of a key: the CLI then tells usage windows. */
  readonly subscription?: boolean
  /** Changes the seed after it was written, before the CLI starts. */
  readonly spoil?: (paths: { readonly home: string; readonly workspace: string }) => void
  /** False: the boot is awaited by the case itself. */
  readonly awaitBoot?: boolean
}

export interface HookCall {
  readonly event: HookEvent
  readonly input: Readonly<Record<string, unknown>>
}

/** Undefined: nothing to say. */
export type AnswerHook = (event: HookEvent) => HookAnswer | 'refuse' | 'hang up' | undefined

export type Decide = (request: ModelRequest, nth: number) => Move
export type Line = Readonly<Record<string, unknown>>

/** What happened from one submission to its end. */
export interface Seen {
  readonly token: string
  readonly hooks: readonly HookCall[]
  readonly requests: readonly ModelRequest[]
}

/** One agent CLI with everything of the wrapper's adapters around it and nothing else of the wrapper. */
export interface Agent {
  readonly sessionId: string
  readonly dummyKey: string
  readonly home: string
  readonly workspace: string
  readonly terminal: Terminal
  readonly clock: Clock
  readonly model: TestModel
  readonly hooks: readonly HookCall[]
  readonly usageReports: readonly unknown[]
  script(decide: Decide): void
  answerHooks(answer: AnswerHook): void
  /** Types, pastes, presses Enter, and waits for the UserPromptSubmit hook. */
  submit(body: string): Promise<string>
  /** Submits and waits for Stop or StopFailure. */
  turn(body: string, decide?: Decide): Promise<Seen>
  transcript(): readonly Line[]
  until(what: string, condition: () => boolean, limitMs?: number): Promise<void>
  close(): Promise<void>
}

export const said = 'understood'
const key = 'contract'
const limitMs = 30_000

export async function startAgent(input: AgentInput, options: AgentOptions = {}): Promise<Agent> {
  const { clock } = input
  const root = mkdtempSync(join(tmpdir(), 'contract-'))
  const [home, workspace] = [join(root, 'home'), join(root, 'workspace')]
  for (const dir of [home, join(workspace, 'lib')]) mkdirSync(dir, { recursive: true })
  let decide: Decide = () => ({ kind: 'say', text: said })
  let scriptedFrom = 0
  const model = await startTestModel((request, index) => decide(request, index - scriptedFrom))
  const loopback = await openLoopback()
  const config = loadConfig(variables(input, options, { root, home, workspace, model: model.url }), () => '')
  const plumbing = plumbingOf(input.node, loopback.url)
  const [sessionId, dummyKey] = [input.uuid(), `sk-ant-contract-${input.uuid()}`]
  writeAgentFiles({
    config,
    plumbing,
    dummyKey,
    overlays: [],
    findings: [],
    baseInstructions: [{ repository: 'lib', base: 'main', text: 'The word of the base is heron.\n' }],
    logger: createLogger({ name: 'contract', level: 'silent' }),
  })
  options.spoil?.({ home, workspace })
  const terminal = openTerminal({
    command: agentCommand(config, sessionId),
    cwd: workspace,
    env: { ...agentEnvironment(config, plumbing, dummyKey, input.isRoot), ANTHROPIC_BASE_URL: model.url },
    clock,
  })
  const agent: Agent = {
    sessionId,
    dummyKey,
    home,
    workspace,
    terminal,
    clock,
    model,
    hooks: loopback.hooks,
    usageReports: loopback.usageReports,
    script: (next) => {
      decide = next
      scriptedFrom = model.requests.length
    },
    answerHooks: (answer) => loopback.answerWith(answer),
    submit: async (body) => {
      const token = `c-${input.uuid().slice(0, 8)}`
      const accepted = Promise.withResolvers<void>()
      const isOurs = ({ event, input: told }: HookCall): boolean =>
        event === 'UserPromptSubmit' && String(told['prompt']).includes(`[turn ${token}]`)
      loopback.onHook((call) => (isOurs(call) ? accepted.resolve() : undefined))
      if (!(await submit(terminal, clock, token, sanitise(body), accepted.promise)))
        throw new Error(`the CLI never took ${typedLine(token)}`)
      return token
    },
    turn: async (body, next) => {
      if (next) agent.script(next)
      const from = { hooks: loopback.hooks.length, requests: model.requests.length }
      const token = await agent.submit(body)
      await agent.until('the end of the turn', () =>
        loopback.hooks.slice(from.hooks).some(({ event }) => event === 'Stop' || event === 'StopFailure'),
      )
      return { token, hooks: loopback.hooks.slice(from.hooks), requests: model.requests.slice(from.requests) }
    },
    transcript: () => readLines(String(loopback.hooks.at(-1)?.input['transcript_path'] ?? '')),
    until: async (what, condition, within = limitMs) => {
      if (await until(clock, 20, within, () => condition() || terminal.exited() !== undefined)) if (condition()) return
      throw new Error(`${terminal.exited() ? 'the CLI ended' : `${within} ms passed`} before ${what}`)
    },
    close: async () => {
      terminal.kill('SIGTERM')
      if (!(await until(clock, 50, 5000, () => terminal.exited() !== undefined))) terminal.kill('SIGKILL')
      await Promise.all([model.close(), loopback.close()])
      rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  if (options.awaitBoot !== false) await bootOrClose(agent)
  return agent
}

async function bootOrClose(agent: Agent): Promise<void> {
  try {
    await awaitReady(agent.terminal, agent.clock, 60_000)
  } catch (error) {
    await agent.close()
    throw error
  }
}

function variables(
  { cli, path }: AgentInput,
  { subscription }: AgentOptions,
  at: { root: string; home: string; workspace: string; model: string },
): Record<string, string> {
  return {
    HOME: at.home,
    PATH: path,
    WORKSPACE_DIR: at.workspace,
    STATE_DIR: join(at.root, 'state'),
    OIDC_ISSUER: 'http://127.0.0.1:1',
    OIDC_AUDIENCE: 'contract',
    PLATFORM_TASK: 'contract',
    PLATFORM_PROJECT: 'contract',
    PLATFORM_TOOL_PROFILE: 'implement',
    MODEL: 'claude-sonnet-4-5',
    MODEL_BASE_URL: at.model,
    AGENT_CLI: JSON.stringify([cli]),
    PLATFORM_MCP_COMMAND: JSON.stringify([process.execPath, fileURLToPath(new URL('mcp-server.mjs', import.meta.url))]),
    [subscription ? 'AGENT_RUNTIME_OAUTH_TOKEN' : 'MODEL_PROVIDER_API_KEY']: 'never-sent',
  }
}

function plumbingOf(node: string, internalUrl: string): AgentPlumbing {
  const statusline = fileURLToPath(new URL('../usage/statusline.mjs', import.meta.url))
  return {
    statuslineCommand: shellWords([node, statusline, `${internalUrl}/internal/account-usage`]),
    internalUrl,
    agentKey: key,
  }
}

interface Loopback {
  readonly url: string
  readonly hooks: readonly HookCall[]
  readonly usageReports: readonly unknown[]
  answerWith(answer: AnswerHook): void
  onHook(listener: (call: HookCall) => void): void
  close(): Promise<void>
}

async function openLoopback(): Promise<Loopback> {
  const hooks: HookCall[] = []
  const usageReports: unknown[] = []
  const listeners: ((call: HookCall) => void)[] = []
  let answer: AnswerHook = () => undefined
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const event = /\/internal\/hook\/(\w+)$/.exec(request.url ?? '')?.[1] as HookEvent | undefined
      if (event === undefined) {
        usageReports.push(body)
        return response.writeHead(204).end()
      }
      const call = { event, input: body as HookCall['input'] }
      hooks.push(call)
      for (const listener of listeners) listener(call)
      const told = answer(event)
      if (told === 'hang up') return request.socket.destroy()
      if (told === 'refuse') return response.writeHead(500).end('{"code":"internal"}')
      return told ? response.writeHead(200).end(JSON.stringify(told)) : response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hooks,
    usageReports,
    answerWith: (next) => (answer = next),
    onHook: (listener) => listeners.push(listener),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}')
}

/** A line that is still being written is left out, and so is a file that isn't there yet (facts 5b). */
function readLines(path: string): readonly Line[] {
  try {
    const text = readFileSync(path, 'utf8')
    return text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line)
  } catch {
    return []
  }
}

/** For cases that spoil the seed: reads a JSON file, lets it be changed, writes it back. */
export function editJson(path: string, edit: (value: Record<string, unknown>) => void): void {
  const value = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
  edit(value)
  writeFileSync(path, JSON.stringify(value))
}
