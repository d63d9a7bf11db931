import { readdir, readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openMemorySql } from '../../runtime/store/pglite/pglite-memory.ts'
import { memoryIdentity } from '../memories/identity.ts'
import type { Metadata } from '../memories/memory.ts'
import type { Sql } from '../../runtime/store/sql.ts'

const folder = new URL('./migrations/', import.meta.url)
const [keyed, unkeyed] = ['m-keyed', 'm-unkeyed']
const [one, other, edge] = [1, 2, 3].map((digit) => `00000000-0000-0000-0000-00000000000${digit}`)

let sql: Sql
beforeAll(async () => {
  sql = await openMemorySql(['vector'])
  await apply((name) => name < '0021')
  await sql.exec(`insert into memory (id, identity, content, metadata, repo, status, track_id, feed_at, created_at, updated_at)
      select id, id::bytea, 'text', '{}', '', 'ready', id, 0, 0, 0 from unnest(array['${keyed}', '${unkeyed}']) as id;
    insert into memory_key (repo, key, memory_id) values ('', 'k', '${keyed}');
    insert into knowledge_entity (id, key, name, type, description, is_described, metadata)
      values ('${one}', 'one', 'One', 'identifier', 'by ann', true, '{"owner": "ann"}'),
        ('${other}', 'other', 'Other', 'identifier', 'found in a text', false, '{}');
    insert into knowledge_edge (id, from_id, to_id, relation, description, tier, metadata, is_asserted)
      values ('${edge}', '${one}', '${other}', 'owns', 'by contract', 'EXTRACTED', '{"a": "1"}', true)`)
  await storeFiles()
  await storeNotes()
  await apply((name) => name >= '0021')
}, 120_000)
afterAll(() => sql?.close())

/** As an ingest of before wrote them: a file of two memories that were made from two versions, and one of a client without digests, too. */
async function storeFiles(): Promise<void> {
  const files = [
    ['a.ts', { kind: 'file', sha: 'sha-a' }],
    ['a.ts', { kind: 'file', sha: 'sha-a' }],
    ['two.ts', { kind: 'file', sha: 'sha-1' }],
    ['two.ts', { kind: 'file', sha: 'sha-2' }],
    ['bare.ts', {}],
    ['@commit/c1', { kind: 'commit', commit: 'c1' }],
    ['issue 7', { kind: 'issue' }],
  ] as const
  for (const [at, [file, metadata]] of files.entries())
    await sql.query(
      `insert into memory (id, identity, content, metadata, repo, file, status, track_id, feed_at, created_at, updated_at)
      values ($1::text, $1::text::bytea, 'text', $2, 'lib', $3, 'ready', $1::text, 0, 0, 0)`,
      [`m-${at}`, JSON.stringify(metadata), file],
    )
  const key = `issue:7:${'f'.repeat(40)}`
  await sql.query(`insert into memory_key (repo, key, memory_id) values ('lib', $1, 'm-6')`, [key])
}

const aboutVault = { repo: 'lib', file: 'src/vault.ts', topic: 'ü' }

/** Of one text; both would be about one file. */
const alike: readonly (readonly [id: string, metadata: Metadata])[] = [
  ['alike-1', { repo: 'app', file: 'src/door.ts' }],
  ['alike-2', { repo: 'app', file: 'src/gate.ts', about: 'src/door.ts' }],
]

/** A note of an agent that names a file, and one written by a program that has a key for it. */
async function storeNotes(): Promise<void> {
  for (const id of ['note', 'own']) await storeNote(id, `Why: ${id}`, aboutVault)
  for (const [id, metadata] of alike) await storeNote(id, 'Alike', metadata)
  await sql.query(`insert into memory_key (repo, key, memory_id) values ('lib', 'own', 'own')`)
}

async function storeNote(id: string, content: string, metadata: Metadata): Promise<void> {
  await sql.query(
    `insert into memory (id, identity, content, metadata, repo, file, status, track_id, feed_at, created_at, updated_at)
    values ($1, decode($2, 'hex'), $3, $4, $5, $6, 'ready', $1, 0, 0, 0)`,
    [
      id,
      memoryIdentity(content, metadata).toString('hex'),
      content,
      JSON.stringify(metadata),
      metadata['repo'],
      metadata['file'],
    ],
  )
}

async function apply(isWanted: (name: string) => boolean): Promise<void> {
  for (const name of (await readdir(folder)).toSorted())
    if (isWanted(name)) await sql.exec(await readFile(new URL(name, folder), 'utf8'))
}

test('a store of before has a record of the files that an ingest stored, and of none that it cannot name', async () => {
  const { rows } = await sql.query('select repo, file, digest from ingest_record order by file')
  expect(rows).toEqual([
    { repo: 'lib', file: '@commit/c1', digest: 'c1' },
    { repo: 'lib', file: 'a.ts', digest: 'sha-a' },
    { repo: 'lib', file: 'issue 7', digest: 'f'.repeat(40) },
  ])
})

test('a store of before keeps who stands for its memories, and what people wrote (MEMORIES-17, ENTITIES-11, EDGES-8)', async () => {
  const memories = await sql.query("select id, is_unkeyed from memory where repo = '' order by id")
  expect(memories.rows).toEqual([
    { id: keyed, is_unkeyed: false },
    { id: unkeyed, is_unkeyed: true },
  ])
  const notes = await sql.query('select entity_id as id, metadata, description from knowledge_note')
  expect(notes.rows).toEqual([{ id: one, metadata: { owner: 'ann' }, description: 'by ann' }])
  const assertions = await sql.query(
    'select edge_id, from_id, to_id, relation, description, metadata from knowledge_assertion',
  )
  expect(assertions.rows).toEqual([
    { edge_id: edge, from_id: one, to_id: other, relation: 'owns', description: 'by contract', metadata: { a: '1' } },
  ])
})

test('a note of before that names a file is about it from now on, and no push of the file takes it away', async () => {
  const { rows } = await sql.query(
    `select id, file, metadata, status, encode(identity, 'hex') as identity from memory where file is null and repo = 'lib'
      or id = 'own' order by id`,
  )
  const { file, ...others } = aboutVault
  const metadata = { ...others, about: file }
  expect(rows).toEqual([
    {
      id: 'note',
      file: null,
      metadata,
      status: 'processing',
      identity: memoryIdentity('Why: note', metadata).toString('hex'),
    },
    expect.objectContaining({ id: 'own', file, metadata: aboutVault, status: 'ready' }) as unknown,
  ])
})

test('of two notes of before that would be one from now on, the first is about the file and the other stays as it is', async () => {
  const { rows } = await sql.query(`select id, file, metadata from memory where repo = 'app' order by id`)
  expect(rows).toEqual([
    { id: 'alike-1', file: null, metadata: { repo: 'app', about: 'src/door.ts' } },
    { id: 'alike-2', file: 'src/gate.ts', metadata: alike[1]?.[1] },
  ])
})
