import { describe, expect, test } from 'vitest'
import { amountOf, dayOf, exhausted, fitsAll, roomFor, tokensOf, untilNextDay, type Account } from './spending.ts'

describe('tokens of a turn', () => {
  test('all that was read and written counts, caches too, and nothing that is no token count', () => {
    const usage = {
      inputTokens: 1,
      outputTokens: 20,
      cacheReadTokens: 300,
      cacheWriteTokens: 4000,
      costUsd: 7,
      byModel: {},
    }
    expect(tokensOf(usage)).toBe(4321)
    expect([tokensOf({}), tokensOf({ inputTokens: '5' })]).toEqual([0, 0])
  })
})

describe('room under a limit', () => {
  test.each([
    [0, 999, 999, 'fits'],
    [100, 0, 90, 'fits'],
    [100, 0, 91, 'waits'],
    [100, 90, 0, 'fits'],
    [100, 91, 0, 'full'],
    [100, 91, 50, 'full'],
  ] as const)('limit %i, spent %i, reserved %i: ten tokens: %s', (limit, spent, reserved, room) => {
    expect(roomFor(10, { limit, spent, reserved })).toBe(room)
  })

  test('the first limit that is full for good is named, and all have to fit', () => {
    const account = (name: Account['name'], spent: number): Account => ({ name, limit: 100, spent, reserved: 0 })
    expect(exhausted(10, [account('task', 0), account('day', 95), account('project', 99)])?.name).toBe('day')
    expect(exhausted(10, [account('task', 90)])).toBeUndefined()
    expect([fitsAll(10, [account('task', 0), account('day', 91)]), fitsAll(10, [account('task', 90)])]).toEqual([
      false,
      true,
    ])
  })
})

describe('days', () => {
  const noon = Date.UTC(2026, 0, 2, 12)
  test('are those of UTC, and the next begins at midnight (PROJECT-SPENDING-3)', () => {
    expect(dayOf(noon) - dayOf(Date.UTC(2026, 0, 1, 23, 59))).toBe(1)
    expect(untilNextDay(noon)).toBe(12 * 3_600_000)
    expect(dayOf(noon + untilNextDay(noon))).toBe(dayOf(noon) + 1)
  })
})

describe('what a maintainer adds', () => {
  test.each([
    ['+500', 500],
    ['+20k', 20_000],
    [' +2M ', 2_000_000],
    ['500', undefined],
    ['+0', undefined],
    ['-5', undefined],
    ['+1.5M', undefined],
    ['+9999999999', undefined],
    ['+5 please', undefined],
  ])('%s', (argument, amount) => {
    expect(amountOf(argument)).toBe(amount)
  })
})
