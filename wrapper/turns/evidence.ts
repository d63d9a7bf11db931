import type { MessageUsage } from '../usage/usage.ts'
import type { LastTool } from '../../machines/turn/schema.ts'
import type { TurnEvidence } from './outcome.ts'
import type { TranscriptEntry } from './transcript.ts'

/** An agent may call what no schema of ours bounds. */
const mostName = 200

/** Gathers one turn's transcript lines. `counted` are the message ids of earlier turns, whose last line may come late. */
export class EvidenceCollector {
  readonly #counted: ReadonlySet<string>
  readonly #messages: MessageUsage[] = []
  #lastText = ''
  #lastStopReason = ''
  #lastTool: LastTool | undefined
  #lastCall = ''
  #last: TranscriptEntry | undefined
  #isFailed = false

  constructor(counted: ReadonlySet<string>) {
    this.#counted = counted
  }

  add(entry: TranscriptEntry): void {
    if (entry.type === 'assistant' && entry.message && this.#counted.has(entry.message.id)) return
    this.#last = entry
    if (entry.type === 'user') return this.#hearResults(entry.results)
    const call = entry.tools.at(-1)
    if (call !== undefined) this.#lastTool = { name: call.name.slice(0, mostName), failed: false }
    this.#lastCall = call?.id ?? this.#lastCall
    this.#isFailed ||= entry.isApiError
    if (entry.message) this.#messages.push(entry.message)
    if (entry.text !== '' && !entry.isApiError) this.#lastText = entry.text
    if (entry.stopReason !== '') this.#lastStopReason = entry.stopReason
  }

  #hearResults(results: readonly { readonly id: string; readonly isError: boolean }[]): void {
    const isFailed = results.some(({ id, isError }) => isError && id === this.#lastCall)
    if (isFailed && this.#lastTool !== undefined) this.#lastTool = { ...this.#lastTool, failed: true }
  }

  /** The interrupt marker counts only as the last line of user or assistant (INTERRUPT-4). */
  get isInterrupted(): boolean {
    return this.#last?.type === 'user' && this.#last.interrupted
  }

  get spoke(): boolean {
    return this.#messages.length > 0 || this.#lastText !== ''
  }

  /** The line that tells of a failure of the API, or of a second refusal, is there. */
  get isFailed(): boolean {
    return this.#isFailed
  }

  get lastText(): string {
    return this.#lastText
  }

  evidence(proxied: readonly MessageUsage[], ceilingReached?: number): TurnEvidence {
    return {
      lastText: this.#lastText,
      lastStopReason: this.#lastStopReason,
      transcriptRead: this.#last !== undefined,
      messages: [...this.#messages, ...proxied],
      ...(this.#lastTool === undefined ? {} : { lastTool: this.#lastTool }),
      ...(ceilingReached === undefined ? {} : { ceilingReached }),
    }
  }
}
