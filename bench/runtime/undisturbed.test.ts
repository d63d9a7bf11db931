import { expect, it } from 'vitest'
import type { CellResult } from '../kit/measure/cell.ts'
import { undisturbed } from './undisturbed.ts'

async function measured(...foreign: readonly number[]): Promise<{ kept: number; attempts: number; said: number[] }> {
  const said: number[] = []
  let attempts = 0
  const measure = async (attempt: number): Promise<CellResult> => {
    expect(attempt).toBe(attempts++)
    return { operations: 1, seconds: 1, perSecond: 1, cpuUs: 1, foreignCores: foreign[attempt]! }
  }
  const { foreignCores } = await undisturbed(0.3, measure, (result) => void said.push(result.foreignCores))
  return { kept: foreignCores, attempts, said }
}

it('measures a quiet cell once', async () => {
  expect(await measured(0.3)).toEqual({ kept: 0.3, attempts: 1, said: [] })
})

it('measures a disturbed cell again, and says what it leaves out', async () => {
  expect(await measured(0.9, 0.1)).toEqual({ kept: 0.1, attempts: 2, said: [0.9] })
  expect(await measured(0.9, 0.5, 0)).toEqual({ kept: 0, attempts: 3, said: [0.9, 0.5] })
})

it('gives up after three times with the least disturbed, which then makes the run invalid', async () => {
  expect(await measured(0.9, 0.4, 0.7)).toEqual({ kept: 0.4, attempts: 3, said: [0.9, 0.4, 0.7] })
})
