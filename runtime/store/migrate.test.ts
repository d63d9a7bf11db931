import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dumpSchema } from './testing/dump-schema.ts'
import { migrate, runtimeMigrations } from './migrate.ts'
import { openMemorySql } from './pglite/pglite-memory.ts'
import type { Sql } from './sql.ts'

describe('migrations', () => {
  let sql: Sql
  let folder: string

  beforeAll(async () => {
    sql = await openMemorySql()
    await migrate(sql)
    folder = await mkdtemp(join(tmpdir(), 'migrations-'))
  })
  afterAll(async () => {
    await sql.close()
    await rm(folder, { recursive: true })
  })

  it('make exactly the schema that is checked in', async () => {
    await expect(await dumpSchema(sql)).toMatchFileSnapshot('./schema.sql')
  })

  it('do nothing when they were applied already', async () => {
    await migrate(sql)
    const { rows } = await sql.query('select owner, name from migration')
    const files = (await readdir(runtimeMigrations.folder)).toSorted()
    expect(rows).toEqual(files.map((name) => ({ owner: 'runtime', name })))
  })

  it('of another folder are applied beside, in order, and all or none', async () => {
    const other = { owner: 'other', folder: pathToFileURL(`${folder}/`) }
    await writeFile(join(folder, '0001-one.sql'), 'create table one (id int primary key);')
    await writeFile(join(folder, '0002-two.sql'), 'insert into one values (1); insert into one values (1);')
    await expect(migrate(sql, [runtimeMigrations, other])).rejects.toMatchObject({ code: '23505' })
    await expect(sql.query('select * from one')).rejects.toMatchObject({ code: '42P01' })
    await writeFile(join(folder, '0002-two.sql'), 'insert into one values (1);')
    await migrate(sql, [runtimeMigrations, other])
    expect((await sql.query('select id from one')).rows).toEqual([{ id: 1 }])
  })

  it('that changed or vanished after they were applied are refused, every one named', async () => {
    const copy = join(folder, 'copy')
    await cp(new URL('./migrations/', import.meta.url), copy, { recursive: true })
    await writeFile(join(copy, '0001-actors.sql'), 'select 1;')
    const changed = { owner: 'runtime', folder: pathToFileURL(`${copy}/`) }
    const emptied = { owner: 'other', folder: pathToFileURL(`${copy}/`) }
    await expect(migrate(sql, [changed, emptied])).rejects.toMatchObject({
      name: 'MigrationError',
      message:
        'other/0001-one.sql was applied and is not in this version; other/0002-two.sql was applied and is not in this version; runtime/0001-actors.sql has changed since it was applied',
    })
  })
})
