import type { Logger } from '../../../runtime/logger.ts'
import type { Sql } from '../../../runtime/store/sql.ts'

const tables = [
  'engine_chunk',
  'engine_term',
  'engine_posting',
  'engine_mention',
  'engine_entity_term',
  'engine_memory',
  'knowledge_entity',
  'knowledge_edge',
  'knowledge_entity_source',
  'knowledge_edge_source',
]

/** A smaller index is read whole in no time. */
const leastGrowth = 300

/**
 * An embedded store has no process that vacuums what is only ever inserted; without it every look into an index is a
 * look into its table too. Done each time the index has doubled, so its cost is a share of that of the inserts, and table
 * by table, so that a question waits for one of them and not for all.
 */
export function createStatisticsKeeper(sql: Sql, logger: Logger): { grown(chunks: number): Promise<void> } {
  let since = 0
  let next = leastGrowth
  return {
    async grown(chunks) {
      since += chunks
      if (since < next) return
      next = since * 2
      try {
        for (const table of tables) await sql.exec(`vacuum (analyze) ${table}`)
      } catch (error) {
        logger.warn({ err: error }, 'the engine could not update the statistics of its index')
      }
    },
  }
}
