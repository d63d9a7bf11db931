import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { intervalOf, intervalText, isNarrow } from './interval.ts'
import { median } from './percentile.ts'

const ratio = fc.double({ min: 0.01, max: 100, noNaN: true })
const ratios = fc.array(ratio, { minLength: 6, maxLength: 60 })
const oneTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

describe('the interval of a median of ratios', () => {
  // The ranks of a sign test's table for 95 %.
  it.each([
    [6, 1, 6],
    [8, 1, 8],
    [9, 2, 8],
    [12, 3, 10],
    [20, 6, 15],
    [50, 18, 33],
  ])('of %i pairs reaches from the value of rank %i to that of rank %i', (count, low, high) => {
    expect(intervalOf(oneTo(count).toReversed())).toMatchObject({ pairs: count, low, high })
  })
  it('does not exist for fewer than six pairs, however close they are', () => {
    expect(intervalOf([2, 2, 2, 2, 2])).toEqual({ pairs: 5 })
    expect(isNarrow(intervalOf([2, 2, 2, 2, 2]))).toBe(false)
    expect(isNarrow(intervalOf([2, 2, 2, 2, 2, 2]))).toBe(true)
  })
  it('is narrow below 10 % of the median', () => {
    expect(isNarrow(intervalOf([96, 100, 100, 100, 100, 105]))).toBe(true)
    expect(isNarrow(intervalOf([95, 100, 100, 100, 100, 105]))).toBe(false)
  })
  it('holds the median', () => {
    fc.assert(
      fc.property(ratios, (values) => {
        const { low, high } = intervalOf(values)
        expect(low).toBeLessThanOrEqual(median(values)!)
        expect(high).toBeGreaterThanOrEqual(median(values)!)
      }),
    )
  })
  it('shrinks, or stays, when each pair is measured again and is the same', () => {
    fc.assert(
      fc.property(ratios, (values) => {
        const before = intervalOf(values)
        const after = intervalOf([...values, ...values])
        expect(after.low).toBeGreaterThanOrEqual(before.low!)
        expect(after.high).toBeLessThanOrEqual(before.high!)
      }),
    )
  })
  it('becomes a point when enough pairs equal the median', () => {
    fc.assert(
      fc.property(ratios, (values) => {
        const middle = median(values)!
        const equal = Array.from({ length: values.length * 4 }, () => middle)
        expect(intervalOf([...values, ...equal]).width).toBe(0)
      }),
    )
  })
  it('knows no unit', () => {
    fc.assert(
      fc.property(ratios, (values) => {
        const scaled = intervalOf(values.map((value) => value * 8))
        expect(scaled.width).toBeCloseTo(intervalOf(values).width!, 9)
      }),
    )
  })
})

it('shows the interval with its pairs, or the pairs alone', () => {
  expect(intervalText({ pairs: 12, low: 3, high: 3.4 }, String)).toBe('3–3.4, 12 pairs')
  expect(intervalText({ pairs: 1 }, String)).toBe('1 pair')
})
