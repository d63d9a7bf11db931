import { issueCategories, issueSeverities } from '../issue-report.ts'
import { asObject, type TranscriptEntry } from './transcript.ts'

interface ToolCallSink {
  toolCall(tool: string, outcome: 'ok' | 'error'): void
  internalIssue(category: string, severity: string): void
}

const internalIssueTool = /(^|__)report_internal_issue$/

/** Counts tool calls out of the transcript; a call counts when its result is written. */
export class ToolCallCounter {
  readonly #sink: ToolCallSink
  readonly #open = new Map<string, string>()

  constructor(sink: ToolCallSink) {
    this.#sink = sink
  }

  add(entry: TranscriptEntry): void {
    if (entry.type === 'assistant') for (const tool of entry.tools) this.#called(tool.id, tool.name, tool.input)
    else for (const result of entry.results) this.#answered(result.id, result.isError)
  }

  #called(id: string, name: string, input: unknown): void {
    this.#open.set(id, name)
    if (!internalIssueTool.test(name)) return
    const { category, severity } = asObject(input)
    this.#sink.internalIssue(oneOf(issueCategories, category) ?? 'other', oneOf(issueSeverities, severity) ?? 'error')
  }

  #answered(id: string, isError: boolean): void {
    const name = this.#open.get(id)
    if (name === undefined) return
    this.#open.delete(id)
    this.#sink.toolCall(name, isError ? 'error' : 'ok')
  }
}

/** A word of the agent's own becomes no label (TOOL-REPORT-9). */
function oneOf<Word extends string>(words: readonly Word[], given: unknown): Word | undefined {
  return words.find((word) => word === given)
}
