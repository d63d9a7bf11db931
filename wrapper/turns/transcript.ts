import type { MessageUsage } from '../usage/usage.ts'

/** What the wrapper reads out of one line of the CLI's transcript; every other line is ignored. */
export type TranscriptEntry =
  | {
      readonly type: 'assistant'
      /** As the CLI writes times; empty: it did not. */
      readonly at: string
      readonly message?: MessageUsage
      readonly text: string
      readonly stopReason: string
      readonly isApiError: boolean
      readonly tools: readonly { readonly id: string; readonly name: string; readonly input: unknown }[]
    }
  | {
      readonly type: 'user'
      readonly at: string
      readonly text: string
      readonly interrupted: boolean
      readonly results: readonly { readonly id: string; readonly isError: boolean; readonly text: string }[]
    }

type Loose = Readonly<Record<string, unknown>>

const interruptMark = '[Request interrupted by user'

export function parseTranscriptLine(line: string): TranscriptEntry | undefined {
  const entry = parseObject(line)
  if (!entry || entry['isSidechain'] === true) return undefined
  if (entry['type'] === 'assistant') return assistantEntry(entry)
  if (entry['type'] === 'user') return userEntry(entry)
  return undefined
}

function assistantEntry(entry: Loose): TranscriptEntry {
  const message = asObject(entry['message'])
  const blocks = blocksOf(message['content'])
  const isApiError = entry['isApiErrorMessage'] === true
  const usage = isApiError ? undefined : messageUsage(message)
  return {
    type: 'assistant',
    at: timeOf(entry),
    text: textOf(blocks),
    stopReason: asText(message['stop_reason']),
    isApiError,
    tools: blocks
      .filter((block) => block['type'] === 'tool_use')
      .map((block) => ({ id: asText(block['id']), name: asText(block['name']), input: block['input'] })),
    ...(usage ? { message: usage } : {}),
  }
}

function userEntry(entry: Loose): TranscriptEntry {
  const blocks = blocksOf(asObject(entry['message'])['content'])
  return {
    type: 'user',
    at: timeOf(entry),
    text: textOf(blocks),
    interrupted: blocks.some((block) => block['type'] === 'text' && asText(block['text']).startsWith(interruptMark)),
    results: blocks
      .filter((block) => block['type'] === 'tool_result')
      .map((block) => ({
        id: asText(block['tool_use_id']),
        isError: block['is_error'] === true,
        text: textOf(blocksOf(block['content'])),
      })),
  }
}

/** Usage as the Messages API words it, in a transcript line or on the wire. */
export function messageUsage(message: Loose): MessageUsage | undefined {
  const usage = asObject(message['usage'])
  const id = asText(message['id'])
  if (id === '' || Object.keys(usage).length === 0) return undefined
  return {
    id,
    model: asText(message['model']),
    inputTokens: asCount(usage['input_tokens']),
    outputTokens: asCount(usage['output_tokens']),
    cacheReadTokens: asCount(usage['cache_read_input_tokens']),
    cacheWriteTokens: asCount(usage['cache_creation_input_tokens']),
  }
}

function blocksOf(content: unknown): readonly Loose[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.map(asObject) : []
}

function textOf(blocks: readonly Loose[]): string {
  return blocks
    .filter((block) => block['type'] === 'text')
    .map((block) => asText(block['text']))
    .join('\n')
}

function timeOf(entry: Loose): string {
  const at = asText(entry['timestamp'])
  return /^[\dT:.Z-]{1,32}$/.test(at) ? at : ''
}

function parseObject(line: string): Loose | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Loose) : undefined
  } catch {
    return undefined
  }
}

export function asObject(value: unknown): Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {}
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function asCount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0
}
