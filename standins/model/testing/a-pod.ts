/**
 * A pod without a terminal: the stub CLI's own turn loop and tools over a real checkout, talking to a scripted model
 * over HTTP. The platform's tools answer from the given functions. A new pod is a new conversation.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { bashTool } from '../../stub-cli/tools/bash.ts'
import { fileTools } from '../../stub-cli/tools/files.ts'
import type { Tool, ToolAnswer } from '../../stub-cli/tools/tool.ts'
import { openTranscript } from '../../stub-cli/transcript.ts'
import { playTurn, type Ending, type Session } from '../../stub-cli/turn.ts'
import { asPrompt } from './a-bundle.ts'

export type PlatformTools = Readonly<Record<string, (input: Readonly<Record<string, unknown>>) => unknown>>

export interface TestPod {
  readonly session: Session
  /** Text of the last message of the turn. */
  turn(token: string, bundle: string): Promise<{ readonly ending: Ending; readonly text: string }>
}

export interface PodOptions {
  readonly url: string
  readonly apiKey: string
  readonly workspace: string
  readonly tools?: PlatformTools
  readonly signal?: AbortSignal
}

export function aPod(options: PodOptions): TestPod {
  const session = sessionOf(options)
  let turns = 0
  return {
    session,
    async turn(token, bundle) {
      const ending = await playTurn(
        session,
        asPrompt(token, bundle),
        turns++,
        options.signal ?? new AbortController().signal,
      )
      return { ending, text: lastText(session) }
    },
  }
}

function sessionOf({ url, apiKey, workspace, tools = {} }: PodOptions): Session {
  let ids = 0
  const newId = (): string => `id-${++ids}`
  const transcript = openTranscript(join(workspace, '.transcript.jsonl'), {
    sessionId: 's',
    cwd: workspace,
    promptId: () => 'p',
    newId,
    now: () => new Date(0),
  })
  return {
    api: { baseUrl: url, headers: { 'x-api-key': apiKey }, maxRetries: 0 },
    model: 'claude-opus-5-5',
    system: `# Environment\n - Primary working directory: ${workspace}\n`,
    tools: [bashTool(workspace), ...fileTools(workspace), ...Object.entries(tools).map(platformTool)],
    hooks: async () => ({ context: [], blocked: undefined }),
    transcript,
    faults: {},
    exit: () => {
      throw new Error('exit')
    },
    messages: [],
  }
}

function platformTool([name, answer]: readonly [string, PlatformTools[string]]): Tool {
  return {
    name: `mcp__platform__${name}`,
    description: name,
    inputSchema: { type: 'object' },
    async run(input): Promise<ToolAnswer> {
      try {
        return { text: JSON.stringify(answer(input)), error: false }
      } catch (error) {
        return { text: String(error), error: true }
      }
    },
  }
}

function lastText(session: Session): string {
  const content = session.messages.findLast((message) => message.role === 'assistant')?.content ?? []
  return content.map((block) => (block as { text?: string }).text ?? '').join('\n')
}

/** A workspace with a git checkout made from this folder, removed afterwards. */
export async function withCheckout<Result>(
  from: string,
  name: string,
  action: (workspace: string, git: (...words: string[]) => string) => Promise<Result>,
): Promise<Result> {
  const workspace = mkdtempSync(join(tmpdir(), 'scripted-'))
  const checkout = join(workspace, name)
  const git = (...words: string[]): string =>
    execFileSync('git', ['-C', checkout, ...words], { encoding: 'utf8' }).trim()
  try {
    mkdirSync(checkout)
    cpSync(from, checkout, { recursive: true })
    git('init', '--quiet', '--initial-branch=main')
    git('config', 'user.name', 'bot')
    git('config', 'user.email', 'bot@example.org')
    git('add', '--all')
    git('commit', '--quiet', '--message', 'Start')
    return await action(workspace, git)
  } finally {
    rmSync(workspace, { recursive: true, force: true })
  }
}

/** Puts the Node that runs the tests first, as a pod does, until what it returns is called. */
export function withNodeOnPath(): () => void {
  const { PATH = '' } = process.env
  process.env['PATH'] = `${dirname(process.execPath)}:${PATH}`
  return () => void (process.env['PATH'] = PATH)
}
