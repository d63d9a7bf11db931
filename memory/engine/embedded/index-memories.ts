import type { Queryable } from '../../../runtime/store/sql.ts'
import { addEdges, addEntities } from '../knowledge/add-knowledge.ts'
import { sweepKnowledge } from '../knowledge/forget-memories.ts'
import { termsOf, tokenizerVersion } from '../text/tokenize.ts'
import type { PreparedMemory } from './prepare.ts'
import { unindexMemories } from './unindex-memories.ts'

interface ChunkRow {
  readonly no: number
  readonly memory_id: string
  readonly ord: number
}

/**
 * Puts memories into the index, in one transaction of the caller's. One that is there with the same content, file and
 * metadata stays as it is (P1); one that changed is replaced.
 */
export async function indexMemories(tx: Queryable, given: readonly PreparedMemory[]): Promise<void> {
  await tx.query('select from engine_index for update')
  const held = await heldOnes(tx, given)
  const unknown = given.filter((one) => held.get(one.memory.id) !== 'same')
  if (unknown.length === 0) return
  const gone = await unindexMemories(
    tx,
    unknown.filter((one) => held.has(one.memory.id)).map((one) => one.memory.id),
  )
  await insertMemories(tx, unknown)
  const terms = await countTerms(tx, unknown)
  const chunks = await insertChunks(tx, unknown, terms)
  await insertPostings(tx, unknown, terms, chunks)
  await addEntities(
    tx,
    unknown.flatMap((one) => one.entities),
  )
  await nameEntities(tx, unknown)
  await addEdges(
    tx,
    unknown.flatMap((one) => one.edges),
  )
  await insertMentions(tx, unknown, chunks)
  await sweepKnowledge(tx, gone)
  const all = unknown.flatMap((one) => one.chunks)
  await tx.query(
    `update engine_index set memories = memories + $4, chunks = chunks + $1, length = length + $2, version = version + 1,
      tokenizer = $3`,
    [all.length, all.reduce((sum, chunk) => sum + chunk.length, 0), tokenizerVersion, unknown.length],
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
async function countTerms(tx: Queryable, given: readonly PreparedMemory[]): Promise<ReadonlyMap<string, number>> {
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
  given: readonly PreparedMemory[],
  terms: ReadonlyMap<string, number>,
): Promise<ChunkNumbers> {
  const chunks = given.flatMap(({ memory, chunks }) =>
    chunks.map((chunk, ord) => ({ memoryId: memory.id, ord, chunk })),
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
  given: readonly PreparedMemory[],
  ids: ReadonlyMap<string, number>,
  chunks: ChunkNumbers,
): Promise<void> {
  const [terms, numbers, counts, lengths]: number[][] = [[], [], [], []]
  for (const one of given) {
    for (const [ord, chunk] of one.chunks.entries()) {
      const no = chunks(one.memory.id, ord)
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
async function nameEntities(tx: Queryable, given: readonly PreparedMemory[]): Promise<void> {
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

async function insertMentions(tx: Queryable, given: readonly PreparedMemory[], chunks: ChunkNumbers): Promise<void> {
  const rows = given.flatMap(({ memory, chunks: of }) =>
    of.flatMap(({ mentions }, ord) => mentions.map((one) => ({ ...one, no: chunks(memory.id, ord) }))),
  )
  await tx.query(
    `insert into engine_mention (chunk_no, entity_id, count) select * from unnest($1::bigint[], $2::uuid[], $3::int[])`,
    [rows.map((one) => one.no), rows.map((one) => one.entityId), rows.map((one) => one.count)],
  )
}
