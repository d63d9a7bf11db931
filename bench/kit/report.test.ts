import { describe, expect, it } from 'vitest'
import type { Goal } from './measure/goals.ts'
import { exitCodeOf, goalTable, verdictLines } from './report.ts'
import type { Report } from './report.ts'

const met: Goal = { name: 'CPU', value: 40, unit: 'µs', better: 'lower', gate: 45, goal: 30 }
const missed: Goal = { ...met, value: 50 }
const open: Goal = { ...met, value: undefined }

describe('the end of a bench', () => {
  it('is good when every gate that was measured is met', () => {
    expect(exitCodeOf({ invalid: [], goals: [met, open] })).toBe(0)
  })
  it('is a failure when one gate is missed', () => {
    expect(exitCodeOf({ invalid: [], goals: [met, missed] })).toBe(1)
  })
  it('says nothing about gates when the run is invalid', () => {
    expect(exitCodeOf({ invalid: ['a peer was slow'], goals: [missed] })).toBe(2)
  })
})

it('shows each goal with its bounds and the verdict', () => {
  const lines = goalTable([met, open]).split('\n')
  expect(lines[2]).toBe('| CPU | 40.0 µs | ≤ 45 µs | ≤ 30 µs | gate |')
  expect(lines[3]).toBe('| CPU | – | ≤ 45 µs | ≤ 30 µs | not measured |')
})

describe('a ratio that was taken in pairs', () => {
  const ratio: Goal = { name: 'share', value: 1.18, unit: 'x', better: 'lower', gate: 1.6, goal: 1.2 }
  const sure: Goal = { ...ratio, interval: { pairs: 9, low: 1.15, high: 1.2, width: 0.04 } }
  const wide: Goal = { ...ratio, interval: { pairs: 12, low: 1, high: 1.4, width: 0.34 } }
  const single: Goal = { ...ratio, interval: { pairs: 1 } }
  const linesOf = (goals: readonly Goal[]): string[] => verdictLines({ invalid: [], goals } as unknown as Report)

  it('shows its interval beside its value', () => {
    const lines = goalTable([sure, single]).split('\n')
    expect(lines[2]).toBe('| share | 1.18 x (1.15–1.20, 9 pairs) | ≤ 1.6 x | ≤ 1.2 x | goal |')
    expect(lines[3]).toContain('| 1.18 x (1 pair) |')
  })
  it('is named when its interval stayed wide, or too few pairs have none', () => {
    expect(linesOf([sure, wide, single]).slice(0, 2)).toEqual([
      'NOT SURE: share: the interval is 34 % of it after 12 pairs, wanted below 10 %',
      'NOT SURE: share: the interval is unknown after 1 pair, wanted below 10 %',
    ])
  })
  it('is not named when it was not measured', () => {
    expect(linesOf([{ ...ratio, value: undefined, interval: { pairs: 0 } }, met])).toEqual([
      'valid, and every gate that was measured is met',
    ])
  })
})
