import { expect, test } from 'vitest'
import { faultsOf } from '../http/problems/validation.ts'
import { IssueReport } from './issue-report.ts'

const least = { category: 'tool_error', description: 'scm_read answers 500' }

function isTaken(change: object): boolean {
  return faultsOf(IssueReport, { ...least, ...change }).length === 0
}

test('a report needs a category of the list (TOOL-REPORT-1)', () => {
  const categories = ['tool_error', 'directive_contradiction', 'workspace_broken', 'memory_inconsistent']
  const more = ['graph_inconsistent', 'auth', 'other']
  for (const category of [...categories, ...more]) expect([category, isTaken({ category })]).toEqual([category, true])
  expect([isTaken({ category: 'weather' }), isTaken({ category: undefined })]).toEqual([false, false])
})

test('a report needs a description that is not empty (TOOL-REPORT-2)', () => {
  expect([isTaken({ description: '' }), isTaken({ description: undefined })]).toEqual([false, false])
})

test('a report may name its severity, the tool and the resource, and nothing else (TOOL-REPORT-4)', () => {
  expect(isTaken({ severity: 'warn', offending_tool: 'scm_read', resource_id: 'lib#1' })).toBe(true)
  expect([isTaken({ severity: 'fatal' }), isTaken({ note: 'x' })]).toEqual([false, false])
})
