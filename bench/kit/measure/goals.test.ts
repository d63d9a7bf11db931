import { describe, expect, it } from 'vitest'
import { verdictOf } from './goals.ts'
import type { Goal } from './goals.ts'

function ratio(value: number | undefined): Goal {
  return { name: 'r', value, unit: 'x', better: 'higher', gate: 15, goal: 25 }
}
function cost(value: number): Goal {
  return { name: 'c', value, unit: 'µs', better: 'lower', gate: 45, goal: 30 }
}

describe('the verdict on a goal', () => {
  it('asks for at least the gate of a figure that should be high', () => {
    expect([14.9, 15, 24.9, 25].map((value) => verdictOf(ratio(value)))).toEqual(['missed', 'gate', 'gate', 'goal'])
  })
  it('asks for at most the gate of a figure that should be low', () => {
    expect([45.1, 45, 30].map((value) => verdictOf(cost(value)))).toEqual(['missed', 'gate', 'goal'])
  })
  it('calls nothing met that was not measured', () => {
    expect(verdictOf(ratio(undefined))).toBe('not measured')
    expect(verdictOf(ratio(Number.NaN))).toBe('not measured')
  })
})
