import { describe, expect, test } from 'vitest'
import { ledgerDeliveries, limitsOf } from './spending.ts'

const applied = { project: 'default/demo', generation: 7, hasLedger: false, at: 5 }

describe('the limits of a Project', () => {
  test('what it does not say is no limit, and raising by comment is off (PROJECT-SPENDING-2, PROJECT-SPENDING-3, PROJECT-SPENDING-4)', () => {
    expect(limitsOf({ spending: { tokensPerDay: 9 } })).toEqual({
      tokensPerTurn: 2_000_000,
      tokensPerTask: 0,
      tokensPerDay: 9,
      tokensPerProject: 0,
      maxRaisePerDay: 0,
    })
  })

  test('are told to its ledger, once for each version of the Project', () => {
    expect(ledgerDeliveries({ ...applied, spec: { spending: { tokensPerTurn: 10 } } })).toEqual([
      {
        to: 'ledger:default/demo',
        key: 'limits/7',
        event: { type: 'ledger.configured', at: 5, limits: limitsOf({ spending: { tokensPerTurn: 10 } }) },
      },
    ])
  })

  test('a Project without them has no ledger; one that had them is limited no more (PROJECT-SPENDING-1)', () => {
    expect(ledgerDeliveries({ ...applied, spec: {} })).toEqual([])
    expect(ledgerDeliveries({ ...applied, spec: {}, hasLedger: true })[0]?.event['limits']).toEqual(limitsOf({}))
  })
})
