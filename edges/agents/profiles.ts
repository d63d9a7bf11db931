/**
 * Which tool each agent kind has (GATING, docs/contract/tools.md). One table for the server's own check and for the MCP
 * server's registration: what it doesn't list is not there, and a call by hand is refused.
 */
import { agentKinds, type AgentKind } from '../../machines/task/events.ts'

export const toolNames = [
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
] as const
export type ToolName = (typeof toolNames)[number]

/** On for every profile, the fail-closed one included. */
export const alwaysOn: readonly ToolName[] = [
  'task_get',
  'task_context',
  'task_note',
  'project_get',
  'repo_list',
  'report_internal_issue',
]

const codeTools: readonly ToolName[] = ['code_search', 'code_context', 'code_graph', 'code_explain']
const memoryReads: readonly ToolName[] = ['memory_query', 'memory_describe']
const everyKind: readonly ToolName[] = [...alwaysOn, 'submit_outcome', 'scm_read', ...memoryReads]

export const profiles: Readonly<Record<AgentKind, readonly ToolName[]>> = {
  brainstorm: [...everyKind, 'task_list', ...codeTools, 'memory_write', 'memory_entity'],
  incident: [...everyKind, 'task_list', ...codeTools, 'memory_write', 'memory_entity', 'memory_edges'],
  implement: [...everyKind, 'issue_write', 'mr_write', 'mr_takeover_request', ...codeTools, 'memory_write'],
  review: [...everyKind, 'mr_write', 'mr_takeover_request', ...codeTools],
  refine: [...everyKind, 'task_list', 'issue_write', 'mr_write'],
  documentation: [...everyKind, 'mr_write', ...codeTools, 'memory_write', 'memory_entity', 'memory_edges'],
  upgrade: [...everyKind, 'mr_write', ...codeTools, 'memory_write'],
}

export function isAgentKind(kind: string): kind is AgentKind {
  return agentKinds.some((known) => known === kind)
}

/** Fails closed: an unknown or empty profile has the always-on set and no terminal tool. */
export function toolsOf(kind: string): readonly ToolName[] {
  return isAgentKind(kind) ? profiles[kind] : alwaysOn
}

export function mayCall(kind: string, tool: ToolName): boolean {
  return toolsOf(kind).includes(tool)
}
