import type { TokenCounts, Usage } from '../../machines/turn/schema.ts'
import { priceOf } from './prices.ts'

/** Usage of one model message; its id makes it countable once, however often it is reported. */
export interface MessageUsage {
  readonly id: string
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
}

const none: TokenCounts = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0 }

export const noUsage: Usage = { ...none, byModel: {} }

/**
 * The transcript repeats a message's usage on the line of every content block, and the proxy sees requests that no
 * transcript holds (sub-agents, retries): the union by message id is the exact count.
 */
export function sumUsage(messages: Iterable<MessageUsage>): Usage {
  const byId = new Map<string, MessageUsage>()
  for (const message of messages) byId.set(message.id, larger(byId.get(message.id), message))
  const byModel: Record<string, TokenCounts> = {}
  let total = none
  for (const message of byId.values()) {
    const counts = countsOf(message)
    byModel[message.model] = add(byModel[message.model] ?? none, counts)
    total = add(total, counts)
  }
  return { ...total, byModel }
}

/** A message that is still being streamed is reported with less than its final counts. */
function larger(known: MessageUsage | undefined, message: MessageUsage): MessageUsage {
  return known && known.outputTokens > message.outputTokens ? known : message
}

function countsOf(message: MessageUsage): TokenCounts {
  const price = priceOf(message.model)
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = message
  const dollars =
    inputTokens * price.input +
    outputTokens * price.output +
    cacheReadTokens * price.cacheRead +
    cacheWriteTokens * price.cacheWrite
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd: dollars / 1_000_000 }
}

function add(a: TokenCounts, b: TokenCounts): TokenCounts {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    costUsd: a.costUsd + b.costUsd,
  }
}
