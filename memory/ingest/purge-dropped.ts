import type { Clock } from '../../runtime/clock.ts'
import { deleteMemories } from '../memories/delete-memories.ts'
import { logDeleted, type Deleted, type DeletionLogDeps } from './deletion-log.ts'

interface PurgeDroppedDeps extends DeletionLogDeps {
  readonly clock: Pick<Clock, 'now'>
}

const filesAtOnce = 200

/** Files that a job purges and that bring no items: their memories go first (INGEST-RULE-1). Gives how many went in all. */
export async function purgeDropped(deps: PurgeDroppedDeps, job: string, repo: string): Promise<number> {
  while ((await purgeSome(deps, job, repo)) > 0);
  const { rows } = await deps.sql.query<{ purged: number }>(
    'select coalesce(sum(purged), 0)::int as purged from ingest_file where job = $1',
    [job],
  )
  return rows[0]!.purged
}

async function purgeSome(deps: PurgeDroppedDeps, job: string, repo: string): Promise<number> {
  const now = deps.clock.now()
  const deleted: Deleted[] = []
  const files = await deps.sql.tx(async (tx) => {
    deleted.length = 0
    const { rows } = await tx.query<{ file: string }>(
      `select file from ingest_file f where job = $1 and not is_purged
        and not exists (select from ingest_item i where i.job = f.job and i.file = f.file)
      order by file limit ${filesAtOnce} for update`,
      [job],
    )
    for (const { file } of rows) {
      const gone = await deleteMemories(tx, { repo, files: [file] }, now)
      deleted.push(...gone.map((id) => ({ id, reason: 'reconciled' as const })))
      await tx.query('update ingest_file set is_purged = true, purged = $3 where job = $1 and file = $2', [
        job,
        file,
        gone.length,
      ])
    }
    return rows.length
  })
  await logDeleted(deps, job, deleted, now)
  return files
}
