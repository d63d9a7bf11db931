/**
 * Vectors of the chunks, in a table for each number of dimensions, which an HNSW index has to know. Made when the first
 * vector comes, not by a migration: a store without pgvector serves all that needs no vectors. Its index is there before
 * its rows, so that no insert ever waits for a build.
 */
import type { Queryable, Sql } from '../../../runtime/store/sql.ts'
import type { QueryFilter } from '../port.ts'
import { chunkFilter, filterParams } from '../embedded/filter.ts'
import type { RankedChunk } from '../embedded/lexical.ts'

export interface ChunkVector {
  readonly no: number
  readonly vector: readonly number[]
}

/** pgvector's HNSW takes no more. */
const mostDimensions = 2_000
/** The index gives the nearest so many; more where a filter takes some of them away, which is as many as it gives. */
const searched = 200
const searchedFiltered = 1_000

/** Whether the store can hold vectors at all. */
export async function canHoldVectors(sql: Queryable): Promise<boolean> {
  return (await sql.query(`select from pg_extension where extname = 'vector'`)).rowCount > 0
}

/** No vector of this model will ever fit. */
export class WrongDimensions extends Error {}

export function tableOf(dimensions: number): string {
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > mostDimensions)
    throw new WrongDimensions(
      `the store cannot index vectors of ${dimensions} dimensions: use a model with 1 to ${mostDimensions}`,
    )
  return `engine_vector_${dimensions}`
}

async function ensureTable(sql: Queryable, dimensions: number): Promise<string> {
  const table = tableOf(dimensions)
  await sql.exec(`create table if not exists ${table} (
    chunk_no bigint not null references engine_chunk on delete cascade,
    model text not null,
    vector vector(${dimensions}) not null,
    primary key (chunk_no, model));
  create index if not exists ${table}_near on ${table} using hnsw (vector vector_cosine_ops)`)
  return table
}

export async function storeVectors(sql: Queryable, model: string, vectors: readonly ChunkVector[]): Promise<void> {
  if (vectors.length === 0) return
  const table = await ensureTable(sql, vectors[0]!.vector.length)
  // A chunk that went while its vector was made is nobody's.
  await sql.query(
    `insert into ${table} (chunk_no, model, vector)
    select u.no, $1, u.vector::vector from unnest($2::bigint[], $3::text[]) as u (no, vector)
    join engine_chunk c on c.no = u.no on conflict (chunk_no, model) do nothing`,
    [model, vectors.map((one) => one.no), vectors.map((one) => text(one.vector))],
  )
}

export interface ChunkText {
  readonly no: number
  readonly content: string
}

/** Chunks that have no vector of this model yet, oldest first. Before its first vector a model has no dimensions. */
export async function chunksWithoutVector(
  sql: Queryable,
  model: string,
  dimensions: number | undefined,
  limit: number,
): Promise<readonly ChunkText[]> {
  const missing =
    dimensions === undefined
      ? ''
      : `where not exists (select from ${tableOf(dimensions)} v where v.chunk_no = c.no and v.model = $2)`
  const params = dimensions === undefined ? [limit] : [limit, model]
  return (await sql.query<ChunkText>(`select no, content from engine_chunk c ${missing} order by no limit $1`, params))
    .rows
}

/** How many dimensions the vectors of a model have, when there are any. */
export async function dimensionsOf(sql: Queryable, model: string): Promise<number | undefined> {
  const tables = await sql.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relname ~ '^engine_vector_[0-9]+$' and relnamespace = current_schema()::regnamespace order by 1`,
  )
  for (const { name } of tables.rows) {
    const { rowCount } = await sql.query(`select from ${name} where model = $1 limit 1`, [model])
    if (rowCount > 0) return Number(name.slice('engine_vector_'.length))
  }
  return undefined
}

/** The nearest chunks by cosine that the filter lets through; `score` is the similarity. */
export async function rankByVector(
  sql: Sql,
  model: string,
  vector: readonly number[],
  limit: number,
  filter?: QueryFilter,
): Promise<RankedChunk[]> {
  const table = tableOf(vector.length)
  const wanted = Math.trunc(limit)
  const clause = chunkFilter(filter, 'c.no', 3)
  const params = [text(vector), model, ...filterParams(filter)]
  return sql.tx(async (tx) => {
    const { rowCount } = await tx.query(`select where to_regclass($1) is not null`, [table])
    if (rowCount === 0) return []
    await tx.exec(`set local hnsw.ef_search = ${clause === '' ? searched : searchedFiltered}`)
    const { rows } = await tx.query<RankedChunk>(
      `with near as (select chunk_no as no, 1 - (vector <=> $1::vector) as score from ${table} where model = $2
        order by vector <=> $1::vector limit ${clause === '' ? searched : searchedFiltered})
      select c.no, c.memory_id as "memoryId", c.ord, c.content, near.score from near join engine_chunk c using (no)
      where true ${clause} order by near.score desc, c.no limit ${wanted}`,
      params,
    )
    if (clause === '' || rows.length >= wanted) return [...rows]
    // The filter left too few of the nearest: all that it lets through are compared, which are few where it is narrow.
    const exact = await tx.query<RankedChunk>(
      `with passing as materialized (select c.no from engine_chunk c where true ${clause}),
      near as materialized (select v.chunk_no as no, 1 - (v.vector <=> $1::vector) as score
        from passing p join ${table} v on v.chunk_no = p.no and v.model = $2)
      select c.no, c.memory_id as "memoryId", c.ord, c.content, best.score
      from (select no, score from near order by score desc, no limit ${wanted}) best join engine_chunk c using (no)
      order by best.score desc, c.no`,
      params,
    )
    return [...exact.rows]
  })
}

function text(vector: readonly number[]): string {
  return `[${vector.join(',')}]`
}
