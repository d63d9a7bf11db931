/**
 * One turn: the prompt, the model's answers, the tools they call, and exactly one ending. Endings as measured: Stop,
 * StopFailure, the interrupt marker, or silence when ESC came before the first token.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { ApiFailure, ask, Interrupted, type ApiMessage, type ApiOptions, type Block } from './api.ts'
import { appliesTo, type StubFaults } from './faults.ts'
import type { CallHooks } from './hooks.ts'
import type { Tool, ToolAnswer } from './tools/tool.ts'
import type { Transcript } from './transcript.ts'

export interface Session {
  readonly api: ApiOptions
  readonly model: string
  readonly system: string
  readonly tools: readonly Tool[]
  readonly hooks: CallHooks
  readonly transcript: Transcript
  readonly faults: StubFaults
  readonly exit: (code: number) => never
  /** Messages as the API gets them; grows with every turn. */
  readonly messages: Message[]
}

export interface Message {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: readonly unknown[]
}

/** `restored`: the prompt goes back into the input box. */
export type Ending = 'stopped' | 'failed' | 'interrupted' | 'restored' | 'silent'

interface TurnInProgress {
  readonly session: Session
  readonly ordinal: number
  readonly signal: AbortSignal
  readonly begunAt: number
}

export async function playTurn(
  session: Session,
  prompt: string,
  ordinal: number,
  signal: AbortSignal,
): Promise<Ending> {
  const turn = { session, ordinal, signal, begunAt: session.messages.length }
  const { context, blocked } = await session.hooks('UserPromptSubmit', { prompt })
  if (blocked !== undefined) return 'silent'
  session.transcript.user(prompt, { promptSource: 'typed' })
  session.messages.push({ role: 'user', content: [...context, prompt].map((text) => ({ type: 'text', text })) })
  if (appliesTo(session.faults.hang, ordinal)) await new Promise<never>(() => undefined)
  if (appliesTo(session.faults.stall, ordinal)) return stalled(turn)
  try {
    const forced = session.faults.stopFailure
    if (forced !== undefined && appliesTo(forced, ordinal))
      throw new ApiFailure(500, forced.error, forced.message ?? `API Error: ${forced.error}`)
    return await untilStopped(turn)
  } catch (error) {
    if (error instanceof Interrupted) return interruptedAnswer(turn, error)
    if (error instanceof ApiFailure) return failedTurn(turn, error)
    throw error
  }
}

async function stalled(turn: TurnInProgress): Promise<Ending> {
  await new Promise<void>((resolve) => turn.signal.addEventListener('abort', () => resolve(), { once: true }))
  return restored(turn)
}

/** The CLI goes on by itself after a message that was cut off or refused. */
const resumptions: Readonly<Record<string, string>> = {
  max_tokens: 'Output token limit hit. Resume directly — no apology, no recap of what you were doing.',
  refusal: 'The last answer was refused. Go on with what can be done.',
}

/** Refused twice the turn ends as a failure of the API, though the API answered. */
class SecondRefusal extends ApiFailure {
  constructor() {
    super(200, 'invalid_request', "API Error: the model can't help with this.")
  }
}

async function untilStopped(turn: TurnInProgress): Promise<Ending> {
  const { session } = turn
  let stopHookActive = false
  let refused = false
  for (;;) {
    const message = await askModel(turn)
    const exit = session.faults.exitMidTurn
    if (exit !== undefined && appliesTo(exit, turn.ordinal)) session.exit(exit.code)
    const calls = message.content.filter((block) => block.type === 'tool_use')
    if (calls.length > 0) {
      if ((await runTools(turn, calls)) === 'interrupted') return 'interrupted'
      continue
    }
    if (message.stop_reason === 'refusal' && refused) throw new SecondRefusal()
    refused ||= message.stop_reason === 'refusal'
    const resumption = resumptions[message.stop_reason ?? '']
    if (resumption !== undefined) {
      say(session, resumption)
      continue
    }
    const reason = await stop(turn, message, stopHookActive)
    if (reason === undefined) return 'stopped'
    stopHookActive = true
    say(session, `Stop hook feedback:\n${reason}`)
  }
}

async function askModel(turn: TurnInProgress): Promise<ApiMessage> {
  const { session, signal } = turn
  const tools = session.tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: inputSchema,
  }))
  const body = {
    model: session.model,
    max_tokens: 32_000,
    system: [{ type: 'text', text: session.system }],
    messages: session.messages,
    tools,
  }
  const message = await ask(session.api, body, signal)
  if (session.faults.transcriptDelayMs !== undefined && message.stop_reason === 'end_turn') session.transcript.hold()
  session.transcript.assistant(message)
  session.messages.push({ role: 'assistant', content: message.content })
  return message
}

function say(session: Session, text: string): void {
  session.transcript.user(text, { isMeta: true })
  session.messages.push({ role: 'user', content: [{ type: 'text', text }] })
}

/** The reason why a hook wants the turn to go on. */
async function stop(turn: TurnInProgress, message: ApiMessage, stopHookActive: boolean): Promise<string | undefined> {
  const { session, ordinal } = turn
  if (appliesTo(session.faults.noStop, ordinal)) return undefined
  const late = session.faults.transcriptDelayMs
  if (late !== undefined) void delay(late).then(() => session.transcript.release())
  const { blocked } = await session.hooks('Stop', {
    permission_mode: 'bypassPermissions',
    stop_hook_active: stopHookActive,
    last_assistant_message: textOf(message),
    background_tasks: [],
    session_crons: [],
  })
  return blocked
}

function textOf(message: ApiMessage): string {
  return message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}

async function runTools(
  turn: TurnInProgress,
  calls: readonly Extract<Block, { type: 'tool_use' }>[],
): Promise<'done' | 'interrupted'> {
  const { session, signal } = turn
  const results: unknown[] = []
  const contexts: string[] = []
  for (const call of calls) {
    const { answer, context } = await runTool(session, call, signal)
    const result = {
      type: 'tool_result',
      tool_use_id: call.id,
      content: signal.aborted ? rejection : answer.text,
      ...(answer.error || signal.aborted ? { is_error: true } : {}),
    }
    results.push(result)
    contexts.push(...context)
    session.transcript.user([result], { toolUseResult: signal.aborted ? 'User rejected tool use' : answer.text })
  }
  session.messages.push({ role: 'user', content: results })
  if (signal.aborted) {
    mark(session, '[Request interrupted by user for tool use]')
    return 'interrupted'
  }
  if (contexts.length > 0)
    session.messages.push({ role: 'system', content: contexts.map((text) => ({ type: 'text', text })) })
  return 'done'
}

const rejection = "The user doesn't want to proceed with this tool use. The tool use was rejected."

async function runTool(
  session: Session,
  call: Extract<Block, { type: 'tool_use' }>,
  signal: AbortSignal,
): Promise<{ answer: ToolAnswer; context: readonly string[] }> {
  const input = { tool_name: call.name, tool_input: call.input, tool_use_id: call.id }
  const before = await session.hooks('PreToolUse', input)
  if (before.blocked !== undefined) return { answer: { text: before.blocked, error: true }, context: before.context }
  const tool = session.tools.find((one) => one.name === call.name)
  const answer =
    tool === undefined
      ? { text: `No such tool available: ${call.name}`, error: true }
      : await attempt(tool, call, signal)
  if (signal.aborted) return { answer, context: [] }
  const event = answer.error ? 'PostToolUseFailure' : 'PostToolUse'
  const after = await session.hooks(event, {
    ...input,
    ...(answer.error ? { error: answer.text } : { tool_response: answer.text }),
  })
  const texts = [...before.context, ...after.context].map(
    (text) => `${event}:${call.name} hook additional context: ${text}`,
  )
  return { answer, context: texts }
}

async function attempt(
  tool: Tool,
  { id, input }: Extract<Block, { type: 'tool_use' }>,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  try {
    return await tool.run(input, signal, id)
  } catch (error) {
    return { text: String(error), error: true }
  }
}

function interruptedAnswer(turn: TurnInProgress, { partial }: Interrupted): Ending {
  const { session } = turn
  if (partial === undefined && session.messages.length === turn.begunAt + 1) return restored(turn)
  if (partial !== undefined) {
    session.transcript.assistant({ ...partial, stop_reason: null }, { isAbortedMidStream: true })
    const texts = partial.content.filter((block) => block.type === 'text' && block.text !== '')
    if (texts.length > 0) session.messages.push({ role: 'assistant', content: texts })
  }
  mark(session, '[Request interrupted by user]', partial?.id)
  return 'interrupted'
}

/** Before the first token the prompt leaves the conversation; its line in the transcript stays. */
function restored(turn: TurnInProgress): Ending {
  turn.session.messages.splice(turn.begunAt)
  return 'restored'
}

function mark(session: Session, text: string, messageId?: string): void {
  session.transcript.user([{ type: 'text', text }], messageId === undefined ? {} : { interruptedMessageId: messageId })
  session.messages.push({ role: 'user', content: [{ type: 'text', text }] })
  for (const type of ['last-prompt', 'mode', 'permission-mode']) session.transcript.meta(type, {})
}

async function failedTurn(turn: TurnInProgress, failure: ApiFailure): Promise<Ending> {
  const { session, ordinal } = turn
  const message: ApiMessage = {
    id: `error-${ordinal}-${session.messages.length}`,
    role: 'assistant',
    model: '<synthetic>',
    content: [{ type: 'text', text: failure.message }],
    stop_reason: failure instanceof SecondRefusal ? 'refusal' : 'stop_sequence',
    usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
  }
  session.transcript.assistant(message, {
    isApiErrorMessage: true,
    error: failure.error,
    apiErrorStatus: failure.status,
  })
  await session.hooks('StopFailure', {
    error: failure.error,
    error_details: failure.message,
    last_assistant_message: failure.message,
  })
  return 'failed'
}
