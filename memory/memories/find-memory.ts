import type { Queryable } from '../../runtime/store/sql.ts'
import { memoryColumns, type MemoryRow } from './memory.ts'

export async function findMemory(sql: Queryable, id: string): Promise<MemoryRow | undefined> {
  return (await findMemories(sql, [id]))[0]
}

/** In no order; unknown ids are left out. */
export async function findMemories(sql: Queryable, ids: readonly string[]): Promise<readonly MemoryRow[]> {
  const { rows } = await sql.query<MemoryRow>(`select ${memoryColumns} from memory where id = any($1::text[])`, [ids])
  return rows
}
