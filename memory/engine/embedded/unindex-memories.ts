import type { Queryable } from '../../../runtime/store/sql.ts'
import { forgetMemories, type Touched } from '../knowledge/forget-memories.ts'

interface ChunkRow {
  readonly no: number
  readonly length: number
  readonly terms: readonly number[]
}

/** Takes memories out of the index; the lock on `engine_index` is the caller's. What they touched is swept by the caller too. */
export async function unindexMemories(tx: Queryable, ids: readonly string[]): Promise<Touched> {
  const { rows } = await tx.query<ChunkRow>(
    'select no, length, terms from engine_chunk where memory_id = any($1::text[])',
    [ids],
  )
  if (rows.length > 0) {
    await dropPostings(tx, rows)
    await tx.query('update engine_index set chunks = chunks - $1, length = length - $2, version = version + 1', [
      rows.length,
      rows.reduce((sum, row) => sum + row.length, 0),
    ])
  }
  return forgetMemories(tx, ids)
}

async function dropPostings(tx: Queryable, rows: readonly ChunkRow[]): Promise<void> {
  const pairs = rows.flatMap((row) => row.terms.map((term) => ({ term, no: row.no })))
  await tx.query(
    `delete from engine_posting p using unnest($1::int[], $2::bigint[]) as u (term, no)
    where p.term_id = u.term and p.chunk_no = u.no`,
    [pairs.map((one) => one.term), pairs.map((one) => one.no)],
  )
  const counts = new Map<number, number>()
  for (const { term } of pairs) counts.set(term, (counts.get(term) ?? 0) + 1)
  await tx.query(
    `update engine_term t set chunks = t.chunks - u.chunks from unnest($1::int[], $2::int[]) as u (id, chunks)
    where t.id = u.id`,
    [[...counts.keys()], [...counts.values()]],
  )
  await tx.query('delete from engine_term where id = any($1::int[]) and chunks <= 0', [[...counts.keys()]])
}
