import { expect, test } from 'vitest'
import { ticksOf } from './axis.ts'

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

test.each([
  [0, ['start']],
  [3, ['start', '1 ms', '2 ms']],
  [400, ['start', '100 ms', '200 ms', '300 ms']],
  [4 * second, ['start', '1 s', '2 s', '3 s']],
  [100 * second, ['start', '30 s', '1 min']],
  [5 * minute + 20 * second, ['start', '2 min', '4 min']],
  [1851, ['start', '500 ms', '1 s', '1.5 s']],
  [8 * hour, ['start', '2 h', '4 h', '6 h']],
  [3 * day, ['start', '1 d', '2 d']],
  [400 * day, ['start', '112 d', '224 d', '336 d']],
])('a life of %d ms has ticks that a person can read', (life, labels) => {
  expect(ticksOf(life).map(({ label }) => label)).toEqual(labels)
})

test('whatever a life takes, no two ticks are alike, and each has a seventh of its length for its words', () => {
  for (let life = 3; life < 40 * 365 * day; life = Math.ceil(life * 1.07)) {
    const ticks = ticksOf(life)
    expect(ticks.length, `${life}`).toBeGreaterThan(1)
    expect(new Set(ticks.map(({ label }) => label)).size, `${life}`).toBe(ticks.length)
    const ends = [...ticks.slice(1).map(({ after }) => after), life]
    for (const [index, { after }] of ticks.entries())
      expect(ends[index]! - after, `${life}`).toBeGreaterThanOrEqual(life / 7)
  }
})
