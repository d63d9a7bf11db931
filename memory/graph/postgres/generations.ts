import type { Queryable } from '../../../runtime/store/sql.ts'

/** A snapshot whose last part came longer ago than this is given up. */
const staleAfterMs = 24 * 60 * 60_000

export async function createGeneration(
  sql: Queryable,
  repo: string,
  createdAt: number,
  snapshotId: string | null = null,
): Promise<number> {
  const { rows } = await sql.query<{ id: number }>(
    `insert into code_graph_generation (repo, snapshot_id, created_at) values ($1, $2, $3)
    on conflict (repo, snapshot_id) do update set created_at = excluded.created_at returning id`,
    [repo, snapshotId, createdAt],
  )
  const [row] = rows
  if (row === undefined) throw new Error(`no generation was made for ${repo}`)
  return row.id
}

/** Readers see it from now on, so its snapshot id is free for another. */
export async function adoptGeneration(tx: Queryable, generation: number, finalPart: number): Promise<void> {
  await tx.query(
    `update code_graph_generation set shown_as = snapshot_id, snapshot_id = null, final_part = $2 where id = $1`,
    [generation, finalPart],
  )
  await tx.query('delete from code_graph_part where generation = $1', [generation])
}

/** Whether readers see what this final part ended: its sender did not hear the answer. */
export async function wasShown(sql: Queryable, repo: string, snapshotId: string, finalPart: number): Promise<boolean> {
  const { rowCount } = await sql.query(
    `select 1 from code_graph_generation g join code_graph c on c.generation = g.id
    where c.repo = $1 and g.shown_as = $2 and g.final_part = $3`,
    [repo, snapshotId, finalPart],
  )
  return rowCount > 0
}

export async function dropGeneration(tx: Queryable, generation: number): Promise<void> {
  await tx.query('delete from code_graph_generation where id = $1', [generation])
}

/** Takes away what pushes left that never ended. */
export async function sweepGenerations(sql: Queryable, repo: string, now: number): Promise<void> {
  await sql.query(
    `delete from code_graph_generation g where repo = $1 and created_at < $2
    and not exists (select 1 from code_graph c where c.generation = g.id)`,
    [repo, now - staleAfterMs],
  )
}
