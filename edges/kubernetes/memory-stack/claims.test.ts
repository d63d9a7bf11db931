import { expect, test } from 'vitest'
import { quantityValue } from '../../../crd/quantity.ts'

test.each([
  ['10Gi', 10_737_418_240],
  ['10240Mi', 10_737_418_240],
  ['1.5Ki', 1_536],
  ['1E', 1e18],
  ['1e3', 1_000],
  ['1E3', 1_000],
  ['500m', 0.5],
  ['7', 7],
  ['.5G', 5e8],
  ['ten', Number.NaN],
  ['1Q', Number.NaN],
])('sizes are compared as quantities: %s', (text, value) => {
  expect(quantityValue(text)).toBe(value)
})
