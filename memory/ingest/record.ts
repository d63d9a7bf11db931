/**
 * What the memories of each file of a repository were made from (REPO-INGEST-11). A file stands here while all memories
 * of it that came with its digest are stored: whatever deletes one of them deletes its line in the same transaction.
 */
import type { Queryable } from '../../runtime/store/sql.ts'

interface RecordedFile {
  readonly file: string
  readonly digest: string
}

/**
 * Writes the files of a job that ended down: those whose items are all stored, also where other items failed. The locks
 * make a deletion that is under way either seen here or find the line. Inside the transaction that deletes the items.
 */
export async function recordFiles(tx: Queryable, job: string, repo: string): Promise<void> {
  await tx.query(
    `select from memory where id in (select memory_id from ingest_item where job = $1 and digest is not null)
    order by id for key share`,
    [job],
  )
  await tx.query(
    `insert into ingest_record (repo, file, digest)
    select $2, i.file, min(i.digest) from ingest_item i left join memory m on m.id = i.memory_id
    where i.job = $1 and i.file is not null group by i.file
    having count(*) = count(i.digest) and count(*) = count(i.outcome) and count(*) = count(m.id)
    on conflict (repo, file) do update set digest = excluded.digest`,
    [job, repo],
  )
}

/** The commit that a job which succeeded as a whole came with, if it came with one. */
export async function recordCommit(tx: Queryable, job: string, finishedAt: string): Promise<void> {
  await tx.query(
    `insert into ingest_commit (repo, commit, finished_at)
    select repo, commit, $2 from ingest_job where id = $1 and commit is not null
    on conflict (repo) do update set commit = excluded.commit, finished_at = excluded.finished_at`,
    [job, Date.parse(finishedAt)],
  )
}

/** In the order of their names, behind `after`; one more than asked for when there are more. */
export async function recordedFiles(
  sql: Queryable,
  repo: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly RecordedFile[]> {
  const { rows } = await sql.query<RecordedFile>(
    'select file, digest from ingest_record where repo = $1 and file > $2 order by file limit $3',
    [repo, after, limit + 1],
  )
  return rows
}

export async function recordedCommit(
  sql: Queryable,
  repo: string,
): Promise<{ readonly commit: string; readonly finished_at: number } | undefined> {
  const { rows } = await sql.query<{ commit: string; finished_at: number }>(
    'select commit, finished_at from ingest_commit where repo = $1',
    [repo],
  )
  return rows[0]
}
