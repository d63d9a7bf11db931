/**
 * A request read as a conversation of turns. Everything the model must know is in the request (the server keeps
 * nothing that a restart would lose), so this reader is where "which turn, which step" is decided.
 */
import { blocksOf, textOf, type ContentBlock, type MessagesRequest } from './messages.ts'

export interface PlayedCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
  /** Absent while the conversation holds no answer to the call. */
  readonly answer?: { readonly text: string; readonly error: boolean }
}

export interface Turn {
  readonly token: string
  readonly prompt: string
  readonly calls: readonly PlayedCall[]
  /** Text of the last assistant message that called no tool: the turn ended with it. */
  readonly ending?: string
}

export interface Conversation {
  readonly turns: readonly Turn[]
  readonly workspace: string
  readonly tools: readonly string[]
}

/** The typed line that the wrapper puts before the pasted message; only the first line of a user's text counts. */
const turnLine = /^\s*\[turn ([^\]\s]+)\]/

interface OpenTurn {
  token: string
  prompt: string
  calls: { id: string; name: string; input: unknown; answer?: { text: string; error: boolean } }[]
  ending?: string
}

export function readConversation(request: MessagesRequest): Conversation {
  const turns: OpenTurn[] = []
  for (const message of request.messages) {
    const blocks = blocksOf(message.content)
    if (message.role === 'assistant') addAssistant(turns, blocks)
    else if (message.role === 'user') addUser(turns, blocks)
  }
  return { turns, workspace: workspaceOf(request), tools: (request.tools ?? []).map((tool) => tool.name) }
}

function addAssistant(turns: readonly OpenTurn[], blocks: readonly ContentBlock[]): void {
  const turn = turns.at(-1)
  if (turn === undefined) return
  const uses = blocks.filter((block) => block.type === 'tool_use')
  for (const use of uses) turn.calls.push({ id: use.id ?? '', name: use.name ?? '', input: use.input })
  if (uses.length === 0) turn.ending = textOf([...blocks])
}

function addUser(turns: OpenTurn[], blocks: readonly ContentBlock[]): void {
  for (const block of blocks) {
    if (block.type === 'tool_result') addAnswer(turns, block)
    const token = block.type === 'text' ? turnLine.exec(block.text ?? '')?.[1] : undefined
    if (token !== undefined) turns.push({ token, prompt: block.text ?? '', calls: [] })
  }
}

function addAnswer(turns: readonly OpenTurn[], block: ContentBlock): void {
  const call = turns.flatMap((turn) => turn.calls).findLast((one) => one.id === block.tool_use_id)
  if (call !== undefined) call.answer = { text: textOf(block.content), error: block.is_error === true }
}

/** The CLI tells its working directory in the system prompt or, with newer models, in a message of role `system`. */
function workspaceOf(request: MessagesRequest): string {
  const system = request.system === undefined ? '' : textOf(request.system)
  const others = request.messages.filter((message) => message.role === 'system' || message.role === 'user')
  const places = [system, ...others.map((message) => textOf(message.content))]
  return (
    places
      .map((text) => /(?:Primary w|W)orking directory: (\S.*?)\s*$/m.exec(text)?.[1])
      .find((path) => path !== undefined) ?? ''
  )
}
