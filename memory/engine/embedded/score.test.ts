import { describe, expect, it } from 'vitest'
import { bounded } from './score.ts'

describe('scores', () => {
  it('of BM25 keep their order below one (QUERIES-18)', () => {
    expect([0, 1, 10, 1_000].map(bounded)).toEqual([0, 1 / 11, 0.5, 1_000 / 1_010])
  })
})
