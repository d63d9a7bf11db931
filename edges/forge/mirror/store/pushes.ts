import type { Queryable } from '../../../../runtime/store/sql.ts'
import { columnOf, type RepositoryPlace } from './places.ts'

/** One try of a pod to push, as the gateway judged it. */
export interface PushAudit extends RepositoryPlace {
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

/** Why the newest push of this Task's pods did not get through; undefined when it did, or when there was none. */
export async function newestRefusal(
  sql: Queryable,
  { task, ...place }: RepositoryPlace & Pick<PushAudit, 'task'>,
): Promise<string | undefined> {
  // What failed on the forge was written down as accepted before, perhaps in the same millisecond.
  const { rows } = await sql.query<{ outcome: PushAudit['outcome']; reason: string | null }>(
    `select outcome, reason from forge_push where project = $1 and repository = $2 and task = $3 order by at desc, outcome = 'accepted' limit 1`,
    [place.project, columnOf(place), task],
  )
  const [newest] = rows
  return newest === undefined || newest.outcome === 'accepted' ? undefined : (newest.reason ?? undefined)
}

/** Whether a pod brought this head to the forge. */
export async function wasPushedByPod(sql: Queryable, place: RepositoryPlace, sha: string): Promise<boolean> {
  const { rowCount } = await sql.query(
    `select 1 from forge_push where project = $1 and repository = $2 and after = $3 and outcome = 'accepted' limit 1`,
    [place.project, columnOf(place), sha],
  )
  return rowCount > 0
}
