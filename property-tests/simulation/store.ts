/** The orchestrator's own schema in memory, with the order of all commits beside it, which nothing of the product reads. */
import { PGlite } from '@electric-sql/pglite'
import { orchestratorMigrations } from '../../cli/orchestrator/store.ts'
import { migrate } from '../../runtime/store/migrate.ts'
import { resultParsers } from '../../runtime/store/result-types.ts'
import { sessionSql } from '../../runtime/store/session-sql.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { preparedSession } from '../runtime/simulation/memory-store.ts'

export interface MemoryStore {
  readonly sql: Sql
  /** As after the migrations, sequences that no table owns too: no run can see that there was another before it. */
  clear(): Promise<void>
}

/** One plan a statement, whatever its parameters; no log: here a crash is the process's, never the store's. */
const settings = `set plan_cache_mode = force_generic_plan;
  set synchronous_commit = off;
  alter table event add column place bigint generated always as identity;
  do $$ declare name text; begin
    for name in select tablename from pg_tables where schemaname = 'public' loop
      execute format('alter table %I set unlogged', name);
    end loop;
  end $$`

export async function openStore(): Promise<MemoryStore> {
  const sql = sessionSql(preparedSession(await PGlite.create({ parsers: { ...resultParsers } })), 'none')
  await migrate(sql, orchestratorMigrations)
  await sql.exec(settings)
  const { rows } = await sql.query<{ statement: string }>(
    `select 'truncate ' || string_agg(tablename, ', ' order by tablename) || ' restart identity' as statement
       from pg_tables where schemaname = 'public' and tablename <> 'migration'
     union all select 'alter sequence ' || sequencename || ' restart' from pg_sequences where schemaname = 'public'`,
  )
  return { sql, clear: () => sql.exec(rows.map(({ statement }) => statement).join('; ')) }
}
