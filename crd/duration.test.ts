import { expect, test } from 'vitest'
import { goDurationMs } from './duration.ts'

test.each([
  ['5h', 18_000_000],
  ['1h30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['90s250ms', 90_250],
  ['1500us', 1],
])('%s is %d ms', (text, milliseconds) => {
  expect(goDurationMs(text)).toBe(milliseconds)
})

test.each(['', '5', 'h', '5 h', '-5h', '5d'])('%j is no duration of Go', (text) => {
  expect(goDurationMs(text)).toBeUndefined()
})
