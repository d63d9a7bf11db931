import { describe, expect, it } from 'vitest'
import { bounded, fuse } from './score.ts'

describe('scores', () => {
  it('of BM25 keep their order below one (QUERIES-18)', () => {
    expect([0, 1, 10, 1_000].map(bounded)).toEqual([0, 1 / 11, 0.5, 1_000 / 1_010])
  })

  it('of fused lists are one for what every list has first, and fall', () => {
    const fused = fuse(
      [
        ['a', 'b', 'c'],
        ['a', 'c'],
      ],
      (one) => one,
    )
    expect(fused[0]).toEqual({ item: 'a', score: 1 })
    expect(fused.map((one) => one.item)).toEqual(['a', 'c', 'b'])
  })
})
