/**
 * One table of the agents' tools: which kinds of agent have each, and which REST calls it makes (GATING,
 * docs/contract/tools.md). Both ends of a pod read it: the broker in the pod, which lets nothing else through, and the
 * orchestrator's routes; so do the MCP server's list, the manifest and docs/tools.md.
 */
import { agentKinds, type AgentKind } from '../task/events.ts'

export interface RestCall {
  readonly service: 'operator' | 'memory'
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Segments of the path; `:own` is the pod's Task, `:project` its Project, `:any` one free segment, `*` one or more. */
  readonly path: string
}

interface ToolLine {
  /** `always`: on for every profile, the fail-closed one included (GATING-5, GATING-8). */
  readonly kinds: 'always' | readonly AgentKind[]
  readonly calls: readonly RestCall[]
}

const operator = (method: RestCall['method'], path: string): RestCall => ({ service: 'operator', method, path })
const memory = (method: RestCall['method'], path: string): RestCall => ({ service: 'memory', method, path })
const allBut = (...denied: readonly AgentKind[]): readonly AgentKind[] =>
  agentKinds.filter((kind) => !denied.includes(kind))

const code = memory('GET', 'code/*')
const codeGraph = memory('GET', 'code-graph/*')

const table = {
  task_get: { kinds: 'always', calls: [operator('GET', 'tasks/:any')] },
  task_list: { kinds: ['brainstorm', 'incident', 'refine'], calls: [operator('GET', 'tasks')] },
  task_context: {
    kinds: 'always',
    calls: [
      operator('GET', 'tasks/:any/context'),
      operator('GET', 'tasks/:any/notes'),
      operator('GET', 'projects/:project/task-index'),
    ],
  },
  task_note: { kinds: 'always', calls: [operator('POST', 'tasks/:own/notes')] },
  project_get: { kinds: 'always', calls: [operator('GET', 'projects/:project')] },
  repo_list: { kinds: 'always', calls: [operator('GET', 'projects/:project/repositories')] },
  // The wrapper itself takes the report.
  report_internal_issue: { kinds: 'always', calls: [] },
  scm_read: { kinds: agentKinds, calls: [operator('GET', 'tasks/:own/scm')] },
  issue_write: { kinds: ['implement', 'refine'], calls: [operator('POST', 'tasks/:own/issues')] },
  mr_write: { kinds: allBut('brainstorm', 'incident'), calls: [operator('POST', 'tasks/:own/merge-requests')] },
  mr_takeover_request: {
    kinds: ['implement', 'review'],
    calls: [operator('POST', 'tasks/:own/takeover-requests')],
  },
  code_search: { kinds: allBut('refine'), calls: [code] },
  code_context: { kinds: allBut('refine'), calls: [code, codeGraph] },
  code_graph: { kinds: allBut('refine'), calls: [code, codeGraph] },
  code_explain: { kinds: allBut('refine'), calls: [codeGraph] },
  memory_query: { kinds: agentKinds, calls: [memory('POST', 'queries')] },
  memory_describe: { kinds: agentKinds, calls: [memory('POST', 'queries:describe')] },
  memory_write: { kinds: allBut('review', 'refine'), calls: [memory('POST', 'memories')] },
  memory_entity: {
    kinds: ['brainstorm', 'incident', 'documentation'],
    calls: [memory('GET', 'entities'), memory('GET', 'entities/:any'), memory('PATCH', 'entities/:any')],
  },
  memory_edges: {
    kinds: ['incident', 'documentation'],
    calls: [memory('GET', 'edges'), memory('POST', 'edges'), memory('DELETE', 'edges/:any')],
  },
  submit_outcome: { kinds: agentKinds, calls: [operator('POST', 'tasks/:own/outcome')] },
} satisfies Readonly<Record<string, ToolLine>>

export type ToolName = keyof typeof table

/** The same, with lines of one type. */
export const toolTable: Readonly<Record<ToolName, ToolLine>> = table
export const toolNames = Object.keys(table) as readonly ToolName[]

/** Any other word has the always-on tools alone. */
export function isAgentKind(word: string): word is AgentKind {
  return agentKinds.some((kind) => kind === word)
}
