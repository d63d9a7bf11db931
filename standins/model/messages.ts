/** The part of the Messages API that Claude Code 2.1.329 sends and a scripted model has to understand. */
import { Type, type Static } from 'typebox'

/** Unknown block types and members pass: a client's new beta field must not break a stand-in. */
export const ContentBlock = Type.Object({
  type: Type.String(),
  text: Type.Optional(Type.String()),
  id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  input: Type.Optional(Type.Unknown()),
  tool_use_id: Type.Optional(Type.String()),
  is_error: Type.Optional(Type.Boolean()),
  content: Type.Optional(Type.Unknown()),
})
export type ContentBlock = Static<typeof ContentBlock>

export const Message = Type.Object({
  role: Type.String(),
  content: Type.Union([Type.String(), Type.Array(ContentBlock)]),
})
export type Message = Static<typeof Message>

export const ToolDefinition = Type.Object({ name: Type.String() })

export const MessagesRequest = Type.Object({
  model: Type.String(),
  messages: Type.Array(Message, { minItems: 1 }),
  system: Type.Optional(Type.Union([Type.String(), Type.Array(ContentBlock)])),
  tools: Type.Optional(Type.Array(ToolDefinition)),
  stream: Type.Optional(Type.Boolean()),
})
export type MessagesRequest = Static<typeof MessagesRequest>

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly input: Record<string, unknown>
}

/** One assistant message: some text, then at most one tool call, since the next step may need its answer. */
export interface Answer {
  readonly text: string
  readonly call?: ToolCall
  readonly stopReason: 'end_turn' | 'tool_use' | 'max_tokens' | 'refusal'
}

/** A message's content as blocks, whichever of its two spellings it came in. */
export function blocksOf(content: Message['content']): readonly ContentBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

/** The text of a block's content: a string, or the text blocks of a list. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((block: unknown) => (isTextBlock(block) ? block.text : ''))
    .filter((text) => text !== '')
    .join('\n')
}

function isTextBlock(block: unknown): block is { text: string } {
  return typeof block === 'object' && block !== null && 'text' in block && typeof block.text === 'string'
}
