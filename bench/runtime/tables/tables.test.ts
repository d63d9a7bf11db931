import { expect, it } from 'vitest'
import { sectionOf, type Report } from '../../kit/report.ts'
import { aboutOf } from './about.ts'
import { goalsOf } from './goals.ts'
import type { Results } from '../results.ts'
import { jsonRows } from './rows.ts'
import { tablesOf } from './tables.ts'
import type { Measured } from '../measured.ts'

function cell(contender: Measured['contender'], round: number, perSecond: number, cpuUs: number): Measured {
  const result = { operations: 1, seconds: 1, perSecond, cpuUs, logBytes: 800, foreignCores: 0.1 }
  return { contender, clients: 128, round, result }
}

const results: Results = {
  throughput: [
    cell('own-postgres', 0, 20_000, 40),
    cell('dbos-steps', 0, 1000, 800),
    cell('own-postgres', 1, 22_000, 44),
    cell('dbos-steps', 1, 1100, 880),
    cell('raw-group-commit', 0, 40_000, 29),
  ],
  scale: [{ population: 10_000, pick: 'any', round: 0, result: cell('own-postgres', 0, 9000, 60).result }],
  recovery: [{ startMs: 100, performedMs: 400, settledMs: 500, processMs: 700, limitMs: 90 }],
  forwarding: [{ clients: 16, perSecond: 1500, p50Ms: 9, p99Ms: 22 }],
  timers: [{ fired: 10_000, p50Ms: 4, p99Ms: 12, maxMs: 20, earliestMs: 0.5, limit: { p50Ms: 2, p99Ms: 5 } }],
}
const report: Report = {
  name: 'runtime',
  machine: { cores: 2, cpu: 'a CPU', memoryGiB: 24, system: 'Linux', node: 'v24', loadBefore: 0.1, postgres: '15' },
  startedAt: '2026-01-02T03:04:05.000Z',
  minutes: 20,
  quick: false,
  invalid: [],
  rows: jsonRows(results),
  goals: goalsOf(results),
}

const texts = { heading: 'Runtime', about: aboutOf(), options: '' }

it('writes every section of a run, medians over the rounds, and the peers against their references', () => {
  const text = sectionOf(report, { ...texts, tables: tablesOf(report, results) })
  expect(text).toContain('2026-01-02, 20 minutes')
  expect(text).toContain('| own-postgres | 21,000 | 20,000–22,000 | – | – | – | – | 42.0 | 1.00 | 800 | – |')
  expect(text).toMatch(/\| dbos-steps \| 1,050 \|.*\| 840 \| 20\.0 \| 800 \| – \|/)
  expect(text).toContain('| any of 10,000 | 9,000 |')
  expect(text).toContain('| all settled | 500 |')
  expect(text).toContain('| limit: the same rows read and settled by plain SQL | 90.0 |')
  expect(text).toContain('| 16 | 1,500 | 9.00 | 22.0 |')
  expect(text).toContain('| 10000 | 0.500 | 4.00 | 12.0 | 20.0 | 2.00 | 5.00 |')
  expect(text).toContain('| dbos-steps, 128 | 1,050 | 1545 | 99 % | NO |')
})

it('leaves out what a part of a run did not measure', () => {
  const part = { ...results, scale: [], recovery: [], forwarding: [], timers: [] }
  const some = { ...report, goals: goalsOf(part) }
  const text = sectionOf(some, { ...texts, tables: tablesOf(some, part) })
  expect(text).not.toContain('Timers')
  expect(text).not.toContain('Recovery after')
  expect(text).not.toContain('another process')
  expect(text).not.toContain('not measured')
})
