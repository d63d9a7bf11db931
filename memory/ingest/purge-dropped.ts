import type { Sql } from '../../runtime/store/sql.ts'
import { deleteMemories } from '../memories/delete-memories.ts'

const filesAtOnce = 200

/** Files that a job purges and that bring no items: their memories go first (INGEST-RULE-1). Gives how many went in all. */
export async function purgeDropped(sql: Sql, job: string, repo: string, now: () => number): Promise<number> {
  while ((await purgeSome(sql, job, repo, now())) > 0);
  const { rows } = await sql.query<{ purged: number }>(
    'select coalesce(sum(purged), 0)::int as purged from ingest_file where job = $1',
    [job],
  )
  return rows[0]!.purged
}

function purgeSome(sql: Sql, job: string, repo: string, now: number): Promise<number> {
  return sql.tx(async (tx) => {
    const { rows } = await tx.query<{ file: string }>(
      `select file from ingest_file f where job = $1 and not is_purged
        and not exists (select from ingest_item i where i.job = f.job and i.file = f.file)
      order by file limit ${filesAtOnce} for update`,
      [job],
    )
    for (const { file } of rows) {
      const gone = await deleteMemories(tx, { repo, files: [file] }, now)
      await tx.query('update ingest_file set is_purged = true, purged = $3 where job = $1 and file = $2', [
        job,
        file,
        gone.length,
      ])
    }
    return rows.length
  })
}
