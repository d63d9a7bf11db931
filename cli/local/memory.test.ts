import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MemoryFolder } from '../../edges/local/memory/folder.ts'
import { withFolder } from '../../edges/local/testing/fixture.ts'
import { keepEarlierMemory, memoryRoot } from './memory.ts'

test('what a version before had in its one memory is the memory of the same Project, its store and its database', async () => {
  await withFolder(async (dir) => {
    mkdirSync(join(dir, 'memory', 'database'), { recursive: true })
    writeFileSync(join(dir, 'memory', 'database', 'PG_VERSION'), '17')
    writeFileSync(join(dir, 'memory', 'database-url'), 'postgres://u@127.0.0.1/statewright_0123456789ab')
    keepEarlierMemory(dir)
    const folder = new MemoryFolder(memoryRoot(dir), 'default/demo')
    expect(readFileSync(join(folder.path, 'database', 'PG_VERSION'), 'utf8')).toBe('17')
    expect(folder.databaseUrl('postgres://u@127.0.0.1/other')).toBe('postgres://u@127.0.0.1/statewright_0123456789ab')
    expect(existsSync(join(dir, 'memory'))).toBe(false)
    keepEarlierMemory(dir)
    // What is there now is never replaced.
    mkdirSync(join(dir, 'memory'))
    keepEarlierMemory(dir)
    expect([existsSync(join(dir, 'memory')), folder.data()]).toEqual([true, `its data stays in ${folder.path}`])
  })
})

test('a folder without one gets none', async () => {
  await withFolder(async (dir) => {
    keepEarlierMemory(dir)
    expect(existsSync(join(dir, 'state'))).toBe(false)
  })
})
