import { join } from 'node:path'
import { agentMigrations } from '../../edges/agents/ci-store.ts'
import { forgeMigrations } from '../../edges/forge/forge-edge.ts'
import { podMigrations } from '../../edges/pods/transcripts.ts'
import { localMigrations } from '../../edges/local/migrations.ts'
import type { Logger } from '../../runtime/logger.ts'
import { migrate, runtimeMigrations } from '../../runtime/store/migrate.ts'
import { openPgSql } from '../../runtime/store/postgres/pg-sql.ts'
import { indexSearch } from '../../runtime/store/postgres/search-index.ts'
import { openFolderSql } from '../../runtime/store/pglite/pglite-folder.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import type { OrchestratorSettings } from '../settings/settings.ts'

/** Every migration of the orchestrator's store. */
export const orchestratorMigrations = [
  runtimeMigrations,
  forgeMigrations,
  localMigrations,
  agentMigrations,
  podMigrations,
]

/** A real Postgres where one is named, else the embedded store below the state folder. */
export async function openStore(
  settings: Pick<OrchestratorSettings, 'databaseUrl' | 'databaseAnswerMs' | 'stateDir'>,
  logger: Logger,
): Promise<Sql> {
  const isEmbedded = settings.databaseUrl === ''
  const sql = isEmbedded
    ? await openFolderSql(join(settings.stateDir, 'database'))
    : await openPgSql({ url: settings.databaseUrl, answerMs: settings.databaseAnswerMs })
  await migrate(sql, orchestratorMigrations)
  // The embedded one never has trigrams, and few actors.
  if (!isEmbedded) await indexSearch(sql, logger)
  return sql
}
