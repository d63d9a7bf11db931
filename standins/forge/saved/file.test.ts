import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { WorldDocument } from './document.ts'
import { keepWorldFile, readWorldFile } from './file.ts'

let dir: string
let lastId = 0
let pictures = 0
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'forge-saved-'))
  pictures = 0
})
afterEach(() => rm(dir, { recursive: true, force: true }))

function picture(): WorldDocument {
  pictures += 1
  return { version: 1, lastId, users: [], repositories: [], deliveries: [] }
}

async function savedId(file: string): Promise<number | undefined> {
  return (await readWorldFile(file))?.lastId
}

test('a burst of changes is few documents, and the last one holds the last change', async () => {
  const file = join(dir, 'world.json')
  const faults: unknown[] = []
  const kept = keepWorldFile(file, picture, (error) => faults.push(error))
  for (lastId = 1; lastId < 200; lastId += 1) {
    kept.note()
    if (lastId % 10 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await expect.poll(() => savedId(file), { timeout: 10_000 }).toBe(200)
  expect(pictures).toBeLessThan(20)
  lastId = 300
  await kept.close()
  expect(await savedId(file)).toBe(300)
  lastId = 400
  kept.note()
  await kept.close()
  expect(await savedId(file)).toBe(300)
  expect(faults).toEqual([])
})

test('a write that fails is told and tried again with the next change, and at the end it fails the end', async () => {
  const faults: unknown[] = []
  const kept = keepWorldFile(join(dir, 'absent', 'world.json'), picture, (error) => faults.push(error))
  kept.note()
  await expect.poll(() => faults.length, { timeout: 10_000 }).toBe(1)
  kept.note()
  await expect.poll(() => faults.length, { timeout: 10_000 }).toBe(2)
  await expect(kept.close()).rejects.toThrow(/ENOENT/)
})

test('where no forge has been there is nothing to read', async () => {
  expect(await readWorldFile(join(dir, 'world.json'))).toBeUndefined()
  await expect(readFile(join(dir, 'world.json'))).rejects.toThrow(/ENOENT/)
})
