import { expect, test } from 'vitest'
import { planKills } from './chaos.ts'

const seeds = Array.from({ length: 50 }, (_, index) => index * 7919)
const aimsOf = (count: number, seed: number): readonly string[] => planKills(count, seed, 60_000).map(({ aim }) => aim)

test('the plan of kills is a function of its seed', () => {
  for (const seed of seeds) expect(planKills(10, seed, 60_000)).toEqual(planKills(10, seed, 60_000))
  expect(new Set(seeds.map((seed) => JSON.stringify(planKills(5, seed, 60_000)))).size).toBe(seeds.length)
})

test('it has as many kills as were asked for, in order, spread over the whole run', () => {
  for (const count of [0, 1, 2, 3, 10])
    for (const seed of seeds) {
      const moments = planKills(count, seed, 8_000).map(({ atMs }) => atMs)
      expect(moments).toHaveLength(count)
      expect(moments).toEqual(moments.toSorted((a, b) => a - b))
      for (const moment of moments) expect(moment >= 0 && moment <= 8_000 && Number.isInteger(moment)).toBe(true)
    }
  const moments = seeds.flatMap((seed) => planKills(10, seed, 100).map(({ atMs }) => atMs))
  for (const from of [0, 20, 40, 60, 80]) {
    const share = moments.filter((moment) => moment >= from && moment < from + 20).length / moments.length
    expect(share).toBeGreaterThan(0.1)
    expect(share).toBeLessThan(0.3)
  }
})

test('it aims one at a turn, one at an effect and the last at the merge; the rest, or a single one, at anything', () => {
  for (const seed of seeds) {
    const aims = aimsOf(10, seed)
    expect(aims.toSorted()).toEqual([...Array(7).fill('any'), 'effect', 'merging', 'turn'])
    expect(aims.at(-1)).toBe('merging')
  }
  expect(new Set(seeds.map((seed) => aimsOf(10, seed).indexOf('turn'))).size).toBeGreaterThan(4)
  expect([aimsOf(1, 1), aimsOf(2, 1)]).toEqual([['any'], ['turn', 'effect']])
  expect(aimsOf(3, 1).toSorted()).toEqual(['effect', 'merging', 'turn'])
})
