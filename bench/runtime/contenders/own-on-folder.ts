/** A cell: the product on its embedded store. */
import { runCell } from '../../kit/measure/cell.ts'
import { migrate } from '../../../runtime/store/migrate.ts'
import { openFolderSql } from '../../../runtime/store/pglite/pglite-folder.ts'
import { ownContender } from './own-contender.ts'
import { openActors, startOwnRuntime } from './own-runtime.ts'
import { actorTurns } from './turns.ts'

await runCell(async (spec) => {
  const sql = await openFolderSql(spec.store)
  await migrate(sql)
  const opening = await startOwnRuntime(sql, async () => [])
  await openActors(opening, 0, Number(spec.options['actors']))
  await opening.stop()
  return ownContender(spec, sql, actorTurns(spec))
})
