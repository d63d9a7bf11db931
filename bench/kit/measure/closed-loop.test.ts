import { describe, expect, it } from 'vitest'
import { Window, closedLoop, shares } from './closed-loop.ts'

describe('a closed loop', () => {
  it('keeps one operation of each client under way and counts what ended after the window closed', async () => {
    const window = new Window(20)
    let underWay = 0
    let most = 0
    await closedLoop(window, 3, async () => {
      most = Math.max(most, ++underWay)
      await new Promise((resolve) => void setTimeout(resolve, 5))
      underWay--
      window.acknowledged(5)
    })
    expect(most).toBe(3)
    expect(underWay).toBe(0)
    expect(window.operations).toBe(window.latenciesMs.length)
    expect(window.operations).toBeGreaterThanOrEqual(3)
  })
})

describe('shares', () => {
  it('gives no subject to two clients, and each of a share in turn', () => {
    const pick = shares(6, 2)
    const first = [pick(0), pick(0), pick(0), pick(0)]
    expect(first).toEqual([0, 1, 2, 0])
    expect([pick(1), pick(1), pick(1)]).toEqual([3, 4, 5])
  })
  it('goes round when there are more clients than subjects', () => {
    const pick = shares(2, 3)
    expect([pick(0), pick(1), pick(2)]).toEqual([0, 1, 0])
  })
})
