import { asObject, asText, messageUsage } from '../turns/transcript.ts'
import type { MessageUsage } from '../usage/usage.ts'
import { withheldBy, type Withheld } from './withheld.ts'
import { TokenCeiling, tokensOf } from './ceiling.ts'

/** What went through the model proxy since `reset`: exact token counts, sub-agents and repeats included. */
export class ModelMeter {
  readonly ceiling: TokenCeiling
  readonly #messages = new Map<string, MessageUsage>()
  #withheld: Withheld | undefined
  #openRequests = 0
  #outputBytes = 0
  #streamed = { events: 0, pings: 0 }
  #failures = { inRow: 0, status: 0 }

  constructor(tokenCeiling = 0) {
    this.ceiling = new TokenCeiling(tokenCeiling)
  }

  reset(): void {
    this.ceiling.reset()
    this.#messages.clear()
    this.#withheld = undefined
    this.#outputBytes = 0
    this.#failures = { inRow: 0, status: 0 }
  }

  /** What comes from here on is no longer that turn's; how the account stands stays known until the next. */
  turnEnded(): void {
    this.ceiling.reset()
    this.#messages.clear()
  }

  get messages(): readonly MessageUsage[] {
    return [...this.#messages.values()]
  }

  /** May the model still be asked, and may what it streams go on? Asked before each request and after each usage. */
  mayGoOn(): boolean {
    return !this.ceiling.enforce(tokensOf(this.#messages.values()))
  }

  /** The provider withholds the model from this key: not an ordinary 429 (CLI-FACT-8), and no fault of what was asked. */
  get withheld(): Withheld | undefined {
    return this.#withheld
  }

  /** Requests that failed since the last whole answer: the CLI repeats them in silence (CLI-FACT-4). */
  get failures(): { readonly inRow: number; readonly status: number } {
    return this.#failures
  }

  /** Events of all streams until now, pings apart: a provider that only pings brings nothing. */
  get streamed(): { readonly events: number; readonly pings: number } {
    return this.#streamed
  }

  get openRequests(): number {
    return this.#openRequests
  }

  get outputBytes(): number {
    return this.#outputBytes
  }

  requestStarted(): void {
    this.#openRequests += 1
  }

  requestEnded(): void {
    this.#openRequests -= 1
  }

  responseStarted(status: number, headers: Headers): void {
    if (status !== 429 || headers.get('anthropic-ratelimit-unified-status') !== 'rejected') return
    const reset = Number(
      headers.get('anthropic-ratelimit-unified-reset') ?? headers.get('anthropic-ratelimit-unified-5h-reset'),
    )
    const resetsAt = reset > 0 ? { resetsAt: new Date(reset * 1000).toISOString() } : {}
    this.#withheld = { cause: 'usage_limit', message: '', ...resetsAt }
  }

  /** The body of a failed request. */
  refused(answer: unknown): void {
    this.#withheld = withheldBy(answer) ?? this.#withheld
  }

  /** 0 stands for a connection that failed or broke off. */
  failed(status: number): void {
    this.#failures = { inRow: this.#failures.inRow + 1, status }
  }

  answeredWhole(): void {
    if (this.#withheld?.cause !== 'usage_limit') this.#withheld = undefined
    this.#failures = { inRow: 0, status: 0 }
  }

  streamedOne(what: 'events' | 'pings'): void {
    this.#streamed = { ...this.#streamed, [what]: this.#streamed[what] + 1 }
  }

  received(bytes: number): void {
    this.#outputBytes += bytes
  }

  /** A whole message, or the start of a streamed one. */
  message(message: unknown): void {
    const usage = messageUsage(asObject(message))
    if (usage) this.#messages.set(usage.id, usage)
  }

  /** The running totals of a streamed message; absent counts keep what its start said. */
  delta(id: string, usage: unknown): void {
    const known = this.#messages.get(id)
    const now = messageUsage({ id, model: known?.model ?? '', usage: asObject(usage) })
    if (!known || !now) return
    this.#messages.set(id, {
      id,
      model: known.model,
      inputTokens: now.inputTokens || known.inputTokens,
      outputTokens: now.outputTokens || known.outputTokens,
      cacheReadTokens: now.cacheReadTokens || known.cacheReadTokens,
      cacheWriteTokens: now.cacheWriteTokens || known.cacheWriteTokens,
    })
  }
}

const ping = /^data:\s*\{\s*"type":\s*"ping"\s*\}\s*$/

/** Reads server-sent events as they pass; only `data:` lines that speak of usage are parsed. */
export class StreamReader {
  readonly #meter: ModelMeter
  #partial = ''
  #messageId = ''
  #isOpen = false

  constructor(meter: ModelMeter) {
    this.#meter = meter
  }

  /** A message began and its last usage has not come: there is something to break off. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  push(text: string): void {
    const lines = (this.#partial + text).split('\n')
    this.#partial = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.startsWith('data:')) continue
      this.#meter.streamedOne(ping.test(line) ? 'pings' : 'events')
      if (line.includes('"message_')) this.#event(line.slice(5))
    }
  }

  #event(text: string): void {
    const event = parse(text)
    if (event['type'] === 'message_start') {
      this.#isOpen = true
      this.#messageId = asText(asObject(event['message'])['id'])
      this.#meter.message(event['message'])
    }
    if (event['type'] !== 'message_delta') return
    this.#isOpen = false
    this.#meter.answeredWhole()
    this.#meter.delta(this.#messageId, event['usage'])
  }
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return {}
  }
}
