import type { Queryable, Sql } from '../../../runtime/store/sql.ts'
import { addEdges, addEntities } from '../knowledge/add-knowledge.ts'
import { sweepKnowledge, type Touched } from '../knowledge/forget-memories.ts'
import { termsOf, tokenizerVersion } from '../text/tokenize.ts'
import type { PreparedMemory } from './prepare.ts'
import { unindexMemories } from './unindex-memories.ts'

interface ChunkRow {
  readonly no: number
  readonly memory_id: string
  readonly ord: number
}

/** What one transaction writes of a memory: small ones are one part. */
interface Part extends Omit<PreparedMemory, 'contentSha'> {
  /** The place of its first chunk in the memory. */
  readonly firstOrd: number
}

/**
 * One transaction writes so much, entities and edges being one each: a twentieth of a second on the embedded store, whose
 * only session others wait for (MEMORIES-19).
 */
const mostWeight = 200
const weightOfChunk = 10

/**
 * Puts memories into the index. One that is there with the same content, file and metadata stays as it is (P1); one that
 * changed is replaced. A memory is there as a whole or not at all, but for a large one, which is written in parts: until
 * its last part it has another hash, by which an attempt that came to no end is replaced by the next.
 */
export async function indexMemories(sql: Sql, given: readonly PreparedMemory[]): Promise<void> {
  for (const group of groupsOf(given)) {
    const [only] = group
    if (only !== undefined && weightOf(only) > mostWeight) await indexInParts(sql, only)
    else
      await sql.tx(async (tx) => {
        const { unknown, gone } = await replaceOthers(tx, group)
        if (unknown.length === 0) return
        await insertMemories(tx, unknown)
        await insertParts(
          tx,
          unknown.map((one) => ({ ...one, firstOrd: 0 })),
        )
        await sweepKnowledge(tx, gone)
      })
  }
}

function weightOf({ chunks, entities, edges }: PreparedMemory): number {
  return chunks.length * weightOfChunk + entities.length + edges.length
}

/** As many as one transaction takes, in their order. */
function groupsOf(given: readonly PreparedMemory[]): PreparedMemory[][] {
  const groups: PreparedMemory[][] = []
  let left = 0
  for (const one of given) {
    const weight = weightOf(one)
    if (weight > left) [left] = [mostWeight, groups.push([])]
    groups.at(-1)!.push(one)
    left -= weight
  }
  return groups
}

async function indexInParts(sql: Sql, given: PreparedMemory): Promise<void> {
  const { memory } = given
  const draftSha = await sql.tx(async (tx) => {
    const { unknown, gone, version } = await replaceOthers(tx, [given])
    if (unknown.length === 0) return undefined
    const contentSha = `unfinished ${version}`
    await insertMemories(tx, [{ ...given, contentSha }])
    await sweepKnowledge(tx, gone)
    await tx.query('update engine_index set version = version + 1')
    return contentSha
  })
  if (draftSha === undefined) return
  const write = (run: (tx: Queryable) => Promise<unknown>): Promise<void> =>
    sql.tx(async (tx) => {
      await tx.query('select from engine_index for update')
      const { rowCount } = await tx.query('select from engine_memory where memory_id = $1 and content_sha = $2', [
        memory.id,
        draftSha,
      ])
      if (rowCount === 0) throw new Error('the memory was taken out of the index while it was put in')
      await run(tx)
    })
  for (const part of partsOf(given)) await write((tx) => insertParts(tx, [part]))
  await write((tx) =>
    tx.query('update engine_memory set content_sha = $2 where memory_id = $1', [memory.id, given.contentSha]),
  )
}

/** Edges come after their ends, and chunks after what they mention. */
function partsOf({ memory, entities, edges, chunks }: PreparedMemory): Part[] {
  const none = { memory, entities: [], edges: [], chunks: [], firstOrd: 0 }
  const perPart = Math.floor(mostWeight / weightOfChunk)
  return [
    ...slices(entities, mostWeight).map((slice) => ({ ...none, entities: slice })),
    ...slices(edges, mostWeight).map((slice) => ({ ...none, edges: slice })),
    ...slices(chunks, perPart).map((slice, at) => ({ ...none, chunks: slice, firstOrd: at * perPart })),
  ]
}

function slices<T>(items: readonly T[], length: number): (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / length) }, (_, at) =>
    items.slice(at * length, (at + 1) * length),
  )
}

interface Replaced {
  /** Those that the index does not hold as they are. */
  readonly unknown: readonly PreparedMemory[]
  /** What the ones before them said. */
  readonly gone: Touched
  readonly version: number
}

/** Locks the index, and takes out of it what is there in another form. */
async function replaceOthers(tx: Queryable, given: readonly PreparedMemory[]): Promise<Replaced> {
  const { rows } = await tx.query<{ version: number }>('select version from engine_index for update')
  const held = await heldOnes(tx, given)
  const unknown = given.filter((one) => held.get(one.memory.id) !== 'same')
  const changed = unknown.filter((one) => held.has(one.memory.id)).map((one) => one.memory.id)
  return { unknown, gone: await unindexMemories(tx, changed), version: rows[0]!.version }
}

/** A memory counts from its first chunk on. */
async function insertParts(tx: Queryable, parts: readonly Part[]): Promise<void> {
  const terms = await countTerms(tx, parts)
  const chunks = await insertChunks(tx, parts, terms)
  await insertPostings(tx, parts, terms, chunks)
  await addEntities(
    tx,
    parts.flatMap((one) => one.entities),
  )
  await nameEntities(tx, parts)
  await addEdges(
    tx,
    parts.flatMap((one) => one.edges),
  )
  await insertMentions(tx, parts, chunks)
  const all = parts.flatMap((one) => one.chunks)
  await tx.query(
    `update engine_index set memories = memories + $4, chunks = chunks + $1, length = length + $2, version = version + 1,
      tokenizer = $3`,
    [
      all.length,
      all.reduce((sum, chunk) => sum + chunk.length, 0),
      tokenizerVersion,
      parts.filter(({ firstOrd, chunks: own }) => firstOrd === 0 && own.length > 0).length,
    ],
  )
}

async function heldOnes(
  tx: Queryable,
  given: readonly PreparedMemory[],
): Promise<ReadonlyMap<string, 'same' | 'other'>> {
  const { rows } = await tx.query<{ id: string; state: 'same' | 'other' }>(
    `select m.memory_id as id, case when m.content_sha = u.sha and m.repo = u.repo and m.file is not distinct from u.file
        and m.metadata = u.metadata::jsonb then 'same' else 'other' end as state
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) as u (id, sha, repo, file, metadata)
    join engine_memory m on m.memory_id = u.id`,
    memoryColumns(given),
  )
  return new Map(rows.map((row) => [row.id, row.state]))
}

function memoryColumns(given: readonly PreparedMemory[]): unknown[] {
  return [
    given.map((one) => one.memory.id),
    given.map((one) => one.contentSha),
    given.map((one) => one.memory.repo),
    given.map((one) => one.memory.file),
    given.map((one) => JSON.stringify(one.memory.metadata)),
  ]
}

async function insertMemories(tx: Queryable, given: readonly PreparedMemory[]): Promise<void> {
  await tx.query(
    `insert into engine_memory (memory_id, content_sha, repo, file, metadata)
    select id, sha, repo, file, metadata::jsonb
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) as u (id, sha, repo, file, metadata)`,
    memoryColumns(given),
  )
}

/** The id of each term. */
async function countTerms(tx: Queryable, given: readonly Part[]): Promise<ReadonlyMap<string, number>> {
  const chunksOf = new Map<string, number>()
  for (const { terms } of given.flatMap((one) => one.chunks)) {
    for (const term of terms.keys()) chunksOf.set(term, (chunksOf.get(term) ?? 0) + 1)
  }
  const { rows } = await tx.query<{ id: number; text: string }>(
    `insert into engine_term as t (text, chunks) select * from unnest($1::text[], $2::int[])
    on conflict (text) do update set chunks = t.chunks + excluded.chunks returning id, text`,
    [[...chunksOf.keys()], [...chunksOf.values()]],
  )
  return new Map(rows.map((row) => [row.text, row.id]))
}

type ChunkNumbers = (memoryId: string, ord: number) => number

async function insertChunks(
  tx: Queryable,
  given: readonly Part[],
  terms: ReadonlyMap<string, number>,
): Promise<ChunkNumbers> {
  const chunks = given.flatMap(({ memory, firstOrd, chunks }) =>
    chunks.map((chunk, at) => ({ memoryId: memory.id, ord: firstOrd + at, chunk })),
  )
  const { rows } = await tx.query<ChunkRow>(
    `insert into engine_chunk (memory_id, ord, content, length, terms)
    select memory_id, ord, content, length, terms::int[]
    from unnest($1::text[], $2::int[], $3::text[], $4::int[], $5::text[]) as u (memory_id, ord, content, length, terms)
    returning no, memory_id, ord`,
    [
      chunks.map((one) => one.memoryId),
      chunks.map((one) => one.ord),
      chunks.map((one) => one.chunk.content),
      chunks.map((one) => one.chunk.length),
      chunks.map((one) => `{${[...one.chunk.terms.keys()].map((term) => terms.get(term)!).join(',')}}`),
    ],
  )
  const numbers = new Map(rows.map((row) => [`${row.memory_id} ${row.ord}`, row.no]))
  return (memoryId, ord) => numbers.get(`${memoryId} ${ord}`)!
}

async function insertPostings(
  tx: Queryable,
  given: readonly Part[],
  ids: ReadonlyMap<string, number>,
  chunks: ChunkNumbers,
): Promise<void> {
  const [terms, numbers, counts, lengths]: number[][] = [[], [], [], []]
  for (const one of given) {
    for (const [at, chunk] of one.chunks.entries()) {
      const no = chunks(one.memory.id, one.firstOrd + at)
      for (const [term, count] of chunk.terms) {
        terms!.push(ids.get(term)!)
        numbers!.push(no)
        counts!.push(count)
        lengths!.push(chunk.length)
      }
    }
  }
  await tx.query(
    `insert into engine_posting (term_id, chunk_no, count, length)
    select * from unnest($1::int[], $2::bigint[], $3::int[], $4::int[])`,
    [terms, numbers, counts, lengths],
  )
}

/** By which words of a query each entity is found. */
async function nameEntities(tx: Queryable, given: readonly Part[]): Promise<void> {
  const keys = [...new Set(given.flatMap((one) => one.entities.map((entity) => entity.key)))]
  const { rows } = await tx.query<{ id: string; name: string }>(
    `select id, name from knowledge_entity e where key = any($1::text[])
    and not exists (select from engine_entity_term t where t.entity_id = e.id)`,
    [keys],
  )
  const named = rows.flatMap(({ id, name }) => {
    const terms = [...termsOf(name).keys()]
    return terms.map((term) => ({ term, id, ofTerms: terms.length }))
  })
  await tx.query(
    `insert into engine_entity_term (term, entity_id, of_terms) select * from unnest($1::text[], $2::uuid[], $3::int[])
    on conflict do nothing`,
    [named.map((one) => one.term), named.map((one) => one.id), named.map((one) => one.ofTerms)],
  )
}

async function insertMentions(tx: Queryable, given: readonly Part[], chunks: ChunkNumbers): Promise<void> {
  const rows = given.flatMap(({ memory, firstOrd, chunks: of }) =>
    of.flatMap(({ mentions }, at) => mentions.map((one) => ({ ...one, no: chunks(memory.id, firstOrd + at) }))),
  )
  await tx.query(
    `insert into engine_mention (chunk_no, entity_id, count) select * from unnest($1::bigint[], $2::uuid[], $3::int[])`,
    [rows.map((one) => one.no), rows.map((one) => one.entityId), rows.map((one) => one.count)],
  )
}
