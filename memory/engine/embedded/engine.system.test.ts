/** The same contract on a server, whose SQL is older than PGlite's and whose sessions are really apart. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../runtime/clock.ts'
import { silentLogger } from '../../../runtime/logger.ts'
import { migrate } from '../../../runtime/store/migrate.ts'
import { openPgSql } from '../../../runtime/store/postgres/pg-sql.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import { ownDatabase } from '../../../testing/own-database.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { memoryMigrations } from '../../store/migrations.ts'
import { aMemory, engineContract } from '../contract/engine-contract.ts'
import { createEmbeddedEngine } from './engine.ts'

interface Database {
  readonly sql: Sql
  drop(): Promise<void>
}

async function openDatabase(): Promise<Database> {
  const { url, drop } = await ownDatabase()
  const sql = await openPgSql({ url })
  await migrate(sql, memoryMigrations)
  return {
    sql,
    async drop() {
      await sql.close()
      await drop()
    },
  }
}

describeRequiring('postgres', 'the embedded engine on a Postgres server', () => {
  describe('the contract', () => {
    engineContract(async () => {
      const { sql, drop } = await openDatabase()
      const engine = createEmbeddedEngine({ sql, clock: systemClock, random: Math.random, logger: silentLogger })
      return { engine, sql, settle: async () => undefined, close: drop }
    })
  })

  describe('writers at once', () => {
    let database: Database
    beforeAll(async () => {
      database = await openDatabase()
    })
    afterAll(() => database?.drop())

    it('share terms and entities without a deadlock, and leave counts that are true', async () => {
      const { sql } = database
      const engine = createEmbeddedEngine({ sql, clock: systemClock, random: Math.random, logger: silentLogger })
      const memories = Array.from({ length: 40 }, (_, at) =>
        aMemory(`The SessionStore number ${at} asks the LedgerTable for its tokens.`),
      )
      const outcomes = await Promise.all(memories.map((memory) => engine.upsert([memory])))
      expect(outcomes.flat().map((outcome) => outcome.status)).toEqual(memories.map(() => 'stored'))
      await Promise.all(memories.slice(0, 20).map((memory) => engine.remove([memory.id])))
      const { rows } = await sql.query(
        `select i.memories, i.chunks, (select count(*) from engine_chunk) as counted,
          (select count(*) from engine_term t where t.chunks <> (select count(*) from engine_posting p where p.term_id = t.id)) as wrong,
          (select count(*) from engine_posting p where not exists (select from engine_chunk c where c.no = p.chunk_no)) as orphans,
          (select memories from knowledge_entity where key = 'sessionstore') as speaking
        from engine_index i`,
      )
      expect(rows).toEqual([{ memories: 20, chunks: 20, counted: 20, wrong: 0, orphans: 0, speaking: 20 }])
    })
  })
})
