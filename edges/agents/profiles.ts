/**
 * One table of the agents' tools: which kinds of agent have each, and which REST calls it makes (GATING,
 * docs/contract/tools.md). The MCP server's list, the routes' own check, the manifest and docs/tools.md read it. What it
 * doesn't list is not there, and a call by hand is refused. A tool without a line does not compile; a route without one
 * ends the start.
 */
import { agentKinds, type AgentKind } from '../../machines/task/events.ts'

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

/** On for every profile, the fail-closed one included. */
export const alwaysOn = toolNames.filter((tool) => toolTable[tool].kinds === 'always')

export const profiles: Readonly<Record<AgentKind, readonly ToolName[]>> = {
  brainstorm: ofKind('brainstorm'),
  incident: ofKind('incident'),
  implement: ofKind('implement'),
  review: ofKind('review'),
  refine: ofKind('refine'),
  documentation: ofKind('documentation'),
  upgrade: ofKind('upgrade'),
}

function ofKind(kind: AgentKind): readonly ToolName[] {
  return toolNames.filter((tool) => {
    const { kinds } = toolTable[tool]
    return kinds === 'always' || kinds.includes(kind)
  })
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

/** As the orchestrator's routes write the path of a call. */
function routeOf({ method, path }: RestCall): string {
  return `${method} /${path.replace(/:own|:any/, ':task')}`
}

const toolsByRoute = new Map(
  toolNames.flatMap((tool) =>
    toolTable[tool].calls.filter(({ service }) => service === 'operator').map((call) => [routeOf(call), tool] as const),
  ),
)

/** The tool that a route of the orchestrator belongs to. Fastify adds a HEAD to each GET. @throws where no line has it. */
export function toolOfRoute(method: string, url: string): ToolName {
  const route = `${method === 'HEAD' ? 'GET' : method} ${url}`
  const tool = toolsByRoute.get(route)
  if (tool === undefined) throw new Error(`${route} is the route of no tool; add it to edges/agents/profiles.ts`)
  return tool
}
