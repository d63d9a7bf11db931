import type { ForgeSubjectKind } from '../../port.ts'
import type { Queryable } from '../../../../runtime/store/sql.ts'
import { columnOf, ofColumn, type RepositoryKey } from './places.ts'
import type { MirroredIssue, MirroredMergeRequest, MirroredSubject, SubjectOf, SubjectKey } from '../facts/records.ts'

interface SubjectRow {
  readonly project: string
  readonly repository: string
  readonly kind: 'issue' | 'mr'
  readonly number: number
  readonly document: string
  readonly notes: string
  readonly complete: boolean
  readonly updatedAt: number
  readonly seenAt: number
  readonly factsHash: string
  readonly revision: number
}

const columns = `project, repository, sort as "kind", number, document, notes, complete, updated_at as "updatedAt", seen_at as "seenAt", facts_hash as "factsHash", revision`

function subjectOf<Kind extends ForgeSubjectKind>(row: SubjectRow): SubjectOf<Kind> {
  const { document, notes, repository, ...rest } = row
  const parsed = { notes: JSON.parse(notes), [row.kind === 'issue' ? 'issue' : 'mergeRequest']: JSON.parse(document) }
  return { ...rest, ...ofColumn(repository), ...parsed } as SubjectOf<Kind>
}

export async function loadSubject<Kind extends ForgeSubjectKind>(
  sql: Queryable,
  key: SubjectKey & { readonly kind: Kind },
  lock = false,
): Promise<SubjectOf<Kind> | undefined> {
  const { rows } = await sql.query<SubjectRow>(
    `select ${columns} from forge_subject where project = $1 and repository = $2 and sort = $3 and number = $4${lock ? ' for update' : ''}`,
    [key.project, columnOf(key), key.kind, key.number],
  )
  return rows[0] && subjectOf<Kind>(rows[0])
}

export async function upsertSubject(sql: Queryable, subject: MirroredSubject): Promise<void> {
  const isIssue = subject.kind === 'issue'
  const record = isIssue ? subject.issue : subject.mergeRequest
  await sql.query(
    `insert into forge_subject (project, repository, sort, number, state, head_sha, head_branch, author, document, notes, complete, updated_at, seen_at, facts_hash, revision)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
     on conflict (project, repository, sort, number) do update set state = excluded.state, head_sha = excluded.head_sha,
       head_branch = excluded.head_branch, author = excluded.author, document = excluded.document, notes = excluded.notes, updated_at = excluded.updated_at`,
    [
      subject.project,
      columnOf(subject),
      subject.kind,
      subject.number,
      subject.notes.deleted === true ? 'gone' : record.state,
      isIssue ? null : subject.mergeRequest.headSha,
      isIssue ? null : subject.mergeRequest.headBranch,
      record.author.login,
      JSON.stringify(record),
      JSON.stringify(subject.notes),
      subject.complete,
      subject.updatedAt,
      subject.seenAt,
      subject.factsHash,
      subject.revision,
    ],
  )
}

export async function markComplete(sql: Queryable, key: SubjectKey): Promise<void> {
  await sql.query(
    'update forge_subject set complete = true where project = $1 and repository = $2 and sort = $3 and number = $4',
    [key.project, columnOf(key), key.kind, key.number],
  )
}

/** Something in its thread changed that was not read yet. */
export async function markIncomplete(sql: Queryable, key: SubjectKey): Promise<void> {
  await sql.query(
    'update forge_subject set complete = false where project = $1 and repository = $2 and sort = $3 and number = $4',
    [key.project, columnOf(key), key.kind, key.number],
  )
}

/** Whether one of these merge requests of the Project is merged. */
export async function isAnyMerged(
  sql: Queryable,
  project: string,
  repositoryKeys: readonly Omit<SubjectKey, 'project' | 'kind'>[],
): Promise<boolean> {
  if (repositoryKeys.length === 0) return false
  const { rowCount } = await sql.query(
    `select 1 from forge_subject where project = $1 and sort = 'mr' and state = 'merged'
       and (repository, number) in (select * from unnest($2::text[], $3::int[])) limit 1`,
    [project, repositoryKeys.map(columnOf), repositoryKeys.map(({ number }) => number)],
  )
  return rowCount > 0
}

/**
 * A telling takes the next number before it is told, and what stands at that moment is what it tells; undefined: another process
 * took the number. Until it is told nobody knows what the actor believes, so that every other telling meanwhile is told too.
 */
export async function claimRevision(
  sql: Queryable,
  key: SubjectKey,
  revision: number,
): Promise<MirroredSubject | undefined> {
  const { rows } = await sql.query<SubjectRow>(
    `update forge_subject set revision = $5, facts_hash = ''
     where project = $1 and repository = $2 and sort = $3 and number = $4 and revision = $5 - 1 returning ${columns}`,
    [key.project, columnOf(key), key.kind, key.number, revision],
  )
  return rows[0] && subjectOf(rows[0])
}

/** Remembers what its actor was told; a later telling of another process stands. */
export async function markTold(sql: Queryable, key: SubjectKey, revision: number, factsHash: string): Promise<void> {
  await sql.query(
    `update forge_subject set facts_hash = $6 where project = $1 and repository = $2 and sort = $3 and number = $4 and revision = $5`,
    [key.project, columnOf(key), key.kind, key.number, revision, factsHash],
  )
}

/** What the platform keeps informed: everything open, and of what is closed the newest that have an actor. */
interface ConcernedSubject {
  readonly number: number
  readonly revision: number
  readonly isOpen: boolean
}

const MOST_CLOSED = 1000

export async function listConcerned(
  sql: Queryable,
  { kind, ...repositoryKey }: Omit<SubjectKey, 'number'>,
): Promise<readonly ConcernedSubject[]> {
  const { rows } = await sql.query<ConcernedSubject>(
    `select number, revision, state = 'open' as "isOpen" from forge_subject
     where project = $1 and repository = $2 and sort = $3 and (state = 'open' or number in (
       select number from forge_subject where project = $1 and repository = $2 and sort = $3 and state <> 'open' and revision > 0
       order by updated_at desc limit $4)) order by updated_at desc, number`,
    [repositoryKey.project, columnOf(repositoryKey), kind, MOST_CLOSED],
  )
  return rows
}

/** What is not known to be gone and changed last then, by the forge's clock: `after` is left out, `until` is in. */
export async function listChangedWithin(
  sql: Queryable,
  { kind, ...repositoryKey }: Omit<SubjectKey, 'number'>,
  { after, until }: { readonly after: number; readonly until: number },
): Promise<readonly number[]> {
  const { rows } = await sql.query<Pick<SubjectKey, 'number'>>(
    `select number from forge_subject where project = $1 and repository = $2 and sort = $3 and state <> 'gone'
       and updated_at > $4 and updated_at <= $5 order by number`,
    [
      repositoryKey.project,
      columnOf(repositoryKey),
      kind,
      Math.max(after, -1),
      Math.min(until, Number.MAX_SAFE_INTEGER),
    ],
  )
  return rows.map(({ number }) => number)
}

/** Whose thread is not here whole, newest change first. */
export async function listIncomplete(
  sql: Queryable,
  repositoryKey: RepositoryKey,
  limit: number,
): Promise<readonly Pick<SubjectKey, 'kind' | 'number'>[]> {
  const { rows } = await sql.query<Pick<SubjectKey, 'kind' | 'number'>>(
    `select sort as "kind", number from forge_subject where project = $1 and repository = $2 and not complete
     order by updated_at desc, sort, number limit $3`,
    [repositoryKey.project, columnOf(repositoryKey), limit],
  )
  return rows
}

export interface SubjectFilter {
  readonly repository?: string
  readonly state?: string
  readonly headSha?: string
  readonly headBranch?: string
  /** Its page on the forge. */
  readonly url?: string
  readonly since?: number
  /** What follows this row of the same repository. */
  readonly after?: { readonly updatedAt: number; readonly number: number }
  readonly limit?: number
}

const MOST_ROWS = 1000

/** `repositoryKeys`: of one Project. */
async function listSubjects<Kind extends ForgeSubjectKind>(
  sql: Queryable,
  repositoryKeys: readonly RepositoryKey[],
  kind: Kind,
  filter: SubjectFilter,
): Promise<readonly SubjectOf<Kind>[]> {
  const [first] = repositoryKeys
  if (first === undefined) return []
  const { rows } = await sql.query<SubjectRow>(
    `select ${columns} from forge_subject where project = $1 and sort = $2 and repository = any($3::text[]) and ($4::text is null or state = $4)
       and ($5::text is null or head_sha = $5) and ($6::text is null or head_branch = $6)
       and ($7::text is null or strpos(document, $7) > 0) and updated_at >= $9
       and ($10::bigint is null or updated_at < $10 or (updated_at = $10 and number > $11)) order by updated_at desc, repository, number limit $8`,
    [
      first.project,
      kind,
      repositoryKeys
        .filter(({ repository }) => filter.repository === undefined || repository === filter.repository)
        .map(columnOf),
      filter.state ?? null,
      filter.headSha ?? null,
      filter.headBranch ?? null,
      // Read as text: what jsonb refuses, such as U+0000, may stand in any other document.
      filter.url === undefined ? null : `"url":${JSON.stringify(filter.url)}`,
      filter.limit ?? MOST_ROWS,
      filter.since ?? 0,
      filter.after?.updatedAt ?? null,
      filter.after?.number ?? null,
    ],
  )
  return rows.map((row) => subjectOf<Kind>(row))
}

export function listIssues(
  sql: Queryable,
  repositoryKeys: readonly RepositoryKey[],
  filter: SubjectFilter,
): Promise<readonly MirroredIssue[]> {
  return listSubjects(sql, repositoryKeys, 'issue', filter)
}

export function listMergeRequests(
  sql: Queryable,
  repositoryKeys: readonly RepositoryKey[],
  filter: SubjectFilter,
): Promise<readonly MirroredMergeRequest[]> {
  return listSubjects(sql, repositoryKeys, 'mr', filter)
}
