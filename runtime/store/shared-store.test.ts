import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { MigrationFolder } from './migrate.ts'
import type { Sql } from './sql.ts'
import { createPglite } from './pglite/pglite-session.ts'
import { pristineStore, type PristineStore } from './testing/pristine-store.ts'
import type * as SharedStore from './testing/shared-store.ts'

type TestFile = typeof SharedStore

/** Of a sort each that the migrations of the product make. */
const schema = `create extension vector;
  create sequence turn start 5;
  create table thing (n int generated always as identity primary key, name text not null unique);
  create table part (of int not null references thing, body text not null);
  create table point (at vector(2) not null);
  create index point_near on point using hnsw (at vector_cosine_ops);
  insert into thing (name) values ('first'), ('it''s "second"')`

/** What the files before this one hold. They go on holding it. */
const held = globalThis as { sharedStores?: unknown }
const theirs = held.sharedStores

let migrations: MigrationFolder
let thisFile: TestFile
const open: Sql[] = []
let files = 0

beforeAll(async () => {
  held.sharedStores = []
  thisFile = await nextFile()
  const folder = await mkdtemp(join(tmpdir(), 'shared-store-'))
  await writeFile(join(folder, '0001-one.sql'), schema)
  migrations = { owner: 'test', folder: pathToFileURL(`${folder}/`) }
})
afterEach(async () => {
  for (const sql of open.splice(0)) await sql.close().catch(() => undefined)
})
afterAll(async () => {
  held.sharedStores = theirs
  await rm(migrations.folder, { recursive: true })
})

/** The module as the next test file loads it: anew. */
async function nextFile(): Promise<TestFile> {
  const query = `?file=${++files}`
  return (await import(/* @vite-ignore */ `./testing/shared-store.ts${query}`)) as TestFile
}

async function take(file = thisFile): Promise<Sql> {
  const sql = await file.openSharedSql([migrations], ['vector'])
  open.push(sql)
  return sql
}

async function answer(sql: Sql, ask: string): Promise<unknown> {
  const { rows } = await sql.query(ask)
  return Object.values(rows[0] ?? {})[0]
}

/** Which PGlite it is. */
function instanceOf(sql: Sql): Promise<unknown> {
  return answer(sql, 'select pg_postmaster_start_time()')
}

/** Each text of `make` by itself, whatever becomes of it. */
type Dirt = readonly [kind: string, make: readonly string[], ask: string, clean: unknown]

const cleaned: readonly Dirt[] = [
  [
    'rows',
    ["insert into thing (name) values ('mine')", "insert into part select n, 'x' from thing"],
    "select (select string_agg(n || name, ', ' order by n) from thing) || (select count(*) from part)",
    '1first, 2it\'s "second"0',
  ],
  [
    'the pages of many rows',
    ["insert into part select 1, repeat('x', 100) from generate_series(1, 2000)"],
    "select pg_relation_size('part') > 80_000",
    false,
  ],
  [
    'vectors in an index',
    ["insert into point select format('[1,%s]', n)::vector from generate_series(1, 9) n"],
    "select pg_relation_size('point')::int",
    0,
  ],
  [
    'the loss of rows that a migration made',
    ['delete from thing', 'delete from migration'],
    'select (select count(*) from thing) * 10 + (select count(*) from migration)',
    21,
  ],
  [
    'another value in such a row',
    ["update thing set name = 'mine' where n = 1"],
    'select name from thing where n = 1',
    'first',
  ],
  ['a sequence that went on', ["select nextval('turn')"], "select nextval('turn')", 5],
  ['a sequence set elsewhere', ["select setval('turn', 9, false)"], "select nextval('turn')", 5],
  ['an identity that went on', ["insert into thing (name) values ('mine')"], "select nextval('thing_n_seq')", 3],
  ['a channel listened to', ['listen hints'], 'select count(*)::int from pg_listening_channels()', 0],
  ['a setting', ["set work_mem = '7MB'"], "select current_setting('work_mem')", '4MB'],
  ['a path', ['set search_path to pg_catalog'], "select current_setting('search_path')", 'public'],
  [
    'a prepared statement',
    ['prepare mine as select 1'],
    "select count(*)::int from pg_prepared_statements where name = 'mine'",
    0,
  ],
  ['a temporary table', ['create temp table mine ()'], "select to_regclass('mine')", null],
  [
    'an advisory lock',
    ['select pg_advisory_lock(7)'],
    "select count(*)::int from pg_locks where locktype = 'advisory'",
    0,
  ],
  [
    'an open transaction',
    ['begin', "insert into thing (name) values ('mine')"],
    'select txid_current_if_assigned()',
    null,
  ],
  ['a failed transaction', ['begin', 'select 1 / 0'], 'select 1', 1],
  ['a schema', ['create schema mine', 'create table mine.one ()'], "select to_regnamespace('mine')", null],
  [
    'a table with what belongs to it',
    [
      'create table mine (n serial primary key, of int references thing)',
      'create view seen as select * from mine',
      'create materialized view kept as select 1 as one',
    ],
    "select count(*)::int from pg_class where relname ~ '^(mine|seen|kept)'",
    0,
  ],
  ['a sequence', ['create sequence mine'], "select to_regclass('mine')", null],
  [
    'a function',
    ["create function mine(n int) returns int language sql as 'select n'"],
    "select to_regproc('mine')",
    null,
  ],
  [
    'what the planner knows',
    ["insert into thing (name) values ('mine')", 'analyze thing'],
    `select (select count(*) from pg_statistic where starelid = 'thing'::regclass)
      + (select reltuples from pg_class where oid = 'thing'::regclass)`,
    -1,
  ],
  [
    'counted work',
    ["insert into part values (1, 'x')", 'select pg_stat_force_next_flush()'],
    "select n_tup_ins from pg_stat_user_tables where relname = 'part'",
    0,
  ],
]

const thrownAway: readonly Dirt[] = [
  ['a database', ['create database mine'], "select count(*)::int from pg_database where datname = 'mine'", 0],
  [
    'a setting of the server',
    ["alter system set work_mem = '7MB'"],
    "select count(*)::int from pg_file_settings where sourcefile ~ 'auto.conf'",
    0,
  ],
]

const seen = [
  ['a role', 'create role mine'],
  ['a setting of the role', "alter role current_user set work_mem = '7MB'"],
  ['a table less', 'drop table part'],
  ['a column more', 'alter table part add column mine int'],
  ['an index more', 'create index mine on part (of)'],
  ['a constraint less', 'alter table part drop constraint part_of_fkey'],
  ['a table with another name', 'alter table part rename to mine'],
  ['an unlogged table', 'alter table part set unlogged'],
  ['triggers that are off', 'alter table part disable trigger all'],
  ['a type', "create type mine as enum ('a')"],
  ['a large object', 'select lo_create(7)'],
  ['a right', 'grant select on part to public'],
  ['an extension less', 'drop extension vector cascade'],
  ['a setting', "set work_mem = '7MB'"],
] as const

let pristine: Promise<PristineStore> | undefined
afterAll(async () => (await pristine)?.db.close())

async function openPristine(): Promise<PristineStore> {
  const db = await createPglite(undefined, ['vector'])
  await db.exec(schema)
  return pristineStore(db)
}

async function passOn([, make, ask, clean]: Dirt, next: () => Promise<TestFile>): Promise<boolean> {
  const sql = await take()
  expect(await answer(sql, ask)).toEqual(clean)
  const instance = await instanceOf(sql)
  for (const text of make) await sql.exec(text).catch(() => undefined)
  const taker = await take(await next())
  expect(await answer(taker, ask)).toEqual(clean)
  return (await instanceOf(taker)) === instance
}

describe('a store that another test file takes', () => {
  it.for(cleaned)('has lost %s', async (dirt) => {
    expect(await passOn(dirt, nextFile)).toBe(true)
  })

  it.for(thrownAway)('is a new one after %s', async (dirt) => {
    expect(await passOn(dirt, nextFile)).toBe(false)
  })
})

it.each(seen)('a store with %s is not what it was, and is again without it', async (_, make) => {
  const { db, isPristine } = await (pristine ??= openPristine())
  await db.exec('begin')
  await db.exec(make)
  expect(await isPristine()).toBe(false)
  await db.exec('rollback')
  expect(await isPristine()).toBe(true)
})

it('is emptied as well for the next test of the same file, once it is closed', async () => {
  const [dirt] = cleaned
  const closed = async (): Promise<TestFile> => {
    await open[0]!.close()
    return thisFile
  }
  expect(await passOn(dirt!, closed)).toBe(true)
})

it('is another one while a test of the same file has the first', async () => {
  const [one, other] = [await take(), await take()]
  await one.exec("insert into thing (name) values ('mine')")
  expect(await answer(other, 'select count(*)::int from thing')).toBe(2)
})

it('gives nothing to who closed it', async () => {
  const sql = await take()
  await sql.close()
  for (const ask of [sql.query('select 1'), sql.exec('select 1'), sql.close()])
    await expect(ask).rejects.toThrow('the store was closed')
})

it('gives nothing to a file that has ended, not even the rest of its transaction', async () => {
  const sql = await take()
  const { promise, resolve } = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const left = sql.tx(async (tx) => {
    await tx.query("insert into thing (name) values ('mine')")
    begun.resolve()
    await promise
    await tx.query("insert into thing (name) values ('late')")
  })
  const refused = expect(left).rejects.toThrow('has ended')
  await begun.promise
  const taker = await take(await nextFile())
  resolve()
  await refused
  await expect(sql.query('select 1')).rejects.toThrow('has ended')
  expect(await answer(taker, 'select count(*)::int from thing')).toBe(2)
})

it('keeps apart what two takers have prepared', async () => {
  const sql = await take()
  expect(await answer(sql, 'select 1 as mine')).toBe(1)
  const taker = await take(await nextFile())
  expect(await answer(taker, 'select 2 as yours')).toBe(2)
  expect(await answer(taker, 'select 1 as mine')).toBe(1)
})
