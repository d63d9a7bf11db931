import { expect, test } from 'vitest'
import { backoffMs } from './backoff.ts'

test('the bound doubles from half a second to a minute', () => {
  expect([1, 2, 3, 8, 20].map((attempts) => backoffMs(attempts, () => 1))).toEqual([500, 1000, 2000, 60_000, 60_000])
})

test('the jitter takes anything off it, and never all', () => {
  expect(backoffMs(4, () => 0.25)).toBe(1000)
  expect(backoffMs(20, () => 0)).toBe(50)
})
