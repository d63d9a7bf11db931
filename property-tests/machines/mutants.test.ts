/** Negative controls: a world with one thing wrong must break the law that forbids it, or that law proves nothing. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { setting } from '../arbitraries/settings.ts'
import { inEveryHistory } from './history.ts'
import { laws } from './laws.ts'
import { mutants } from './mutants.ts'

/** Each is found within a fraction of this by the seed; the bound only ends the search of one that lives. */
const numRuns = 2000

describe('a law notices when', () => {
  it.each(mutants)('$wrong (LAW-$law)', { timeout: 120_000 }, ({ law: number, changed, where = {} }) => {
    const law = laws.find((one) => one.number === number)
    const property = inEveryHistory(
      (trace) => law?.breaches(trace) ?? [],
      (_trace, breaches) => new Error(breaches[0]),
      changed,
      setting.map((any) => ({ ...any, other: 'none' as const, ...where })),
    )
    const found = fc.check(property, { numRuns, seed: 20261121, endOnFailure: true })
    expect(found.failed).toBe(true)
    expect(String(found.errorInstance)).not.toMatch(/TypeError/)
  })
})

it('no law is without a mutant that breaks it', () => {
  expect(laws.map(({ number }) => number).filter((number) => !mutants.some(({ law }) => law === number))).toEqual([])
})
