import type { Logger } from '../runtime/logger.ts'
import type { Sql } from '../runtime/store/sql.ts'
import type { RetrievalEngine } from './engine/port.ts'
import { upsertApart } from './feed/upsert-apart.ts'
import type { GraphStore } from './graph/port.ts'
import type { MemoryRow } from './memories/memory.ts'
import { memoryColumns } from './memories/memory.ts'

export interface RebuildDeps {
  readonly sql: Sql
  readonly engine: RetrievalEngine
  readonly graph: GraphStore
  readonly logger: Logger
  /** Is told how far it is. */
  readonly told?: (done: number, total: number) => void
}

export interface Rebuilt {
  readonly fed: number
  readonly failed: number
}

const batch = 32

/**
 * Fills the engine and what serves the code graph anew from Postgres. It may be interrupted and begun again: it goes
 * through all memories each time. One that the engine refuses is `failed` with the reason, as by the feed.
 */
export async function rebuildMemory({ sql, engine, graph, logger, told }: RebuildDeps): Promise<Rebuilt> {
  engine.start()
  await engine.clear()
  await sql.query('delete from memory_removal')
  const total = (await sql.query<{ count: number }>('select count(*) as count from memory')).rows[0]!.count
  let fed = 0
  let failed = 0
  for (let after = ''; ;) {
    const { rows } = await sql.query<MemoryRow>(
      `select ${memoryColumns} from memory where id > $1 order by id limit ${batch}`,
      [after],
    )
    if (rows.length === 0) break
    after = rows.at(-1)!.id
    for (const outcome of await upsertApart(engine, rows)) {
      const isGood = outcome.status !== 'failed'
      if (isGood) fed += 1
      else failed += 1
      if (!isGood) logger.warn({ memory: outcome.id, error: outcome.message }, 'the engine did not accept a memory')
      await sql.query('update memory set status = $2, fault = $3 where id = $1', [
        outcome.id,
        isGood ? 'ready' : 'failed',
        isGood ? null : outcome.message.slice(0, 1000),
      ])
    }
    told?.(fed + failed, total)
  }
  await graph.rebuild()
  return { fed, failed }
}
