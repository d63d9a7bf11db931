import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { MemoryFolder } from '../../../edges/local/memory/folder.ts'
import { isAlive } from '../../../edges/local/processes.ts'
import { withChild, withFolder } from '../../../edges/local/testing/fixture.ts'
import { endMemories, endPods } from './end-detached.ts'

const bound = { timeout: 20_000, interval: 20 }
const record = { port: 4711, isFirst: false, print: '', ends: 0, lastEnd: '' }
/** It says that it was asked. */
const graceful = [
  '/bin/sh',
  '-c',
  'trap "echo > $STATE_DIR/asked; exit" TERM; echo > $STATE_DIR/up; while :; do sleep 0.1; done',
]

test('every memory service of a folder is asked to end, one whose spawn was not recorded too, and counts as told', async () => {
  await withFolder(async (root) => {
    const folders = ['default/demo', 'default/shop'].map((project) => new MemoryFolder(root, project))
    for (const folder of folders) folder.create()
    const [known, unrecorded] = folders as [MemoryFolder, MemoryFolder]
    await withChild(
      graceful,
      async (one) => {
        await withChild(
          graceful,
          async (other) => {
            known.write({ ...record, project: 'default/demo', isSpawning: false, process: one.identity })
            unrecorded.write({ ...record, project: 'default/shop', isSpawning: true })
            await vi.waitFor(
              () => expect(folders.map(({ path }) => existsSync(join(path, 'up')))).toEqual([true, true]),
              bound,
            )
            await endMemories(root)
            expect([one.identity, other.identity].map(isAlive)).toEqual([false, false])
          },
          { env: { STATE_DIR: unrecorded.path } },
        )
      },
      { env: { STATE_DIR: known.path } },
    )
    expect(folders.map(({ path }) => existsSync(join(path, 'asked')))).toEqual([true, true])
    expect(folders.map((folder) => folder.read()?.stoppingAt)).toEqual([expect.any(Number), expect.any(Number)])
  })
})

test('where nothing was ever started nothing is ended', async () => {
  await withFolder(async (root) => {
    await endMemories(join(root, 'memory'))
    await endPods(join(root, 'pods'))
    expect(existsSync(join(root, 'memory'))).toBe(false)
  })
})
