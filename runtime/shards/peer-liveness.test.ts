import { describe, expect, it } from 'vitest'
import { Neighbours } from './peer-liveness.ts'

function row(owner: string, beat: number, incarnation = 1): { owner: string; incarnation: number; beat: number } {
  return { owner, incarnation, beat }
}

describe('another process', () => {
  it('is dead when its beat stood still for the whole time, and not a moment earlier', () => {
    const neighbours = new Neighbours(100)
    for (const elapsed of [0, 40, 80, 99]) expect(neighbours.observe([row('b', 7)], elapsed).dead).toEqual([])
    expect(neighbours.observe([row('b', 7)], 100)).toEqual({ living: [], lively: [], dead: [row('b', 7)] })
  })

  it('lives on with every beat, and is lively from the first one that was seen', () => {
    const neighbours = new Neighbours(100)
    expect(neighbours.observe([row('b', 0)], 0)).toEqual({ living: ['b'], lively: [], dead: [] })
    for (let beat = 1; beat < 10; beat++)
      expect(neighbours.observe([row('b', beat)], beat * 40)).toEqual({ living: ['b'], lively: ['b'], dead: [] })
  })

  it('begins anew with another incarnation', () => {
    const neighbours = new Neighbours(100)
    neighbours.observe([row('b', 3)], 0)
    neighbours.observe([row('b', 3)], 45)
    neighbours.observe([row('b', 3, 2)], 90)
    expect(neighbours.observe([row('b', 3, 2)], 130).dead).toEqual([])
  })

  it('is not blamed for a time in which this one did not look', () => {
    const neighbours = new Neighbours(100)
    neighbours.observe([row('b', 3)], 0)
    expect(neighbours.observe([row('b', 3)], 5000).dead).toEqual([])
    neighbours.observe([row('b', 3)], 5045)
    neighbours.observe([row('b', 3)], 5090)
    expect(neighbours.observe([row('b', 3)], 5100).dead).toEqual([row('b', 3)])
  })
})
