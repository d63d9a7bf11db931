/** A cell: the product on Postgres. `actors`: how many there are; `any`: all of them are picked, not a hot few. */
import { runCell } from '../../kit/measure/cell.ts'
import { openPgSql } from '../../../runtime/store/postgres/pg-sql.ts'
import { ownContender } from './own-contender.ts'
import { actorTurns } from './turns.ts'

await runCell(async (spec) => {
  const sql = await openPgSql({ url: spec.store })
  const actors = Number(spec.options['actors'])
  const pick = spec.options['pick'] === 'any' ? () => Math.floor(Math.random() * actors) : actorTurns(spec)
  return ownContender(spec, sql, pick)
})
