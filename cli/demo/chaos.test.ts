import { describe, expect, test } from 'vitest'
import { planKills } from './chaos.ts'

const seeds = Array.from({ length: 50 }, (_, index) => index * 7919)

describe('the plan of kills', () => {
  test('is a function of its seed', () => {
    for (const seed of seeds) expect(planKills(10, seed, 60_000)).toEqual(planKills(10, seed, 60_000))
    expect(new Set(seeds.map((seed) => JSON.stringify(planKills(5, seed, 60_000)))).size).toBe(seeds.length)
  })

  test('has as many kills as were asked for, in order, within the length of the run', () => {
    for (const count of [0, 1, 2, 3, 10]) {
      for (const seed of seeds) {
        const moments = planKills(count, seed, 8_000).map(({ atMs }) => atMs)
        expect(moments).toHaveLength(count)
        expect(moments).toEqual(moments.toSorted((a, b) => a - b))
        for (const moment of moments) expect(moment >= 0 && moment <= 8_000 && Number.isInteger(moment)).toBe(true)
      }
    }
  })

  test('spreads its moments over the whole run', () => {
    const moments = seeds.flatMap((seed) => planKills(10, seed, 100).map(({ atMs }) => atMs))
    for (const from of [0, 20, 40, 60, 80]) {
      const share = moments.filter((moment) => moment >= from && moment < from + 20).length / moments.length
      expect(share).toBeGreaterThan(0.1)
      expect(share).toBeLessThan(0.3)
    }
  })

  test('aims one at a turn, one at an effect and the last at the merge; the rest at anything', () => {
    for (const seed of seeds) {
      const aims = planKills(10, seed, 60_000).map(({ aim }) => aim)
      expect(aims.filter((aim) => aim === 'turn')).toHaveLength(1)
      expect(aims.filter((aim) => aim === 'effect')).toHaveLength(1)
      expect(aims.filter((aim) => aim === 'merging')).toHaveLength(1)
      expect(aims.at(-1)).toBe('merging')
      expect(aims.filter((aim) => aim === 'any')).toHaveLength(7)
    }
    expect(
      new Set(seeds.map((seed) => planKills(10, seed, 60_000).findIndex(({ aim }) => aim === 'turn'))).size,
    ).toBeGreaterThan(4)
  })

  test('of few kills aims at what matters most', () => {
    expect(planKills(1, 1, 100).map(({ aim }) => aim)).toEqual(['any'])
    expect(planKills(2, 1, 100).map(({ aim }) => aim)).toEqual(['turn', 'effect'])
    expect(
      planKills(3, 1, 100)
        .map(({ aim }) => aim)
        .toSorted(),
    ).toEqual(['effect', 'merging', 'turn'])
  })
})
