import type { Server as McpServer } from '@modelcontextprotocol/sdk/server/index.js'
import type { FailedPush } from '../../machines/turn/schema.ts'
import type { Service } from '../broker/allowed-calls.ts'
import type { IssueReport } from '../issue-report.ts'

/**
 * Characters of an answer that the CLI passes to the model whole: of more than 50,000 (measured at 2.1.329, text and structured
 * content alike) the model gets 2 kB and the path of a file.
 */
export const mostAnswerCharacters = 48_000

/** The platform's tools, each with its own label in the wrapper's counter. The table of tools lies with the orchestrator's routes; a test compares. */
export const countedTools: readonly string[] = [
  'task_get',
  'task_list',
  'task_context',
  'task_note',
  'project_get',
  'repo_list',
  'report_internal_issue',
  'scm_read',
  'issue_write',
  'mr_write',
  'mr_takeover_request',
  'code_search',
  'code_context',
  'code_graph',
  'code_explain',
  'memory_query',
  'memory_describe',
  'memory_write',
  'memory_entity',
  'memory_edges',
  'submit_outcome',
]

/** One call of a tool, as the CLI asks for it. */
export interface AskedCall {
  /** `_meta["claudecode/toolUseId"]`: the id of the block by which the model asked for it. */
  readonly id: unknown
  readonly tool: string
  readonly arguments: unknown
}

export interface BrokeredRequest {
  readonly method: string
  /** JSON. */
  readonly body?: string
  /** The same in each repeat of one call. */
  readonly requestId?: string
  readonly signal: AbortSignal
}

/** A repository whose work stays in the volume, and why. */
export type RefusedPush = FailedPush

/** What one call of a tool may do in the agent's name. It is had by spending a block of the model, and ends with the turn. */
export interface AgentCalls {
  /** The service's answer, or the broker's own as a problem (RFC 9457). Rejects when no answer came. */
  ask(service: Service, path: string, request: BrokeredRequest): Promise<Response>
  reportIssue(report: IssueReport): void
  /** Pushes what is committed, before the forge is asked about it (TOOL-RULE-3). Answers what was refused, and why. */
  push(): Promise<readonly RefusedPush[]>
}

/** Rejected with by `ToolRunner.perform`; the message is for the model. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused'
}

export interface ToolRunner {
  /** Runs `run` once for each block; the same call again gets the first one's answer. Rejects with `CallRefused`. */
  perform<Answer>(asked: AskedCall, run: (calls: AgentCalls) => Promise<Answer>): Promise<Answer>
}

interface PodOfTools {
  readonly task: string
  readonly project: string
  readonly profile: string
  /** Names of the Repositories that are checked out. */
  readonly repositories: readonly string[]
  readonly hasMemory: boolean
}

/** The tools' server for one connection. The composition root gives it: the tools' schemas lie beside their routes. */
export type CreateToolsServer = (pod: PodOfTools, runner: ToolRunner) => McpServer
