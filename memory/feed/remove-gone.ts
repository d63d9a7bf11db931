import type { Queryable } from '../../runtime/store/sql.ts'

/** Memories that were deleted while they were fed are due to be taken out of the engine again (F2); those that are there stay. */
export async function removeGone(sql: Queryable, ids: readonly string[], now: number): Promise<void> {
  await sql.query(
    `insert into memory_removal (memory_id, due_at)
    select id, $2 from unnest($1::text[]) as u (id) where not exists (select from memory m where m.id = u.id)
    on conflict (memory_id) do update set due_at = excluded.due_at`,
    [ids, now],
  )
}
