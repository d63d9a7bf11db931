import { describe, expect, test } from 'vitest'
import { differences } from './ratchet.ts'

const remedy = 'Mend it.'

describe('a list that may only shrink', () => {
  test('passes what it names', () => {
    expect(differences([{ entry: 'a.ts x', count: 2, at: 'a.ts:1' }], { 'a.ts x': 2 }, remedy)).toEqual([])
  })

  test('names a new breach with its place and the remedy', () => {
    const found = differences([{ entry: 'a.ts x', count: 1, at: 'a.ts:7' }], {}, remedy)
    expect(found).toEqual(['a.ts:7 a.ts x: 1, the list has none. Mend it.'])
  })

  test('names a breach that grew', () => {
    const found = differences([{ entry: 'a.ts x', count: 3, at: 'a.ts:7' }], { 'a.ts x': 2 }, remedy)
    expect(found).toEqual(['a.ts:7 a.ts x: 3, the list has 2. Mend it.'])
  })

  test('adds up what has one entry', () => {
    const twice = ['a.ts:7', 'a.ts:9'].map((at) => ({ entry: 'a.ts x', count: 1, at }))
    expect(differences(twice, { 'a.ts x': 1 }, remedy)).toEqual(['a.ts:9 a.ts x: 2, the list has 1. Mend it.'])
  })

  test('wants an entry struck that is gone, and a count lowered that fell: room lets a new breach in', () => {
    const found = differences([{ entry: 'b.ts y', count: 1, at: 'b.ts:1' }], { 'a.ts x': 2, 'b.ts y': 2 }, remedy)
    expect(found).toEqual(['a.ts x is gone: strike it from the list', 'b.ts y fell from 2 to 1: write 1 into the list'])
  })

  test('stays sorted, so that two branches merge', () => {
    const both = ['a', 'b'].map((entry) => ({ entry, count: 1, at: entry }))
    expect(differences(both, { b: 1, a: 1 }, remedy)).toEqual(['a is out of order: sort the list'])
  })
})
