import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { realDisk } from '../durable-files/disk.ts'
import { SyncedFolder } from '../durable-files/synced-folder.ts'
import { clusterTemplate, templateAt } from './cluster-template.ts'
import { openPglite } from './pglite-session.ts'

describe('the template of a cluster', () => {
  let root: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'statewright-template-'))
  })
  afterEach(() => rm(root, { recursive: true }))

  it('is made anew when it was cut short, is read when it is whole, and leaves no draft', async () => {
    const path = join(root, 'cluster.tar')
    await writeFile(path, (await clusterTemplate())!.subarray(0, -600))
    const made = await templateAt(path)
    expect((await readFile(path)).equals(made)).toBe(true)
    expect(Buffer.from(await templateAt(path)).equals(made)).toBe(true)
    expect(await readdir(root)).toEqual(['cluster.tar'])
  })

  it('serves where its file cannot be written', async () => {
    expect((await templateAt(join(root, 'missing', 'cluster.tar'))).length).toBeGreaterThan(1024)
  })

  it('gives two folders databases of their own, which keep what was written', async () => {
    const open = (name: string) => openPglite(new SyncedFolder(join(root, name), realDisk, undefined, clusterTemplate))
    const [one, other] = [await open('one'), await open('other')]
    await one.exec('create table kept (n int); insert into kept values (7)')
    await expect(other.query('select n from kept', [])).rejects.toThrow('does not exist')
    await Promise.all([one.close(), other.close()])
    const again = await open('one')
    expect((await again.query('select n from kept', [])).rows).toEqual([{ n: 7 }])
    await again.close()
    expect((await readdir(root)).toSorted()).toEqual(['one', 'other'])
  })
})
