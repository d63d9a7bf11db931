import { expect, test } from 'vitest'
import { countedTools } from '../tools/port.ts'
import { ToolCallCounter } from './tool-calls.ts'

/** What is counted of one call with this input, and of its answer. */
function counted(name: string, input: unknown, isError = false): readonly (readonly string[])[] {
  const counts: (readonly string[])[] = []
  const counter = new ToolCallCounter({
    toolCall: (tool, outcome) => void counts.push(['call', tool, outcome]),
    internalIssue: (category, severity) => void counts.push(['issue', category, severity]),
  })
  const tools = [{ id: 't1', name, input }]
  counter.add({ type: 'assistant', at: '', text: '', stopReason: 'tool_use', isApiError: false, tools })
  counter.add({ type: 'user', at: '', text: '', interrupted: false, results: [{ id: 't1', isError, text: '' }] })
  return counts
}

const report = 'mcp__platform__report_internal_issue'

test('a report of an internal issue counts by the name of its tool, whatever the server is called (TOOL-REPORT-7)', () => {
  const input = { category: 'auth', severity: 'warn', description: 'no token' }
  expect(counted(report, input)).toEqual([
    ['issue', 'auth', 'warn'],
    ['call', report, 'ok'],
  ])
  expect(counted('report_internal_issue', input)[0]).toEqual(['issue', 'auth', 'warn'])
  expect(counted('mcp__platform__task_note', input)).toEqual([['call', 'mcp__platform__task_note', 'ok']])
})

test('a report without a severity counts as an error (TOOL-REPORT-3)', () => {
  expect(counted(report, { category: 'other', description: 'x' })[0]).toEqual(['issue', 'other', 'error'])
})

test('a word of the agent’s own becomes no label (TOOL-REPORT-9)', () => {
  for (const input of [
    { category: 'my secret', severity: 'ruinous' },
    { category: ['auth'], severity: 1 },
    'text',
    null,
  ])
    expect(counted(report, input, true)[0]).toEqual(['issue', 'other', 'error'])
})

test('a call that is never answered counts for nothing', () => {
  const counts: string[] = []
  const counter = new ToolCallCounter({ toolCall: (tool) => void counts.push(tool), internalIssue: () => undefined })
  counter.add({
    type: 'user',
    at: '',
    text: '',
    interrupted: false,
    results: [{ id: 'unknown', isError: false, text: '' }],
  })
  expect(counts).toEqual([])
})

test('an agent makes no series by the names of the tools that it calls: what nobody gave it counts as `other` (WRAPPER-METRICS-18)', () => {
  const invented = Array.from({ length: 1000 }, (_, nth) => [
    `Tool${nth}`,
    `mcp__platform__tool_${nth}`,
    `mcp__w${nth}__x`,
  ])
  const known = ['Bash', 'Read', ...countedTools.map((name) => `mcp__platform__${name}`)]
  const odd = ['', 'other', '__proto__', 'bash', 'Bash\n', 'mcp__platform__', 'mcp__wiki__task_get', 'task_get']
  const label = (name: string): string => counted(name, {}).at(-1)![1]!
  expect(new Set([...invented.flat(), ...odd].map(label))).toEqual(new Set(['other']))
  expect(known.map(label)).toEqual(known)
})
