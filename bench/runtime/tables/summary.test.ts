import { describe, expect, it } from 'vitest'
import { medianOf, ratioOf } from './summary.ts'
import type { Measured } from '../measured.ts'

function cell(contender: Measured['contender'], round: number, perSecond: number): Measured {
  const result = { operations: 1, seconds: 1, perSecond, cpuUs: 1, logBytes: 1, foreignCores: 0 }
  return { contender, clients: 16, round, result }
}

const measured = [
  cell('own-postgres', 0, 100),
  cell('dbos-steps', 0, 10),
  cell('dbos-steps', 1, 1),
  cell('own-postgres', 1, 30),
  cell('own-postgres', 2, 90),
  cell('dbos-steps', 2, 10),
]

describe('the summary of the rounds', () => {
  it('takes the median round', () => {
    expect(medianOf(measured, 'own-postgres', 16, 'perSecond')).toBe(90)
  })
  it('compares two contenders within each round, not their medians', () => {
    expect(ratioOf(measured, ['own-postgres', 'dbos-steps'], 16, 'perSecond')).toBe(10)
    expect(ratioOf(measured, ['dbos-steps', 'own-postgres'], 16, 'perSecond')).toBeCloseTo(0.1)
  })
  it('has nothing to say about what was not measured', () => {
    expect(medianOf(measured, 'own-postgres', 128, 'perSecond')).toBeUndefined()
    expect(ratioOf(measured, ['own-postgres', 'statement'], 16, 'perSecond')).toBeUndefined()
    expect(medianOf(measured, 'own-postgres', 16, 'ackP50Ms')).toBeUndefined()
  })
})
