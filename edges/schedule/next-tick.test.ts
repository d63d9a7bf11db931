import { expect, test } from 'vitest'
import { nextTick } from './next-tick.ts'

const from = (text: string): number => Date.parse(text)
const next = (schedule: string, after: string, zone = 'UTC'): string => {
  const found = nextTick(schedule, from(after), zone)
  return 'next' in found ? new Date(found.next).toISOString() : found.refused
}

test('the first tick after a time, never the time itself', () => {
  expect(next('*/10 * * * *', '2026-03-01T12:00:00Z')).toBe('2026-03-01T12:10:00.000Z')
  expect(next('*/10 * * * *', '2026-03-01T12:09:59.999Z')).toBe('2026-03-01T12:10:00.000Z')
})

test('PROJECT-BUDGET-10: the last tick that is not after a time comes with it, in the operator’s time zone', () => {
  const previous = (schedule: string, after: string, zone = 'UTC'): string | undefined => {
    const found = nextTick(schedule, from(after), zone)
    return 'next' in found && found.previous !== undefined ? new Date(found.previous).toISOString() : undefined
  }
  expect(previous('0 0 * * *', '2026-03-01T22:00:00Z')).toBe('2026-03-01T00:00:00.000Z')
  expect(previous('0 0 * * *', '2026-03-01T00:00:00Z')).toBe('2026-03-01T00:00:00.000Z')
  expect(previous('0 0 * * *', '2026-03-01T00:00:00.500Z')).toBe('2026-03-01T00:00:00.000Z')
  expect(previous('0 0 1 1 *', '2026-03-01T00:00:00Z', 'Europe/Berlin')).toBe('2025-12-31T23:00:00.000Z')
})

test('both day fields restricted are alternatives (PROJECT-CRON-1)', () => {
  // The 13th or a Friday.
  expect(next('0 0 13 * FRI', '2026-03-01T00:00:00Z')).toBe('2026-03-06T00:00:00.000Z')
  expect(next('0 0 13 * FRI', '2026-04-11T00:00:00Z')).toBe('2026-04-13T00:00:00.000Z')
})

test('names with letters of extensions are names', () => {
  expect(next('0 0 1 JUL WED', '2026-06-30T12:00:00Z')).toBe('2026-07-01T00:00:00.000Z')
})

test('SCHEDULE-2: one operator-wide zone; a local time that does not exist comes at the next that does, one that comes twice comes once (CRON-1)', () => {
  expect(next('30 6 * * *', '2026-01-15T00:00:00Z', 'Europe/Berlin')).toBe('2026-01-15T05:30:00.000Z')
  expect(next('30 2 * * *', '2026-03-28T12:00:00Z', 'Europe/Berlin')).toBe('2026-03-29T01:00:00.000Z')
  const first = next('30 2 * * *', '2026-10-24T12:00:00Z', 'Europe/Berlin')
  expect(first).toBe('2026-10-25T00:30:00.000Z')
  expect(next('30 2 * * *', first, 'Europe/Berlin')).toBe('2026-10-26T01:30:00.000Z')
})

test.each([
  ['six fields', '0 0 0 1 1 *'],
  ['a nickname', '@daily'],
  ['the last day, an extension', '0 0 L * *'],
  ['the clock of the reader', '? * * * *'],
  ['a minute that is none', '61 * * * *'],
  ['words', 'every now and then'],
])('refused with a reason: %s (PROJECT-CRON-2)', (_what, schedule) => {
  expect(nextTick(schedule, 0, 'UTC')).toEqual({ refused: expect.stringMatching(/./) })
})

test('a day that never comes is refused, not waited for', () => {
  expect(next('0 0 30 2 *', '2026-03-01T00:00:00Z')).toBe('"0 0 30 2 *" never fires')
})
