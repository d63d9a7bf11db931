import { describe, expect, it } from 'vitest'
import type { Goal } from './goals.ts'
import { exitCodeOf, goalTable } from './report.ts'

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
