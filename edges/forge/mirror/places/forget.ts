/**
 * What is known of a Project that is gone, or of a repository for which no Repository stands any more, is kept for 30 days: it says
 * what the old one did. Then it goes, a bounded part in each sweep (MIRROR-8).
 */
import type { Sql } from '../../../../runtime/store/sql.ts'
import type { ProjectSettings } from '../../projects.ts'
import { currentPlaces } from './places.ts'
import { deleteProjectRows, deleteRows, listGone, markGone } from '../store/forgotten.ts'
import type { RepositoryPlace } from '../store/places.ts'

const KEPT_MS = 30 * 24 * 3_600_000
const MOST_ROWS = 2_000
const MOST_PLACES = 20

interface ForgetOptions {
  readonly sql: Sql
  /** Those that hold their names now. */
  readonly projects: () => Promise<readonly ProjectSettings[]>
  readonly now: number
  /** Is told of each place whose rows are all gone. */
  readonly forgotten: (place: RepositoryPlace) => Promise<void>
}

/** False: there is more to forget than one sweep does. */
export async function forgetGone({ sql, projects, now, forgotten }: ForgetOptions): Promise<boolean> {
  const live = await projects()
  const here = await Promise.all(live.map((project) => currentPlaces({ sql }, project)))
  await markGone(
    sql,
    here.flatMap((places) => [...places.values()]),
    now,
  )
  const gone = await listGone(sql, now - KEPT_MS)
  for (const place of gone.slice(0, MOST_PLACES)) {
    if (!(await deleteRows(sql, place, MOST_ROWS))) return false
    await forgotten(place)
  }
  const uids = live.map(({ uid }) => uid)
  return (await deleteProjectRows(sql, uids, MOST_ROWS)) && gone.length <= MOST_PLACES
}
