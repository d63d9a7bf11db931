import type { MessageUsage } from '../usage/usage.ts'

/** Tokens as a budget counts them: everything that the provider charges for, reads of the cache included. */
export function tokensOf(messages: Iterable<MessageUsage>): number {
  let sum = 0
  for (const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } of messages)
    sum += inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens
  return sum
}

/**
 * The most that one turn may use. At it nothing more is asked of the model: the request is answered here with 403, which the
 * CLI doesn't retry (CLI-FACT-4), and a stream that reaches it is broken off. The provider counts a message's output only
 * at its end, so a turn may pass its ceiling by the output of the messages under way, each bound by its `max_tokens`.
 */
export class TokenCeiling {
  /** 0: there is none. */
  readonly limit: number
  #reached = false

  constructor(limit: number) {
    this.limit = limit
  }

  /** Something was refused or broken off since `reset`. */
  get wasEnforced(): boolean {
    return this.#reached
  }

  reset(): void {
    this.#reached = false
  }

  /** True when nothing more may be asked; who asks must refuse. */
  enforce(used: number): boolean {
    if (this.limit === 0 || used < this.limit) return false
    this.#reached = true
    return true
  }
}

interface Refusal {
  readonly status: 403
  readonly body: { readonly type: 'error'; readonly error: { readonly type: string; readonly message: string } }
}

/** The Messages API's own form of an error, since the CLI reads it. */
export function refusalOf(limit: number): Refusal {
  const message = `this turn used its ${limit} tokens; the wrapper sends the model no more requests in this turn`
  return { status: 403, body: { type: 'error', error: { type: 'permission_error', message } } }
}

/** Ends a stream in a way that the CLI takes for a failed answer, never for a whole one. */
export function refusalEvent(limit: number): string {
  return `event: error\ndata: ${JSON.stringify(refusalOf(limit).body)}\n\n`
}
