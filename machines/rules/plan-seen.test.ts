import { expect, test } from 'vitest'
import { planSeenAt } from './plan-seen.ts'

const plans = [
  { hash: 'first', at: 10_900 },
  { hash: 'second', at: 20_300 },
]

test.each([
  [9_999, undefined],
  [10_000, 'first'],
  [19_999, 'first'],
  [20_000, 'second'],
  [90_000, 'second'],
])(
  'a comment that the forge dates %i answers the plan %s: of the plan’s own second it may be the answer (FORGE-FACT-1)',
  (at, hash) => {
    expect(planSeenAt(plans, at)?.hash).toBe(hash)
  },
)
