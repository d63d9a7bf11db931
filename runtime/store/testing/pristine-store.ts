/** Makes a store in memory what it was after its migrations, whatever a test did to it. */
import type { PGlite } from '@electric-sql/pglite'

export interface PristineStore {
  readonly db: PGlite
  /** Whether its catalogs and settings are what they were. */
  isPristine(): Promise<boolean>
  /** Whether it is again what it was; one that is not is closed. */
  restore(): Promise<boolean>
}

/** `db` as it is now is what it becomes again. */
export async function pristineStore(db: PGlite): Promise<PristineStore> {
  await forgetSession(db)
  // The schema of temporary tables is made with the first one, and stays.
  await db.exec('create temp table first (n int)')
  await forgetSession(db)
  const newest = await newestOid(db)
  const content = [...(await rowsOf(db)), ...(await sequencesOf(db))].join('; ')
  const catalogs = await catalogNames(db)
  const before = await stateOf(db, catalogs)

  async function isPristine(): Promise<boolean> {
    return (await stateOf(db, catalogs)) === before
  }
  async function empty(): Promise<void> {
    await db.exec('rollback')
    await forgetSession(db)
    await db.exec(dropAfter(newest))
    await db.exec(`${emptiedTables}; ${content}`)
  }
  return {
    db,
    isPristine,
    async restore() {
      // What another taker sent is answered by now: PGlite answers in microtasks.
      await new Promise((resolve) => void setImmediate(resolve))
      const isRestored = await empty().then(isPristine, () => false)
      if (!isRestored) await db.close().catch(() => undefined)
      return isRestored
    },
  }
}

/** Settings, listeners, prepared statements, temporary tables, advisory locks. */
async function forgetSession(db: PGlite): Promise<void> {
  await db.exec('discard all')
}

async function newestOid(db: PGlite): Promise<number> {
  await db.exec('create schema newest')
  const { rows } = await db.query<{ oid: number }>("select 'newest'::regnamespace::oid::int as oid")
  await db.exec('drop schema newest')
  return rows[0]!.oid
}

async function namesOf(db: PGlite, kind: 'r' | 'S'): Promise<readonly string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = $1`,
    [kind],
  )
  return rows.map(({ name }) => name)
}

/** A statement for each table that migrations put rows into. */
async function rowsOf(db: PGlite): Promise<readonly string[]> {
  const inserts: string[] = []
  for (const name of await namesOf(db, 'r')) {
    const { rows } = await db.query<{ body: string | null }>(
      `select quote_literal(jsonb_agg(t)::text) as body from ${name} t`,
    )
    if (rows[0]!.body !== null)
      inserts.push(`insert into ${name} overriding system value
        select * from jsonb_populate_recordset(null::${name}, ${rows[0]!.body}::jsonb)`)
  }
  return inserts
}

async function sequencesOf(db: PGlite): Promise<readonly string[]> {
  const settings: string[] = []
  for (const name of await namesOf(db, 'S')) {
    const { rows } = await db.query<{ at: string }>(`select format('%s, %L', last_value, is_called) as at from ${name}`)
    settings.push(`select setval('${name}', ${rows[0]!.at})`)
  }
  return settings
}

/** What was made since is not of the migrations. What is no schema, table, view, sequence or function shows in the catalogs. */
function dropAfter(oid: number): string {
  return `do $$ declare made record; begin
    for made in select 'schema' as sort, format('%I', nspname) as name from pg_namespace where oid > ${oid} and nspname !~ '^pg_'
      union all select case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end,
        oid::regclass::text from pg_class where oid > ${oid} and relkind in ('r', 'p', 'v', 'm', 'S') and relnamespace = 'public'::regnamespace
      union all select 'routine', oid::regprocedure::text from pg_proc where oid > ${oid} and pronamespace = 'public'::regnamespace
      order by 1, 2
    loop execute format('drop %s if exists %s cascade', made.sort, made.name); end loop;
  end $$`
}

/**
 * Every row of every table goes, the migrations' own too. To delete takes a sixth of the time of `truncate`. A table is truncated where dead rows would show: the planner counts
 * pages above ten, statistics stay, and an index of vectors finds the dead before the living.
 */
export const emptiedTables = `begin; set local session_replication_role = replica;
  do $$ declare used record; begin
    for used in select oid::regclass as name, pg_relation_size(oid) > 10 * 8192 or reltuples >= 0 or exists (
        select from pg_index i join pg_class ic on ic.oid = i.indexrelid join pg_am am on am.oid = ic.relam
        where i.indrelid = c.oid and am.amname = 'hnsw') as shows
      from pg_class c where relnamespace = 'public'::regnamespace and relkind = 'r' and (pg_relation_size(oid) > 0 or reltuples >= 0)
    loop
      if used.shows then execute format('truncate %s cascade', used.name);
      else execute format('delete from %s', used.name); end if;
    end loop;
    delete from pg_statistic where starelid >= 16384;
    perform pg_stat_reset();
  end $$;
  commit`

async function catalogNames(db: PGlite): Promise<readonly string[]> {
  const { rows } = await db.query<{ relname: string }>(`select relname from pg_class
    where relnamespace = 'pg_catalog'::regnamespace and relkind = 'r' and relname not in ('pg_class', 'pg_statistic')`)
  return rows.map(({ relname }) => relname)
}

/**
 * Whatever changes a database changes a row of a catalog, and the row then has a newer transaction. Of `pg_class` count the
 * columns that `truncate` leaves alone. Settings of the server stand in a file.
 */
async function stateOf(db: PGlite, catalogs: readonly string[]): Promise<string> {
  const counts = catalogs.map((name) => `select count(*) || ' ' || coalesce(max(xmin::text::bigint), 0) from ${name}`)
  const { rows } = await db.query<{ state: string }>(`select concat_ws('\\n',
    (select string_agg(line, ', ') from (${counts.join(' union all ')}) as counted(line)),
    (select md5(string_agg(concat_ws(' ', oid, relname, relnamespace, relowner, relkind, relpersistence, relacl, reloptions,
      relrowsecurity, relforcerowsecurity, relreplident), ', ' order by oid)) from pg_class where relkind <> 't'),
    (select md5(string_agg(concat_ws(' ', name, setting), ', ' order by name)) from pg_settings where name !~ '[.]'),
    (select count(*) from pg_file_settings where sourcefile like '%auto.conf')) as state`)
  return rows[0]!.state
}
