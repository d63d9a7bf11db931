import { describe } from 'vitest'
import { silentLogger } from '../../../runtime/logger.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { migrate } from '../../../runtime/store/migrate.ts'
import { openMemorySql } from '../../../runtime/store/pglite/pglite-memory.ts'
import { memoryMigrations } from '../../store/migrations.ts'
import { engineContract, type EngineUnderTest } from '../contract/engine-contract.ts'
import { createEmbeddedEngine } from './engine.ts'

async function open(): Promise<EngineUnderTest> {
  const sql = await openMemorySql()
  await migrate(sql, memoryMigrations)
  const engine = createEmbeddedEngine({ sql, clock: systemClock, random: Math.random, logger: silentLogger })
  return { engine, sql, settle: async () => undefined, close: () => sql.close() }
}

describe('the embedded engine on PGlite', () => engineContract(open))
