import { expect, test } from 'vitest'
import { createBackOff, isRestarted } from './restarts.ts'

test('whether a container runs again depends on its policy, its exit and what it is', () => {
  const table = ['Never', 'OnFailure', 'Always', undefined].map((policy) =>
    [false, true].map((isInit) => [0, 1].map((code) => isRestarted(policy, code, isInit))),
  )
  const [never, onFailure] = [
    [false, false],
    [false, true],
  ]
  expect(table).toEqual([
    [never, never],
    [onFailure, onFailure],
    [[true, true], onFailure],
    [[true, true], onFailure],
  ])
})

test('the first restart comes at once, later ones each wait twice as long, and quiet makes them quick again', () => {
  const next = createBackOff()
  let now = 0
  const waits: number[] = []
  for (let time = 0; time < 8; time++) {
    const wait = next(now)
    waits.push(wait / 1_000)
    now += wait + 1_000
  }
  expect(waits).toEqual([0, 10, 20, 40, 80, 160, 300, 300])
  expect(next(now + 600_000)).toBe(0)
  expect(next(now + 601_000)).toBe(10_000)
})
