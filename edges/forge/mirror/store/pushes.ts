import type { Queryable } from '../../../../runtime/store/sql.ts'
import type { ForgeAccount } from '../../port.ts'
import { columnOf, type RepositoryKey } from './places.ts'

/** One try of a pod to push, as the gateway judged it. */
export interface PushAudit extends RepositoryKey {
  readonly task: string
  readonly pod: string
  readonly ref: string
  readonly before: string
  readonly after: string
  readonly outcome: 'accepted' | 'refused' | 'failed'
  readonly reason?: string
  readonly at: number
}

export async function insertPush(sql: Queryable, push: PushAudit): Promise<void> {
  await sql.query(
    `insert into forge_push (project, repository, task, pod, ref, before, after, outcome, reason, at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      push.project,
      columnOf(push),
      push.task,
      push.pod,
      push.ref,
      push.before,
      push.after,
      push.outcome,
      push.reason ?? null,
      push.at,
    ],
  )
}

/** As forges write that there is no commit. */
export const NO_COMMIT = '0'.repeat(40)

/** A push that a signed delivery names. */
interface DeliveredPush extends RepositoryKey {
  readonly ref: string
  readonly before: string
  readonly after: string
  readonly by: Pick<ForgeAccount, 'login' | 'id'>
  readonly at: number
}

/** Once, however often it is told; a branch may be deleted at one commit again and again. */
export async function insertDeliveredPush(
  sql: Queryable,
  { ref, before, after, by, at, ...repositoryKey }: DeliveredPush,
): Promise<void> {
  await sql.query(
    `insert into forge_push (project, repository, task, pod, ref, before, after, outcome, at, by_login, by_account)
     select $1, $2, '', '', $3, $4, $5, 'accepted', $6, $7, $8 where $5 = '${NO_COMMIT}' or not exists (
       select 1 from forge_push where project = $1 and repository = $2 and ref = $3 and before = $4 and after = $5 and by_login = $7 and by_account = $8)`,
    [repositoryKey.project, columnOf(repositoryKey), ref, before, after, at, by.login, by.id],
  )
}

/**
 * The branch is gone, and what people pushed to it is nobody's evidence any more. Where pods push, what others pushed stays: a
 * pod may have it, and bring it again; of a Task's own branch also before its first push, since its pod starts from what is
 * there. That it went stays too: who makes it again brings what it had not.
 */
export async function noteDeletion(sql: Queryable, deletion: DeliveredPush): Promise<void> {
  await sql.query(
    `delete from forge_push where project = $1 and repository = $2 and ref = $3 and by_login is not null
       and ref not like 'refs/heads/platform/%' and not exists (
       select 1 from forge_push p where p.project = $1 and p.repository = $2 and p.ref = $3 and p.by_login is null)`,
    [deletion.project, columnOf(deletion), deletion.ref],
  )
  await insertDeliveredPush(sql, deletion)
}

/** `by` is absent where a pod pushed. */
export interface BranchPush {
  readonly before: string
  /** `NO_COMMIT`: it was deleted. */
  readonly after: string
  readonly by?: Pick<ForgeAccount, 'login' | 'id'>
}

/** Of the place `$1`, `$2`. What the forge refused was written down as accepted before. */
const taken = `project = $1 and repository = $2 and outcome = 'accepted' and not exists (
  select 1 from forge_push f where f.project = p.project and f.repository = p.repository and f.ref = p.ref
  and f.pod = p.pod and f.before = p.before and f.after = p.after and f.outcome = 'failed' and f.id > p.id)`

/** Oldest first. */
export async function pushesTo(
  sql: Queryable,
  repositoryKey: RepositoryKey,
  ref: string,
): Promise<readonly BranchPush[]> {
  const { rows } = await sql.query<{ before: string; after: string; login: string | null; id: string | null }>(
    `select before, after, by_login as login, by_account as id from forge_push p where ref = $3 and ${taken} order by p.id`,
    [repositoryKey.project, columnOf(repositoryKey), ref],
  )
  return rows.map(({ login, id, ...push }) => ({ ...push, ...(login === null ? {} : { by: { login, id: id ?? '' } }) }))
}

/** Why the newest push of this Task's pods did not get through; undefined when it did, or when there was none. */
export async function newestRefusal(
  sql: Queryable,
  { task, ...repositoryKey }: RepositoryKey & Pick<PushAudit, 'task'>,
): Promise<string | undefined> {
  // What failed on the forge was written down as accepted before, perhaps in the same millisecond.
  const { rows } = await sql.query<{ outcome: PushAudit['outcome']; reason: string | null }>(
    `select outcome, reason from forge_push where project = $1 and repository = $2 and task = $3 order by at desc, outcome = 'accepted' limit 1`,
    [repositoryKey.project, columnOf(repositoryKey), task],
  )
  const [newest] = rows
  return newest === undefined || newest.outcome === 'accepted' ? undefined : (newest.reason ?? undefined)
}

/** Whether a pod of this Task pushed to the repository, and the forge took it. */
export async function hasPushed(
  sql: Queryable,
  { task, ...repositoryKey }: RepositoryKey & Pick<PushAudit, 'task'>,
): Promise<boolean> {
  const { rowCount } = await sql.query(`select 1 from forge_push p where task = $3 and ${taken} limit 1`, [
    repositoryKey.project,
    columnOf(repositoryKey),
    task,
  ])
  return rowCount > 0
}

/** Whether a pod brought this head to the forge. */
export async function wasPushedByPod(sql: Queryable, repositoryKey: RepositoryKey, sha: string): Promise<boolean> {
  const { rowCount } = await sql.query(
    `select 1 from forge_push where project = $1 and repository = $2 and after = $3 and outcome = 'accepted' and by_login is null limit 1`,
    [repositoryKey.project, columnOf(repositoryKey), sha],
  )
  return rowCount > 0
}
