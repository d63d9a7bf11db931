import { issueCategories, issueSeverities } from '../issue-report.ts'
import { toolOf } from '../attestation/model-request.ts'
import { countedTools } from '../tools/port.ts'
import { asObject, type TranscriptEntry } from './transcript.ts'

interface ToolCallSink {
  toolCall(tool: string, outcome: 'ok' | 'error'): void
  internalIssue(category: string, severity: string): void
}

/** What the CLI declares to the model at 2.1.329; a test compares. */
const cliTools = [
  'Agent',
  'Bash',
  'CronDelete',
  'CronList',
  'Edit',
  'EnterWorktree',
  'ExitWorktree',
  'ListAgents',
  'Monitor',
  'NotebookEdit',
  'Read',
  'ReportFindings',
  'SendMessage',
  'Skill',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskStop',
  'TaskUpdate',
  'WebSearch',
  'Write',
]

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
    this.#sink.toolCall(toolLabel(name), isError ? 'error' : 'ok')
  }
}

/** A model may write any name, and an operator's server may have any number of tools: all these are `other` (WRAPPER-METRICS-18). */
export function toolLabel(name: string): string {
  const isKnown = cliTools.includes(name) || countedTools.includes(toolOf(name) ?? '')
  return isKnown ? name : 'other'
}

/** A word of the agent's own becomes no label (TOOL-REPORT-9). */
function oneOf<Word extends string>(words: readonly Word[], given: unknown): Word | undefined {
  return words.find((word) => word === given)
}
