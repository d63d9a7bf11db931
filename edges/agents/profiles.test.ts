import { describe, expect, it } from 'vitest'
import { agentKinds, type AgentKind } from '../../machines/task/events.ts'
import { alwaysOn, isAgentKind, mayCall, profiles, toolNames, toolsOf, type ToolName } from './profiles.ts'

const code: readonly ToolName[] = ['code_search', 'code_context', 'code_graph', 'code_explain']

/** The gating table of document 2, by column: what is denied. */
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
  it.each(agentKinds)('%s is the column of document 2', (kind) => {
    expect(toolNames.filter((tool) => !mayCall(kind, tool))).toEqual(
      toolNames.filter((tool) => denied[kind].includes(tool)),
    )
    expect(new Set(profiles[kind]).size).toBe(profiles[kind].length)
  })

  it('each kind has as many tools as document 2 counts', () => {
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

  it.each(['', 'clarify', 'Implement', 'constructor', '__proto__'])(
    '%j fails closed: the always-on set and no outcome',
    (kind) => {
      expect(isAgentKind(kind)).toBe(false)
      expect(toolsOf(kind)).toEqual(alwaysOn)
      expect(mayCall(kind, 'submit_outcome')).toBe(false)
      expect(mayCall(kind, 'task_note')).toBe(true)
    },
  )
})
