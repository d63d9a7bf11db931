import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { acquireStoreLock } from './store-lock.ts'

describe('the lock of a store folder', () => {
  let folder: string
  let path: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lock-'))
    path = join(folder, 'db.lock')
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('is had by one at a time, and the refusal says by whom', async () => {
    const lock = await acquireStoreLock(path)
    await expect(acquireStoreLock(path)).rejects.toMatchObject({
      name: 'StoreLockedError',
      message: `${path} is held by process ${process.pid}`,
    })
    await lock.release()
    await (await acquireStoreLock(path)).release()
    expect(await readdir(folder)).toEqual([])
  })

  it('is had by exactly one of many who ask at once, also over a dead holder', async () => {
    const dead = spawn(process.execPath, ['-e', ''])
    await once(dead, 'exit')
    await writeFile(path, JSON.stringify({ pid: dead.pid, startedAt: 'then' }))
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => acquireStoreLock(path)))
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
  })

  it.each([
    [
      'whose process number another process has by now',
      JSON.stringify({ pid: process.pid, startedAt: 'an earlier boot/1' }),
    ],
    ['that holds nothing readable', 'torn'],
  ])('is taken over from one %s', async (_, content) => {
    await writeFile(path, content)
    const lock = await acquireStoreLock(path)
    await lock.release()
  })
})
