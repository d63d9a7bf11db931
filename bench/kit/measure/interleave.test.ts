import { expect, it } from 'vitest'
import { interleave } from './interleave.ts'

it('visits all cells in each round, every other round backwards, one at a time', async () => {
  const seen: string[] = []
  let underWay = 0
  await interleave(3, ['a', 'b', 'c'], async (cell, round) => {
    expect(underWay++).toBe(0)
    await Promise.resolve()
    seen.push(`${round}${cell}`)
    underWay--
  })
  expect(seen).toEqual(['0a', '0b', '0c', '1c', '1b', '1a', '2a', '2b', '2c'])
})
