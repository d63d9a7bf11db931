/** Of the laws, one and what breaks it: part of `npm test`. */
import { expect, test } from 'vitest'
import { searchBreach } from './history.ts'
import { laws } from './laws.ts'
import { mutants } from './mutants.ts'

test('LAW-4 holds in every history, and notices where the platform obeys its own comment', () => {
  const law = laws.find(({ number }) => number === 4)!
  const mutant = mutants.find((one) => one.law === law.number)!
  expect(searchBreach(law, {}, 40).errorInstance).toBeNull()
  expect(String(searchBreach(law, mutant, 40).errorInstance)).toMatch(/comment/)
})
