/**
 * What is known of a Project that is gone, or of a repository for which no Repository stands any more, is kept for 30 days: it says
 * what the old one did. Then it goes, a bounded part in each sweep (MIRROR-8).
 */
import type { Sql } from '../../../../runtime/store/sql.ts'
import type { ProjectSettings } from '../../projects.ts'
import { currentRepositoryKeys } from './places.ts'
import { deleteProjectRows, deleteRows, listGone, markGone } from '../store/forgotten.ts'
import type { RepositoryKey } from '../store/places.ts'

const KEPT_MS = 30 * 24 * 3_600_000
const MOST_ROWS = 2_000
const MOST_REPOSITORIES = 20

interface ForgetOptions {
  readonly sql: Sql
  /** Those that hold their names now. */
  readonly projects: () => Promise<readonly ProjectSettings[]>
  readonly now: number
  /** Is told of each place whose rows are all gone. */
  readonly forgotten: (repositoryKey: RepositoryKey) => Promise<void>
}

/** False: there is more to forget than one sweep does. */
export async function forgetGone({ sql, projects, now, forgotten }: ForgetOptions): Promise<boolean> {
  const live = await projects()
  const here = await Promise.all(live.map((project) => currentRepositoryKeys({ sql }, project)))
  await markGone(
    sql,
    here.flatMap((repositoryKeys) => [...repositoryKeys.values()]),
    now,
  )
  const gone = await listGone(sql, now - KEPT_MS)
  for (const repositoryKey of gone.slice(0, MOST_REPOSITORIES)) {
    if (!(await deleteRows(sql, repositoryKey, MOST_ROWS))) return false
    await forgotten(repositoryKey)
  }
  const uids = live.map(({ uid }) => uid)
  return (await deleteProjectRows(sql, uids, MOST_ROWS)) && gone.length <= MOST_REPOSITORIES
}
