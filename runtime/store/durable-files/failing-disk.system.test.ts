import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPglite, type PgliteSession } from '../pglite/pglite-session.ts'
import { realDisk, type Disk } from './disk.ts'
import { SyncedFolder } from './synced-folder.ts'

const ioError = Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })

describe('a disk that fails to sync', () => {
  let root: string
  let failing: boolean
  let session: PgliteSession
  let syncs: string[]

  function open(): Promise<PgliteSession> {
    const sometimes = (path: string, sync: () => void): void => {
      syncs.push(path)
      if (failing) throw ioError
      sync()
    }
    const disk: Disk = {
      ...realDisk,
      syncBytes: (fd, path) => sometimes(path, () => realDisk.syncBytes(fd, path)),
      syncFile: (fd, path) => sometimes(path, () => realDisk.syncFile(fd, path)),
    }
    return openPglite(new SyncedFolder(join(root, 'db'), disk))
  }

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'statewright-disk-'))
    failing = false
    syncs = []
    session = await open()
    await session.exec('create table t (n int primary key)')
    await session.query('insert into t values (1)', [])
    syncs = []
  })
  afterEach(() => rm(root, { recursive: true }))

  it('acknowledges nothing, and nothing more until it is opened anew (R1)', async () => {
    failing = true
    await expect(session.query('insert into t values (2)', [])).rejects.toMatchObject({ code: 'unreachable' })
    failing = false
    await expect(session.query('insert into t values (3)', [])).rejects.toMatchObject({ code: 'unreachable' })
    expect(session.brokenBy?.message).toContain('could not fsync')
    await session.close()
    const again = await open()
    const { rows } = await again.query('select n from t where n in (1, 3)', [])
    expect(rows).toEqual([{ n: 1 }])
    await again.close()
  })

  it('is not asked to by a query that only reads, and once by one that writes', async () => {
    await session.query('select * from t', [])
    expect(syncs).toEqual([])
    await session.query('insert into t select n from generate_series(2, 500) n', [])
    expect(syncs).toHaveLength(1)
    await session.close()
  })
})
