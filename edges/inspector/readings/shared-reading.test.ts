import { expect, test } from 'vitest'
import { sharedReading, sharedReadings } from './shared-reading.ts'

/** Returns how many readings somebody starts who asks every second; `tookMs`: of the first ones, the last of them of all behind it. */
async function readingsIn(seconds: number, ...tookMs: readonly number[]): Promise<number> {
  let now = 0
  let readings = 0
  const read = sharedReading({ elapsed: () => now }, async () => {
    now += tookMs[readings] ?? tookMs.at(-1) ?? 0
    readings += 1
  })
  while (now < seconds * 1000) {
    await read()
    now += 1000
  }
  return readings
}

test('many who ask share a reading, and a long one for longer', async () => {
  expect(await readingsIn(60, 0)).toBe(60)
  expect(await readingsIn(60, 250)).toBe(12)
})

test('a slow first reading is shared for ten seconds, so that nobody looks for minutes at what stood at the start', async () => {
  expect(await readingsIn(16, 5_000, 0)).toBe(2)
  expect(await readingsIn(60, 5_000, 0)).toBe(46)
})

test('readings that stay slow take a twentieth of the time, however slow', async () => {
  for (const tookMs of [1_000, 5_000, 60_000]) {
    const hours = 40
    expect(((await readingsIn(hours * 3_600, tookMs)) * tookMs) / (hours * 3_600_000)).toBeLessThan(1 / 20)
  }
})

test('a reading that failed is shared for a second, so that not everybody who opens a page reads all again', async () => {
  let now = 0
  let readings = 0
  const read = sharedReading({ elapsed: () => now }, async () => {
    readings += 1
    if (readings === 1) throw new Error('away')
    return 'there'
  })
  await expect(read()).rejects.toThrow('away')
  now = 999
  await expect(read()).rejects.toThrow('away')
  expect(readings).toBe(1)
  now = 1000
  expect(await read()).toBe('there')
})

test('of each thing a reading is shared, with what the last caller knows of it, and those that nobody asks for are forgotten', async () => {
  let now = 0
  const asked: string[] = []
  const read = sharedReadings({ elapsed: () => now }, async (of: string) => void asked.push(of))
  for (const known of ['first', 'second']) await Promise.all(['a', 'b'].map((key) => read(key, `${key} ${known}`)))
  expect(asked).toEqual(['a first', 'b first'])
  now = 1000
  await read('a', 'a third')
  expect(asked.slice(2)).toEqual(['a third'])
  for (let other = 0; other < 100; other++) await read(`other ${other}`, '')
  asked.length = 0
  for (const key of ['other 0', 'a', 'other 99']) await read(key, `${key} again`)
  expect(asked).toEqual(['a again'])
})
