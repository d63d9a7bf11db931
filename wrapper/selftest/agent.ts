import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLogger } from '../../http/operational/logging.ts'
import { contractVersion } from '../../machines/turn/contract-version.ts'
import { variableTexts } from '../../machines/turn/pod-environment.ts'
import { writeAgentFiles } from '../boot/agent-files.ts'
import { agentCommand, agentEnvironment } from '../boot/agent-process.ts'
import { loadConfig } from '../boot/config.ts'
import { until, type Clock } from '../clock.ts'
import { awaitReady } from '../terminal/boot.ts'
import { sanitise } from '../terminal/sanitise.ts'
import { submit, typedLine } from '../terminal/submit.ts'
import { openTerminal, type Terminal } from '../terminal/terminal.ts'
import { writeShims } from '../space/open-walls.ts'
import type { AgentSockets } from '../sockets/agent-sockets.ts'
import { startTestModel, type ModelRequest, type Move, type TestModel } from './model.ts'
import { openWrapperSide, type AnswerHook, type HookCall, type ToolCall } from './wrapper-side.ts'

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
  /** Changes the CLI's environment. */
  readonly environment?: Readonly<Record<string, string>>
  /** False: the boot is awaited by the case itself. */
  readonly awaitBoot?: boolean
}

export type Decide = (request: ModelRequest, nth: number) => Move
type Line = Readonly<Record<string, unknown>>

/** What happened from one submission to its end. */
export interface Seen {
  readonly token: string
  readonly hooks: readonly HookCall[]
  readonly requests: readonly ModelRequest[]
}

/** One agent CLI with everything of the wrapper's adapters around it and nothing else of the wrapper. */
export interface Agent {
  readonly sessionId: string
  readonly home: string
  readonly workspace: string
  readonly terminal: Terminal
  readonly clock: Clock
  readonly model: TestModel
  readonly hooks: readonly HookCall[]
  readonly toolCalls: readonly ToolCall[]
  readonly sockets: AgentSockets
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

export const answerText = 'understood'
const limitMs = 30_000

export async function startAgent(input: AgentInput, options: AgentOptions = {}): Promise<Agent> {
  const { clock } = input
  const root = mkdtempSync(join(tmpdir(), 'contract-'))
  const [home, workspace] = [join(root, 'home'), join(root, 'workspace')]
  for (const dir of [home, join(workspace, 'lib')]) mkdirSync(dir, { recursive: true })
  let decide: Decide = () => ({ kind: 'say', text: answerText })
  let scriptedFrom = 0
  const side = await openWrapperSide()
  const model = await startTestModel(
    (request, index) => decide(request, index - scriptedFrom),
    true,
    side.sockets.model,
  )
  const config = loadConfig(variables(input, options, { root, home, workspace }), () => '')
  const plumbing = {
    sockets: side.sockets,
    programs: join(side.link, 'bin'),
    runtime: side.link,
    ...programs(input.node),
  }
  writeShims(side.link, { ...config, way: [] })
  const sessionId = input.uuid()
  writeAgentFiles({
    config,
    plumbing,
    commandHome: home,
    overlays: [],
    findings: [],
    baseInstructions: [{ repository: 'lib', base: 'main', text: 'The word of the base is heron.\n' }],
    logger: createLogger({ name: 'contract', level: 'silent' }),
  })
  options.spoil?.({ home, workspace })
  const terminal = openTerminal({
    command: agentCommand(config, sessionId),
    cwd: workspace,
    env: { ...agentEnvironment(config, plumbing, input.isRoot), ...options.environment },
    clock,
  })
  const agent: Agent = {
    sessionId,
    home,
    workspace,
    terminal,
    clock,
    model,
    hooks: side.hooks,
    toolCalls: side.toolCalls,
    sockets: side.sockets,
    script: (next) => {
      decide = next
      scriptedFrom = model.requests.length
    },
    answerHooks: (answer) => side.answerWith(answer),
    submit: async (body) => {
      const token = `c-${input.uuid().slice(0, 8)}`
      const accepted = Promise.withResolvers<void>()
      const isOurs = ({ event, input: fields }: HookCall): boolean =>
        event === 'UserPromptSubmit' && String(fields['prompt']).includes(`[turn ${token}]`)
      side.onHook((call) => (isOurs(call) ? accepted.resolve() : undefined))
      if (!(await submit(terminal, clock, { turnId: token, body: sanitise(body), accepted: accepted.promise })))
        throw new Error(`the CLI never took ${typedLine(token)}`)
      return token
    },
    turn: async (body, next) => {
      if (next) agent.script(next)
      const from = { hooks: side.hooks.length, requests: model.requests.length }
      const token = await agent.submit(body)
      await agent.until('the end of the turn', () =>
        side.hooks.slice(from.hooks).some(({ event }) => event === 'Stop' || event === 'StopFailure'),
      )
      return { token, hooks: side.hooks.slice(from.hooks), requests: model.requests.slice(from.requests) }
    },
    transcript: () => readLines(String(side.hooks.at(-1)?.input['transcript_path'] ?? '')),
    until: async (what, condition, within = limitMs) => {
      if (await until(clock, 20, within, () => condition() || terminal.exited() !== undefined)) if (condition()) return
      throw new Error(`${terminal.exited() ? 'the CLI ended' : `${within} ms passed`} before ${what}`)
    },
    close: async () => {
      terminal.kill('SIGTERM')
      if (!(await until(clock, 50, 5000, () => terminal.exited() !== undefined))) terminal.kill('SIGKILL')
      await Promise.all([model.close(), side.close()])
      rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  if (options.awaitBoot !== false) await bootOrClose(agent, side.hooksConnected)
  return agent
}

async function bootOrClose(agent: Agent, hooksConnected: () => boolean): Promise<void> {
  try {
    await awaitReady(agent.terminal, agent.clock, 60_000)
    await agent.until('the hooks are connected', hooksConnected)
  } catch (error) {
    await agent.close()
    throw error
  }
}

function variables(
  { cli, path }: AgentInput,
  { subscription }: AgentOptions,
  at: { root: string; home: string; workspace: string },
): Record<string, string> {
  return {
    HOME: at.home,
    PATH: path,
    WORKSPACE_DIR: at.workspace,
    STATE_DIR: join(at.root, 'state'),
    ...variableTexts({
      OIDC_ISSUER: 'http://127.0.0.1:1',
      OIDC_AUDIENCE: 'contract',
      PLATFORM_TASK: 'contract',
      PLATFORM_PROJECT: 'contract',
      PLATFORM_TOOL_PROFILE: 'implement',
      PLATFORM_CONTRACT_VERSION: contractVersion,
      MODEL: 'claude-sonnet-4-5',
      AGENT_CLI: [cli],
    }),
    [subscription ? 'AGENT_RUNTIME_OAUTH_TOKEN' : 'MODEL_PROVIDER_API_KEY']: 'never-sent',
  }
}

function programs(node: string): Readonly<Record<'relayCommand' | 'statuslineCommand', readonly string[]>> {
  return {
    relayCommand: [node, fileURLToPath(new URL('../hooks/relay.mjs', import.meta.url))],
    statuslineCommand: [node, fileURLToPath(new URL('../usage/statusline.mjs', import.meta.url))],
  }
}

/** A line that is still being written is left out, and so is a file that isn't there yet (CLI-FACT-5). */
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
