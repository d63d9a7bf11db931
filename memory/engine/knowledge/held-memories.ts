import type { Queryable } from '../../../runtime/store/sql.ts'

export async function heldMemories(sql: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql.query<{ id: string }>(
    'select memory_id as id from engine_memory where memory_id = any($1::text[])',
    [ids],
  )
  return new Set(rows.map((row) => row.id))
}
