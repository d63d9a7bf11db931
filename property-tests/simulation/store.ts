/**
 * The orchestrator's own schema in memory, with the order of all commits and a copy of each journal row beside it, which
 * nothing of the product reads: journals may be shortened, and the laws still see all that happened.
 */
import { PGlite } from '@electric-sql/pglite'
import { orchestratorMigrations } from '../../orchestrator/wiring/store.ts'
import { migrate } from '../../runtime/store/migrate.ts'
import { resultParsers } from '../../runtime/store/result-types.ts'
import { sessionSql } from '../../runtime/store/session-sql.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { preparedSession } from '../runtime/simulation/memory-store.ts'

export interface MemoryStore {
  readonly sql: Sql
  /**
   * As after the migrations, sequences that no table owns too: no run can see that there was another before it.
   * `shortens`: its journals will be shortened, and only then copies of their rows are worth their price.
   */
  clear(how: { readonly shortens: boolean }): Promise<void>
}

const kept = 'body, effects, path, status, fault, state_hash, machine_hash'

const copies = `alter table event add column place bigint generated always as identity;
  create index event_place on event (place);
  create table kept_event as select actor, seq, ${kept} from event;
  create function keep_event() returns trigger language plpgsql as $$ begin
    insert into kept_event (actor, seq, ${kept}) values (new.actor, new.seq, ${kept.replaceAll(/\w+/g, 'new.$&')});
    return new;
  end $$;
  create trigger keep_event after insert on event for each row execute function keep_event();`

/** One plan a statement, whatever its parameters; no log: here a crash is the process's, never the store's. */
const settings = `set plan_cache_mode = force_generic_plan;
  set synchronous_commit = off;
  do $$ declare name text; begin
    for name in select tablename from pg_tables where schemaname = 'public' loop
      execute format('alter table %I set unlogged', name);
    end loop;
  end $$`

/** Each table anew that has files to be made anew: one without a page was not written to. */
const cleared = `do $$ declare used text; begin
    select string_agg(relname, ', ' order by relname) into used from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'migration' and pg_relation_size(oid) > 0;
    if used is not null then execute 'truncate ' || used; end if;
    perform setval(quote_ident(sequencename)::regclass, start_value, false) from pg_sequences where schemaname = 'public';
  end $$`

export async function openStore(): Promise<MemoryStore> {
  const session = preparedSession(await PGlite.create({ parsers: { ...resultParsers } }))
  const sql = sessionSql(session, 'none')
  await migrate(sql, orchestratorMigrations)
  await sql.exec(copies)
  await sql.exec(settings)
  const tables = await sql.query<{ tablename: string }>("select tablename from pg_tables where schemaname = 'public'")
  session.rememberReads(tables.rows.map(({ tablename }) => tablename))
  return {
    sql,
    clear: ({ shortens }) =>
      sql.exec(`${cleared}; alter table event ${shortens ? 'enable' : 'disable'} trigger keep_event`),
  }
}

/** Journals as they were before they were shortened. */
export function lengthenJournals(sql: Sql): Promise<void> {
  const columns = kept.split(', ').map((name) => `${name} = k.${name}`)
  return sql.exec(`update event e set ${columns.join(', ')} from kept_event k
      where k.actor = e.actor and k.seq = e.seq and e.body = '';
    delete from baseline;
    delete from compaction`)
}
