import { describe, expect, test } from 'vitest'
import { judgeComment } from '../../machines/rules/approval-grammar.ts'
import { doubtIn } from '../../machines/rules/doubts.ts'
import { earliestLiftMs, longestLiftMs, mostWithdrawals, planWords } from './word-plan.ts'

const seeds = Array.from({ length: 50 }, (_, index) => index * 7919)
const plans = [1, 2, 3, 5, 10].flatMap((kills) => seeds.map((seed) => ({ kills, words: planWords(kills, seed) })))
const all = plans.flatMap(({ words }) => words)

describe('the plan of words', () => {
  test('is a function of its seed', () => {
    for (const seed of seeds) expect(planWords(5, seed)).toEqual(planWords(5, seed))
    const withoutNames = (seed: number): string => JSON.stringify(planWords(5, seed)).replaceAll(`seed ${seed}`, '')
    expect(new Set(seeds.map(withoutNames)).size).toBe(seeds.length)
  })

  test('has one or two words beside each kill, each at a moment of its own, and none without a kill', () => {
    expect(planWords(0, 1)).toEqual([])
    for (const { kills, words } of plans) {
      for (let kill = 0; kill < kills; kill++) {
        const moments = words.filter((word) => word.kill === kill).map(({ moment }) => moment)
        expect([1, 2]).toContain(moments.length)
        expect(new Set(moments).size).toBe(moments.length)
      }
      expect(words.every(({ kill }) => kill < kills)).toBe(true)
    }
  })

  test('withholds the merge at least once and a bounded number of times', () => {
    for (const { kills, words } of plans) {
      const withheld = words.filter(({ sort }) => sort !== 'remark')
      expect(withheld).toHaveLength(Math.min(kills, mostWithdrawals))
      expect(withheld.filter(({ sort }) => sort === 'hold').length).toBeGreaterThan(0)
      expect(withheld.filter(({ sort }) => sort === 'changes').length).toBeLessThan(2)
    }
  })

  test('lifts each word that withholds within a bound, after a restart, beside a later kill if beside one', () => {
    for (const { kills, words } of plans) {
      for (const { sort, lift, kill } of words) {
        expect(lift === null).toBe(sort === 'remark')
        if (lift === null) continue
        expect(lift.afterMs).toBeGreaterThanOrEqual(earliestLiftMs)
        expect(lift.afterMs).toBeLessThanOrEqual(longestLiftMs)
        expect(lift.kill === null || (lift.kill > kill && lift.kill < kills)).toBe(true)
      }
    }
  })

  test('means what it calls it, by the grammar of the platform', () => {
    for (const { sort, text, lift } of all) {
      expect(judgeComment(text) === 'withdraws').toBe(sort === 'hold')
      expect(doubtIn(text) !== undefined && sort !== 'hold').toBe(sort === 'doubt')
      if (lift !== null) expect(judgeComment(lift.text)).toBe('approves')
    }
  })

  test('writes no text twice in one run', () => {
    for (const { words } of plans) {
      const texts = words.flatMap(({ text, lift }) => (lift === null ? [text] : [text, lift.text]))
      expect(new Set(texts).size).toBe(texts.length)
    }
  })

  test('reaches every moment, sort and thread', () => {
    const kinds = (of: (word: (typeof all)[number]) => string | undefined): readonly (string | undefined)[] =>
      [...new Set(all.map(of))].toSorted()
    expect(kinds(({ moment }) => moment)).toEqual(['after', 'before', 'down'])
    expect(kinds(({ sort }) => sort)).toEqual(['changes', 'doubt', 'hold', 'remark'])
    expect(kinds(({ form }) => form)).toEqual(['issue', 'line', 'mergeRequest', 'review'])
    expect(kinds(({ lift }) => lift?.form)).toEqual(['issue', 'mergeRequest', 'review', undefined])
    expect(all.some(({ lift }) => lift !== null && lift.kill !== null)).toBe(true)
  })

  test('writes plain comments right before a kill, which the forge takes at once', () => {
    for (const { moment, form } of all) if (moment === 'before') expect(['issue', 'mergeRequest']).toContain(form)
  })
})
