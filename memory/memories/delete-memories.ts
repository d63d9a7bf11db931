import type { Queryable } from '../../runtime/store/sql.ts'

/** Which memories go: keys of theirs go too, and readers see them no more from this commit on (INGEST-RULE-2). */
export type Doomed = { readonly ids: readonly string[] } | { readonly repo: string; readonly files: readonly string[] }

interface Gone {
  readonly id: string
  readonly repo: string
  readonly file: string | null
}

/**
 * Gives the ids of what is gone; each stands in `memory_removal` until the engine has let it go too, from `dueAt` on. The
 * record of an ingest loses their files (REPO-INGEST-13).
 */
export async function deleteMemories(tx: Queryable, doomed: Doomed, dueAt: number): Promise<readonly string[]> {
  const which =
    'ids' in doomed
      ? { text: 'id = any($2::text[])', params: [doomed.ids] }
      : {
          text: 'repo = $2 and file = any($3::text[])',
          params: [doomed.repo, doomed.files],
        }
  const { rows } = await tx.query<Gone>(
    `with gone as (delete from memory where ${which.text} returning id, repo, file),
    removed as (insert into memory_removal (memory_id, due_at) select id, $1::bigint from gone
      on conflict (memory_id) do update set due_at = excluded.due_at)
    select id, repo, file from gone`,
    [dueAt, ...which.params],
  )
  await forgetFiles(tx, rows)
  return rows.map(({ id }) => id)
}

/** What the service has of these files is no longer what an ingest sent. Of its own statement: one sees what came before it. */
async function forgetFiles(tx: Queryable, gone: readonly Gone[]): Promise<void> {
  const ofFiles = gone.filter(({ file }) => file !== null)
  if (ofFiles.length === 0) return
  await tx.query(
    `delete from ingest_record r using unnest($1::text[], $2::text[]) as gone (repo, file)
    where r.repo = gone.repo and r.file = gone.file`,
    [ofFiles.map(({ repo }) => repo), ofFiles.map(({ file }) => file)],
  )
}
