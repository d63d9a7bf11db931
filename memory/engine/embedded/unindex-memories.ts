import type { Queryable } from '../../../runtime/store/sql.ts'
import { forgetMemories, type Touched } from '../knowledge/forget-memories.ts'

interface ChunkRow {
  readonly no: number
  readonly memory_id: string
  readonly length: number
  readonly terms: readonly number[]
}

/** Takes memories out of the index; the lock on `engine_index` is the caller's. What they touched is swept by the caller too. */
export async function unindexMemories(tx: Queryable, ids: readonly string[]): Promise<Touched> {
  if (ids.length === 0) return { entities: [], edges: [] }
  const { rows } = await tx.query<ChunkRow>(
    'select no, memory_id, length, terms from engine_chunk where memory_id = any($1::text[])',
    [ids],
  )
  if (rows.length > 0) {
    await dropPostings(tx, rows)
    const length = rows.reduce((sum, row) => sum + row.length, 0)
    await tx.query(
      `update engine_index set memories = memories - $1, chunks = chunks - $2, length = length - $3, version = version + 1`,
      [new Set(rows.map((row) => row.memory_id)).size, rows.length, length],
    )
  }
  return forgetMemories(tx, ids)
}

async function dropPostings(tx: Queryable, rows: readonly ChunkRow[]): Promise<void> {
  const pairs = rows.flatMap((row) => row.terms.map((term) => ({ term, no: row.no })))
  await tx.query(
    `delete from engine_posting where ctid = any(array(select p.ctid from unnest($1::int[], $2::bigint[]) as u (term, no)
      cross join lateral (select ctid from engine_posting where term_id = u.term and chunk_no = u.no offset 0) p))`,
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
