import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { agentKinds, type AgentKind } from '../../machines/task/events.ts'
import fastify from 'fastify'
import { registerAgentApi } from './api.ts'
import { alwaysOn, mayCall, profiles, toolOfRoute, toolsOf } from './profiles.ts'
import { isAgentKind, toolNames, toolTable, type ToolName } from '../../machines/turn/tools.ts'

const code: readonly ToolName[] = ['code_search', 'code_context', 'code_graph', 'code_explain']

/** The gating table (GATING, docs/contract/tools.md) by column: what is denied. */
const denied: Readonly<Record<AgentKind, readonly ToolName[]>> = {
  brainstorm: ['issue_write', 'mr_write', 'mr_takeover_request', 'memory_edges'],
  incident: ['issue_write', 'mr_write', 'mr_takeover_request'],
  implement: ['task_list', 'memory_entity', 'memory_edges'],
  review: ['task_list', 'issue_write', 'memory_write', 'memory_entity', 'memory_edges'],
  refine: ['mr_takeover_request', ...code, 'memory_write', 'memory_entity', 'memory_edges'],
  documentation: ['task_list', 'issue_write', 'mr_takeover_request'],
  upgrade: ['task_list', 'issue_write', 'mr_takeover_request', 'memory_entity', 'memory_edges'],
}

describe('the profile of', () => {
  it.each(agentKinds)(
    '%s is its column of the gating table (GATING) (GATING-8, GATING-9, GATING-10, GATING-11, GATING-12, GATING-13, GATING-14, GATING-15, GATING-16, GATING-17, GATING-18)',
    (kind) => {
      expect(toolNames.filter((tool) => !mayCall(kind, tool))).toEqual(
        toolNames.filter((tool) => denied[kind].includes(tool)),
      )
      expect(new Set(profiles[kind]).size).toBe(profiles[kind].length)
    },
  )

  it('each kind has as many tools as GATING-19 counts (GATING-19)', () => {
    const counts = Object.fromEntries(agentKinds.map((kind) => [kind, toolsOf(kind).length]))
    expect(counts).toEqual({
      brainstorm: 17,
      incident: 18,
      implement: 18,
      review: 16,
      refine: 13,
      documentation: 18,
      upgrade: 16,
    })
    expect(toolNames.length).toBe(21)
  })

  it('counts the tools as the contract does (TOOLS-1)', () => {
    const contract = readFileSync(new URL('../../docs/contract/tools.md', import.meta.url), 'utf8')
    const counts = [...contract.matchAll(/\b(\d+) tools\b/g)].map(([, count]) => Number(count))
    expect(counts.filter((count) => count === toolNames.length)).toHaveLength(2)
  })

  it.each(['', 'clarify', 'Implement', 'constructor', '__proto__'])(
    '%j fails closed: the always-on set and no outcome (GATING-5, GATING-7)',
    (kind) => {
      expect(isAgentKind(kind)).toBe(false)
      expect(toolsOf(kind)).toEqual(alwaysOn)
      expect(mayCall(kind, 'submit_outcome')).toBe(false)
      expect(mayCall(kind, 'task_note')).toBe(true)
    },
  )
})

describe('a route of the agents’ API', () => {
  const called = toolNames
    .flatMap((tool) => toolTable[tool].calls)
    .filter(({ service }) => service === 'operator')
    .map(({ method, path }) => `${method} /${path.replace(/:own|:any/, ':task')}`)

  it('belongs to the one tool whose line has its call, and each such call has a route (POD-TOKEN-5)', async () => {
    const served: string[] = []
    const app = fastify({ exposeHeadRoutes: false })
    app.addHook('onRoute', ({ method, url }) => void served.push(`${String(method)} ${url}`))
    await registerAgentApi(app as never, {} as never)
    await app.close()
    expect(new Set(called).size).toBe(called.length)
    expect(served.toSorted()).toEqual(called.toSorted())
    expect(toolOfRoute('HEAD', '/tasks')).toBe('task_list')
  })

  it('ends the start where no line has it', () => {
    expect(() => toolOfRoute('DELETE', '/tasks/:task')).toThrow('DELETE /tasks/:task is the route of no tool')
    expect(() => toolOfRoute('POST', '/queries')).toThrow('of no tool')
  })
})
