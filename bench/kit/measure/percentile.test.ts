import { describe, expect, it } from 'vitest'
import { median, percentile } from './percentile.ts'

describe('percentile', () => {
  it('sorts by number, not by text', () => {
    expect(percentile([100, 9, 20], 0.5)).toBe(20)
  })
  it('of the whole is the greatest value', () => {
    expect(percentile([1, 2, 3], 1)).toBe(3)
  })
  it('of nothing is nothing', () => {
    expect(percentile([], 0.5)).toBeUndefined()
  })
})

describe('median', () => {
  it('is the middle of an odd number of rounds and the mean of the middle two of an even one', () => {
    expect(median([5, 1, 3])).toBe(3)
    expect(median([4, 1])).toBe(2.5)
    expect(median([])).toBeUndefined()
  })
})
