/** Each law that the prover knows finds a hole that was planted for it. */
import { describe, expect, it, test } from 'vitest'
import { drawnOf } from '../../testing/drawn.ts'
import { futures } from './futures.ts'
import { explored } from './holes/hole.ts'
import { holesOfLaws } from './holes/of-laws.ts'
import { holesOfNames } from './holes/of-names.ts'
import { holesOfSchedules } from './holes/of-schedules.ts'
import { finiteLaws } from './laws.ts'
import { scheduleFutures } from './schedules/futures.ts'
import { scheduleLaws } from './schedules/laws.ts'

const holes = [...holesOfLaws, ...holesOfNames, ...holesOfSchedules]

describe('a law of the prover finds it when', () => {
  it.each(drawnOf(holes, ({ wrong }) => wrong))('$wrong, in the world $world: $finds', { timeout: 120_000 }, (hole) => {
    expect(explored(hole).breaches.map(({ says }) => says)).toContain(hole.finds)
  })
})

test('each law of a moment and each of the future has a hole that it finds', () => {
  const laws = [...finiteLaws, ...futures, ...scheduleLaws, ...scheduleFutures]
  const found = new Set(holes.map(({ finds }) => finds))
  expect(laws.filter(({ says }) => !found.has(says)).map(({ says }) => says)).toEqual([])
})
