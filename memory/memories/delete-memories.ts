import type { Queryable } from '../../runtime/store/sql.ts'

/** Which memories go: keys of theirs go too, and readers see them no more from this commit on (INGEST-RULE-2). */
export type Doomed = { readonly ids: readonly string[] } | { readonly repo: string; readonly files: readonly string[] }

/**
 * Gives the ids of what is gone; each stands in `memory_removal` until the engine has let it go too, from `dueAt` on.
 */
export async function deleteMemories(tx: Queryable, doomed: Doomed, dueAt: number): Promise<readonly string[]> {
  const which =
    'ids' in doomed
      ? { text: 'id = any($2::text[])', params: [doomed.ids] }
      : {
          text: 'repo = $2 and file = any($3::text[])',
          params: [doomed.repo, doomed.files],
        }
  const { rows } = await tx.query<{ memory_id: string }>(
    `with gone as (delete from memory where ${which.text} returning id)
    insert into memory_removal (memory_id, due_at) select id, $1::bigint from gone
    on conflict (memory_id) do update set due_at = excluded.due_at
    returning memory_id`,
    [dueAt, ...which.params],
  )
  return rows.map((row) => row.memory_id)
}
