import type { Queryable } from '../../../../runtime/store/sql.ts'
import type { ForgeComment } from '../../port.ts'
import { columnOf, type RepositoryKey } from './places.ts'
import type { Dismissal, MirroredComment, SubjectKey, WithdrawnWords } from '../facts/records.ts'

interface CommentRow {
  readonly document: string
  readonly bodyHash: string
  readonly editedBy: string | null
  readonly deletedAt: number | null
  readonly deletedBy: string | null
  readonly missingSince: number | null
  readonly withdrawal: string | null
  readonly dismissal: string | null
  readonly byMaintainer: boolean
  readonly told: boolean
  readonly heard: boolean
}

const columns = `document, body_hash as "bodyHash", edited_by as "editedBy", deleted_at as "deletedAt",
  deleted_by as "deletedBy", missing_since as "missingSince", withdrawal, dismissal, by_maintainer as "byMaintainer", told, heard`

function commentOf(row: CommentRow): MirroredComment {
  return {
    comment: JSON.parse(row.document) as ForgeComment,
    bodyHash: row.bodyHash,
    ...(row.editedBy === null ? {} : { editedBy: row.editedBy }),
    ...(row.deletedAt === null ? {} : { deletedAt: row.deletedAt }),
    ...(row.deletedBy === null ? {} : { deletedBy: row.deletedBy }),
    ...(row.missingSince === null ? {} : { missingSince: row.missingSince }),
    ...(row.withdrawal === null ? {} : { withdrawal: JSON.parse(row.withdrawal) as WithdrawnWords }),
    ...(row.dismissal === null ? {} : { dismissal: JSON.parse(row.dismissal) as Dismissal }),
    ...(row.byMaintainer ? { byMaintainer: true } : {}),
    notified: row.told,
    heard: row.heard,
  }
}

export async function loadComment(
  sql: Queryable,
  repositoryKey: RepositoryKey,
  id: string,
): Promise<MirroredComment | undefined> {
  const { rows } = await sql.query<CommentRow>(
    `select ${columns} from forge_comment where project = $1 and repository = $2 and id = $3 for update`,
    [repositoryKey.project, columnOf(repositoryKey), id],
  )
  return rows[0] && commentOf(rows[0])
}

/** The thread in the order in which it was written, deleted comments included. */
export async function loadThread(sql: Queryable, key: SubjectKey): Promise<readonly MirroredComment[]> {
  const { rows } = await sql.query<CommentRow>(
    `select ${columns} from forge_comment where project = $1 and repository = $2 and on_sort = $3 and number = $4 order by created_at, length(id), id`,
    [key.project, columnOf(key), key.kind, key.number],
  )
  return rows.map(commentOf)
}

/** Those of a thread that stand. */
export async function countComments(sql: Queryable, key: SubjectKey): Promise<number> {
  const { rows } = await sql.query<{ found: number }>(
    `select count(*)::int as found from forge_comment
     where project = $1 and repository = $2 and on_sort = $3 and number = $4 and deleted_at is null`,
    [key.project, columnOf(key), key.kind, key.number],
  )
  return rows[0]!.found
}

export async function upsertComment(sql: Queryable, repositoryKey: RepositoryKey, row: MirroredComment): Promise<void> {
  const { comment } = row
  await sql.query(
    `insert into forge_comment (project, repository, on_sort, number, id, sort, author, document, body_hash, edited_by, created_at, updated_at, deleted_at, deleted_by, missing_since, withdrawal, dismissal, by_maintainer, told, heard)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
     on conflict (project, repository, id) do update set document = excluded.document, body_hash = excluded.body_hash,
       edited_by = excluded.edited_by, updated_at = excluded.updated_at, deleted_at = excluded.deleted_at,
       deleted_by = excluded.deleted_by, missing_since = excluded.missing_since, withdrawal = excluded.withdrawal, dismissal = excluded.dismissal,
       by_maintainer = excluded.by_maintainer,
       told = forge_comment.told and excluded.told, heard = forge_comment.heard or excluded.heard`,
    [
      repositoryKey.project,
      columnOf(repositoryKey),
      comment.on,
      comment.number,
      comment.id,
      comment.sort,
      comment.author.login,
      JSON.stringify(comment),
      row.bodyHash,
      row.editedBy ?? null,
      comment.createdAt,
      comment.updatedAt,
      row.deletedAt ?? null,
      row.deletedBy ?? null,
      row.missingSince ?? null,
      row.withdrawal === undefined ? null : JSON.stringify(row.withdrawal),
      row.dismissal === undefined ? null : JSON.stringify(row.dismissal),
      row.byMaintainer === true,
      row.notified,
      row.heard,
    ],
  )
}

/** `heard`: their actor has them; without one nobody had to. */
export async function markCommentsTold(
  sql: Queryable,
  repositoryKey: RepositoryKey,
  ids: readonly string[],
  heard: boolean,
): Promise<void> {
  if (ids.length === 0) return
  await sql.query(
    'update forge_comment set told = true, heard = heard or $4 where project = $1 and repository = $2 and id = any($3::text[])',
    [repositoryKey.project, columnOf(repositoryKey), [...ids], heard],
  )
}

/** Ids of comments that grant, and that a reading missed; the first one counts. */
export async function markMissed(
  sql: Queryable,
  repositoryKey: RepositoryKey,
  ids: readonly string[],
  at: number,
): Promise<void> {
  if (ids.length === 0) return
  await sql.query(
    'update forge_comment set missing_since = $4 where project = $1 and repository = $2 and id = any($3::text[]) and missing_since is null',
    [repositoryKey.project, columnOf(repositoryKey), [...ids], at],
  )
}

/** Ids of comments that the forge no longer lists. */
export async function markDeleted(
  sql: Queryable,
  repositoryKey: RepositoryKey,
  ids: readonly string[],
  at: number,
): Promise<void> {
  if (ids.length === 0) return
  await sql.query(
    'update forge_comment set deleted_at = $4 where project = $1 and repository = $2 and id = any($3::text[]) and deleted_at is null',
    [repositoryKey.project, columnOf(repositoryKey), [...ids], at],
  )
}
