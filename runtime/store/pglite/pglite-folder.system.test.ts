import { fork } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { takeKernelLock } from '../lock/kernel-lock.ts'
import { openFolderSql } from './pglite-folder.ts'

/** Takes the store, says so, and holds it until it is killed. */
const holder = fileURLToPath(new URL('../testing/store-lock-holder.ts', import.meta.url))

describe('the embedded store over a folder', () => {
  let root: string
  let folder: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'statewright-folder-'))
    folder = join(root, 'db')
  })
  afterEach(() => rm(root, { recursive: true }))

  it('is made beside its folder and put there whole; what a start that was killed left is thrown away', async () => {
    await mkdir(`${folder}.new`)
    await writeFile(join(`${folder}.new`, 'PG_VERSION'), 'half')
    const sql = await openFolderSql(folder)
    await sql.close()
    expect((await readdir(root)).filter((name) => !name.includes('lock'))).toEqual(['db'])
  })

  it('leaves a folder alone that holds something else', async () => {
    await mkdir(folder)
    await writeFile(join(folder, 'letter.txt'), 'dear')
    await expect(openFolderSql(folder)).rejects.toThrow('is not empty and holds no database')
    expect(await readdir(folder)).toEqual(['letter.txt'])
  })

  it('opens a folder that PGlite made by itself, as earlier versions had it', async () => {
    const { PGlite } = await import('@electric-sql/pglite')
    const earlier = await PGlite.create(folder)
    await earlier.exec('create table kept (n int); insert into kept values (7)')
    await earlier.close()
    const sql = await openFolderSql(folder)
    expect((await sql.query('select n from kept')).rows).toEqual([{ n: 7 }])
    await sql.close()
  })

  it('opens a folder whose last process died between making its postmaster.pid and writing it', async () => {
    const earlier = await openFolderSql(folder)
    await earlier.exec('create table kept (n int); insert into kept values (7)')
    await earlier.close()
    await writeFile(join(folder, 'postmaster.pid'), '')
    const sql = await openFolderSql(folder)
    expect((await sql.query('select n from kept')).rows).toEqual([{ n: 7 }])
    await sql.close()
  })

  it('has Postgres sync whatever its own settings and those of earlier versions say', async () => {
    const setUp = await openFolderSql(folder)
    await setUp.exec('alter system set fsync = off')
    await setUp.exec('alter system set full_page_writes = off')
    await setUp.exec('alter role postgres set synchronous_commit = off')
    await setUp.close()
    const sql = await openFolderSql(folder)
    expect(sql.durability).toBe('power-loss')
    const { rows } = await sql.query<{ setting: string }>(
      "select setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')",
    )
    expect(rows.map((row) => row.setting)).toEqual(['on', 'on', 'on'])
    await sql.close()
  })

  it('has half the buffers of a server, which Postgres fills at the start and never gives back', async () => {
    const sql = await openFolderSql(folder)
    const { rows } = await sql.query<{ name: string; setting: string }>(
      `select name, current_setting(name) as setting from pg_settings where name in ('shared_buffers', 'wal_buffers') order by name`,
    )
    await sql.close()
    expect(rows.map(({ setting }) => setting)).toEqual(['64MB', '4MB'])
  })

  it('keeps timers and sockets of the process going while a query takes long', async () => {
    const sql = await openFolderSql(folder)
    let beats = 0
    const heart = setInterval(() => beats++, 1)
    await sql.query('select count(*) from generate_series(1, 2000000) n where md5(n::text) < $1', ['0'])
    clearInterval(heart)
    expect(beats).toBeGreaterThan(20)
    await sql.close()
  })

  it('says that it is lost when Postgres panics, lets nobody wait, and can be closed', async () => {
    const sql = await openFolderSql(folder)
    await sql.exec('create table t (n int)')
    await rm(join(folder, 'pg_wal'), { recursive: true })
    await expect(sql.query('insert into t select 1 from pg_switch_wal()')).rejects.toMatchObject({
      code: 'unreachable',
    })
    await expect(sql.query('select 1')).rejects.toMatchObject({ code: 'unreachable' })
    expect((await sql.lost)?.message).toContain('the embedded store failed')
    await sql.close()
  })

  it('is not lost when it is closed', async () => {
    const sql = await openFolderSql(folder)
    let isLost = false
    void sql.lost?.then(() => (isLost = true))
    await sql.close()
    await expect(sql.query('select 1')).rejects.toMatchObject({ code: 'unreachable' })
    expect(isLost).toBe(false)
  })

  it('checkpoints and vacuums by itself, also when a failed transaction stood in the way', async () => {
    const sql = await openFolderSql(folder)
    const redo = async (): Promise<unknown> =>
      (await sql.query('select redo_lsn::text as redo from pg_control_checkpoint()')).rows[0]?.['redo']
    const fill = 'insert into bulk select repeat(md5(n::text), 32 + 0 / (70000 - n)) from generate_series(1, $1::int) n'
    await sql.exec('create table bulk (body text)')
    const atFirst = await redo()
    await expect(sql.tx((tx) => tx.query(fill, [70_000]))).rejects.toThrow('division by zero')
    const afterFailure = await redo()
    expect(afterFailure).not.toBe(atFirst)
    await sql.query(fill, [30_000])
    await sql.query('delete from bulk')
    await sql.query(fill, [60_000])
    expect(await redo()).not.toBe(afterFailure)
    const { rows } = await sql.query("select vacuum_count from pg_stat_user_tables where relname = 'bulk'")
    expect(rows[0]?.['vacuum_count']).toBeGreaterThan(0)
    await sql.close()
  })

  describe('is had by one opener at a time:', () => {
    it('a second one in this process is refused, and the first goes on', async () => {
      const sql = await openFolderSql(folder)
      await expect(openFolderSql(folder)).rejects.toMatchObject({ name: 'StoreLockedError' })
      expect((await sql.query('select 1 as one')).rows).toEqual([{ one: 1 }])
      await sql.close()
      await (await openFolderSql(folder)).close()
    })

    it('another process is refused, and has it with all of its rows once the first was killed', async () => {
      const child = fork(holder, [folder])
      await once(child, 'message')
      await expect(openFolderSql(folder)).rejects.toMatchObject({ name: 'StoreLockedError' })
      child.kill('SIGKILL')
      await once(child, 'exit')
      const sql = await openFolderSql(folder)
      expect((await sql.query('select n from held')).rows).toEqual([{ n: 1 }])
      await sql.close()
    })

    it('one whose process number means nothing here is noticed by the kernel', async () => {
      const elsewhere = takeKernelLock(`${folder}.lock.kernel`)
      await expect(openFolderSql(folder)).rejects.toThrow('a process that is not to be seen from here')
      await elsewhere?.release()
      expect(await readdir(root)).toEqual(['db.lock.kernel'])
    })

    it('a copy of the folder is another store', async () => {
      const sql = await openFolderSql(folder)
      await sql.close()
      await cp(folder, `${folder}2`, { recursive: true })
      const again = await openFolderSql(folder)
      await (await openFolderSql(`${folder}2`)).close()
      await again.close()
    })
  })
})
