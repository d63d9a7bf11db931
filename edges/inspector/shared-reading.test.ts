import { expect, test } from 'vitest'
import { sharedReading } from './shared-reading.ts'

/** Readings that take so long each; returns how many of them somebody starts who asks every second. */
async function readingsIn(seconds: number, tookMs: number): Promise<number> {
  let now = 0
  let readings = 0
  const read = sharedReading({ elapsed: () => now }, async () => {
    readings += 1
    now += tookMs
  })
  while (now < seconds * 1000) {
    await read()
    now += 1000
  }
  return readings
}

test('many who ask share a reading, a long one for longer, and none for more than ten seconds', async () => {
  expect(await readingsIn(60, 0)).toBe(60)
  expect(await readingsIn(60, 250)).toBe(12)
  // The first one after a start is slow: what happens meanwhile is not kept from people for minutes.
  expect(await readingsIn(66, 5_000)).toBeGreaterThan(3)
})

test('a reading that failed is shared with nobody', async () => {
  const answers = [Promise.reject(new Error('away')), Promise.resolve('there')]
  const read = sharedReading({ elapsed: () => 0 }, async () => answers.shift())
  await expect(read()).rejects.toThrow('away')
  expect(await read()).toBe('there')
})
