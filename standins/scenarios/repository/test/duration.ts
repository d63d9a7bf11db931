import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDuration, parseDuration } from '../src/duration.ts'

test('a duration is the sum of its parts', () => {
  assert.equal(parseDuration('1h30m'), 5_400_000)
  assert.equal(parseDuration('45s'), 45_000)
})

test('milliseconds are written with the largest units first', () => {
  assert.equal(formatDuration(5_400_000), '1h30m')
  assert.equal(formatDuration(0), '0s')
})
