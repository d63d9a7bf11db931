import { describe, expect, test } from 'vitest'
import { isAllowed, type Service } from './allowed-calls.ts'

const may = (profile: string, service: Service, call: string): boolean => {
  const [method, path] = call.split(' ') as [string, string]
  return isAllowed({ profile, task: 'default/t-1', project: 'demo' }, service, method, path)
}

describe('the broker', () => {
  test.each([
    ['implement', 'operator', 'POST tasks/t-1/outcome', true],
    ['implement', 'operator', 'POST tasks/default%2Ft-1/notes', true],
    ['implement', 'operator', 'POST tasks/t-2/outcome', false],
    ['implement', 'operator', 'GET tasks/t-2/context', true],
    ['implement', 'operator', 'GET tasks', false],
    ['refine', 'operator', 'GET tasks', true],
    ['review', 'operator', 'POST tasks/t-1/issues', false],
    ['upgrade', 'operator', 'POST tasks/t-1/takeover-requests', false],
    ['implement', 'operator', 'GET projects/other', false],
    ['implement', 'operator', 'GET tasks/t-1/../../projects/other', false],
    ['implement', 'operator', 'GET tasks/%2e%2e/context', false],
    ['implement', 'operator', 'DELETE tasks/t-1', false],
    ['implement', 'memory', 'POST memories', true],
    ['review', 'memory', 'POST memories', false],
    ['implement', 'memory', 'POST memories:bulk', false],
    ['implement', 'memory', 'PATCH entities/e', false],
    ['incident', 'memory', 'PATCH entities/e', true],
    ['brainstorm', 'memory', 'POST edges', false],
    ['documentation', 'memory', 'DELETE edges/e', true],
    ['refine', 'memory', 'GET code/entities', false],
    ['review', 'memory', 'GET code-graph/explain', true],
    ['review', 'memory', 'POST code-graph/semantic-misses', false],
    ['clarify', 'operator', 'POST tasks/t-1/outcome', false],
    ['clarify', 'operator', 'POST tasks/t-1/notes', true],
    ['', 'memory', 'POST queries', false],
  ] as const)(
    'as %s, %s %s: %s (TOOLS-12, GATING-4, GATING-22, AGENT-API-7, TOOL-TASK-5, TOOL-RULE-4)',
    (profile, service, call, expected) => {
      expect(may(profile, service, call)).toBe(expected)
    },
  )
})
