import { expect, test } from 'vitest'
import { costLine } from './cost.ts'

test('turns of a scripted model cost nothing, whatever its tokens would; of a model without a price there is none', () => {
  const cost = { turns: 12, tokens: 1_234_567, usd: 0.2 }
  expect(costLine(cost)).toBe('12 turns, 1,234,567 tokens, about 0.20 USD so far')
  expect(costLine({ turns: 1, tokens: 7, usd: 0 })).toBe('1 turn, 7 tokens so far')
  expect(costLine(cost, true)).toBe('12 turns; no model is asked, and nothing is spent')
})
