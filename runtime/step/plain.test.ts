import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plain, plainFrozen } from './plain.ts'

/** Beside JSON, what a machine could put into its context by mistake. */
const anything = fc.anything({ withDate: true, withNullPrototype: true, withSparseArray: true })

function viaJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null')
}

function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen)
}

describe('a value that stays in memory', () => {
  it('is what JSON would say of it, in the same order, and frozen', () => {
    fc.assert(
      fc.property(anything, (value) => {
        const kept = plainFrozen(value)
        expect(JSON.stringify(kept)).toBe(JSON.stringify(viaJson(value)))
        expect(kept).toEqual(viaJson(value))
        expect(isDeeplyFrozen(kept)).toBe(true)
      }),
    )
  })

  it('is the value itself where it is plain', () => {
    const value = { a: [1, { b: 'x' }], c: null }
    expect(plainFrozen(value)).toBe(value)
    expect(plain(value)).toBe(value)
  })

  it.each([
    ['a missing value', { a: undefined, b: 1 }, { b: 1 }],
    ['a date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['a number that is none', { n: NaN, zero: -0 }, { n: null, zero: 0 }],
    ['a map', { m: new Map([[1, 2]]) }, { m: {} }],
    ['a hole', { list: [1, undefined, 3] }, { list: [1, null, 3] }],
  ])('has nothing of %s that the store would not give back', (_, value, kept) => {
    expect(plainFrozen(value)).toEqual(kept)
    expect(Object.keys(plainFrozen(value) as object)).toEqual(Object.keys(kept))
    expect(plain(value)).toEqual(kept)
  })

  it('is not looked at where the value before had the same part, and the rest is', () => {
    const shared = plainFrozen({ list: [1, 2] })
    const next = plainFrozen({ shared, late: { at: undefined } }, { shared })
    expect(next).toEqual({ shared: { list: [1, 2] }, late: {} })
    expect(isDeeplyFrozen(next)).toBe(true)
  })

  it('cannot be one that holds itself', () => {
    const loop: Record<string, unknown> = {}
    loop['self'] = loop
    expect(() => plainFrozen(loop)).toThrow()
  })
})
