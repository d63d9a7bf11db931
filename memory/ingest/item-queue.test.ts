import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { ItemQueue } from './item-queue.ts'

test('tries what failed ahead anew when the job asks for it, so that a store that was away costs one rest', async () => {
  const total = 16
  let isAway = true
  const queue = new ItemQueue({
    clock: systemClock,
    poolSize: 2,
    itemTimeoutMs: 60_000,
    together: () => Promise.resolve(4),
    store: (_job, _repo, indexes) =>
      isAway
        ? Promise.reject(new Error('the store is away'))
        : Promise.resolve(indexes.map((index) => ({ index, outcome: 'stored', purged: 0 }) as const)),
  })
  const ask = async (index: number): Promise<readonly string[]> => {
    const results = await queue.ask('job', 'repo', total, index)
    return results.map(({ outcome }) => outcome)
  }
  expect(await ask(0)).toEqual(['failed'])
  await turn()
  isAway = false
  const outcomes: string[] = []
  while (outcomes.length < total) outcomes.push(...(await ask(outcomes.length)))
  expect(outcomes).toEqual(Array.from({ length: total }, () => 'stored'))
})
