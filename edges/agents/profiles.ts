/** Which tools the kinds of agent have, and whose tool a route is, by the table of machines/turn/tools.ts. */
import type { AgentKind } from '../../machines/task/events.ts'
import { isAgentKind, toolNames, toolTable, type RestCall, type ToolName } from '../../machines/turn/tools.ts'

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
  if (tool === undefined) throw new Error(`${route} is the route of no tool; add it to machines/turn/tools.ts`)
  return tool
}
