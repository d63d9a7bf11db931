/** Negative controls: a world with one thing wrong must break the law that forbids it, or that law proves nothing. */
import { describe, expect, it } from 'vitest'
import { drawnOf } from '../../testing/drawn.ts'
import { searchBreach } from './history.ts'
import { laws } from './laws.ts'
import { mutants } from './mutants.ts'

/** Each is found within a fraction of this by the seed; the bound only ends the search of one that lives. */
const numRuns = 2000

describe('a law notices when', () => {
  it.each(drawnOf(mutants, ({ wrong }) => wrong))('$wrong (LAW-$law)', { timeout: 120_000 }, (mutant) => {
    const law = laws.find(({ number }) => number === mutant.law)!
    const found = searchBreach(law, mutant, numRuns)
    expect(found.failed).toBe(true)
    expect(String(found.errorInstance)).not.toMatch(/TypeError/)
  })
})

it('no law is without a mutant that breaks it', () => {
  expect(laws.map(({ number }) => number).filter((number) => !mutants.some(({ law }) => law === number))).toEqual([])
})
