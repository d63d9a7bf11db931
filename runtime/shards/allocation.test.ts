import { describe, expect, it } from 'vitest'
import { divide } from './allocation.ts'
import type { ShardRow } from '../store/rows.ts'

function held(...owners: readonly (string | null)[]): readonly ShardRow[] {
  return owners.map((owner, shard) => ({ shard, owner, epoch: 1 }))
}

function of(rows: readonly ShardRow[], owner: string): ReadonlySet<number> {
  return new Set(rows.filter((row) => row.owner === owner).map((row) => row.shard))
}

describe('the shards', () => {
  it('are all wanted by a process that is alone', () => {
    const rows = held(null, null, 'gone')
    const standing = { owner: 'a', held: of(rows, 'a'), living: ['a'], lively: ['a'] }
    expect(divide(rows, standing)).toEqual({ strays: 0, wanted: 3, excess: [] })
  })

  it('are divided so that the parts of all the living make up the whole, whoever holds what', () => {
    const rows = held('a', 'a', 'a', 'b', null, null, 'a', 'c', 'a', 'a', 'a')
    const living = ['c', 'a', 'b']
    const parts = living.map((owner) => {
      const mine = of(rows, owner)
      const { wanted, excess } = divide(rows, { owner, held: mine, living, lively: living })
      return mine.size + wanted - excess.length
    })
    expect(parts.toSorted()).toEqual([3, 4, 4])
  })

  it('stay where they are when they are divided evenly, the odd one with whoever has it', () => {
    const rows = held('b', 'b', 'a')
    for (const owner of ['a', 'b'])
      expect(divide(rows, { owner, held: of(rows, owner), living: ['a', 'b'], lively: ['a', 'b'] })).toEqual({
        strays: 0,
        wanted: 0,
        excess: [],
      })
  })

  it('are not given up for a process that was never seen to move', () => {
    const rows = held('a', 'a', 'a', 'a')
    const standing = { owner: 'a', held: of(rows, 'a'), living: ['a', 'b'] }
    expect(divide(rows, { ...standing, lively: ['a'] }).excess).toEqual([])
    expect(divide(rows, { ...standing, lively: ['a', 'b'] }).excess).toEqual([2, 3])
  })

  it('that carry the name of this process without being held are taken again', () => {
    const rows = held('a', 'a', 'b', 'b')
    expect(divide(rows, { owner: 'a', held: new Set([0]), living: ['a', 'b'], lively: ['a', 'b'] })).toEqual({
      strays: 1,
      wanted: 0,
      excess: [],
    })
  })
})
