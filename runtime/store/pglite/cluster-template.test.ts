import { mkdtemp, readdir, readFile, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { realDisk } from '../durable-files/disk.ts'
import { SyncedFolder } from '../durable-files/synced-folder.ts'
import { templateAt } from './cluster-template.ts'
import { openPglite } from './pglite-session.ts'

describe('the template of a cluster', () => {
  let root: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'statewright-template-'))
  })
  afterEach(() => rm(root, { recursive: true }))

  it('is made once, is made anew when it was cut short, and leaves no draft', async () => {
    const path = join(root, 'cluster.tar')
    const first = await templateAt(path)
    expect(await readFile(path)).toEqual(Buffer.from(first))
    await truncate(path, first.length - 600)
    const again = await templateAt(path)
    expect(again.length).toBe(first.length)
    expect(Buffer.from(await templateAt(path)).equals(again)).toBe(true)
    expect(await readdir(root)).toEqual(['cluster.tar'])
  })

  it('serves where its file cannot be written', async () => {
    expect((await templateAt(join(root, 'missing', 'cluster.tar'))).length).toBeGreaterThan(1024)
  })

  it('gives two folders databases of their own, which keep what was written', async () => {
    const path = join(root, 'cluster.tar')
    const open = (name: string) =>
      openPglite(new SyncedFolder(join(root, name), realDisk, undefined, () => templateAt(path)))
    const [one, other] = [await open('one'), await open('other')]
    await one.exec('create table kept (n int); insert into kept values (7)')
    await expect(other.query('select n from kept', [])).rejects.toThrow('does not exist')
    await Promise.all([one.close(), other.close()])
    const again = await open('one')
    expect((await again.query('select n from kept', [])).rows).toEqual([{ n: 7 }])
    await again.close()
    expect((await readdir(root)).toSorted()).toEqual(['cluster.tar', 'one', 'other'])
  })
})
