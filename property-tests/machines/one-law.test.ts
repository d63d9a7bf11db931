/** Of the laws, one and what breaks it: part of `npm test`. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { setting } from '../arbitraries/settings.ts'
import { inEveryHistory } from './history.ts'
import { laws } from './laws.ts'
import { mutants } from './mutants.ts'
import type { Changed } from './world/world.ts'

test('LAW-4 holds in every history, and notices where the platform obeys its own comment', () => {
  const law = laws.find(({ number }) => number === 4)!
  const { changed } = mutants.find((mutant) => mutant.law === law.number)!
  const found = (changes: Changed): unknown => {
    const alone = setting.map((any) => ({ ...any, other: 'none' as const }))
    const fails = (_trace: unknown, breaches: readonly string[]): Error => new Error(breaches[0])
    const property = inEveryHistory((trace) => law.breaches(trace), fails, changes, alone)
    return fc.check(property, { numRuns: 40, seed: 20261121, endOnFailure: true }).errorInstance
  }
  expect(found({})).toBeNull()
  expect(String(found(changed))).toMatch(/comment/)
})
