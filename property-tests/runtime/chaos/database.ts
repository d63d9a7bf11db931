/** A Postgres of our own that can be restarted, and the audit in it: evidence that the runtime does not write itself. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { migrate } from '../../../runtime/store/migrate.ts'
import { openPgSql } from '../../../runtime/store/postgres/pg-sql.ts'
import type { Sql } from '../../../runtime/store/sql.ts'

const script = fileURLToPath(new URL('../../../.ci/postgres.sh', import.meta.url))
const execute = promisify(execFile)

export interface Database {
  readonly port: number
  /** The driver's own connections, past every proxy. */
  readonly sql: Sql
  restart(mode: 'fast' | 'immediate'): Promise<void>
  stop(): Promise<void>
}

/** Commits name their writer by the connection; a writer that does not own the shard at that moment broke R5. */
const audit = `
create table audit_stale_commit (actor text, seq bigint, writer text, owner text);
create table audit_takeover (shard int, epoch bigint, owner text, at bigint);
create function audit_events() returns trigger language plpgsql as $$
begin
  insert into audit_stale_commit
    select r.actor, r.seq, current_setting('application_name'), s.owner from fresh r
      join actor a on a.address = r.actor join shard s on s.shard = a.shard
      where s.owner is distinct from current_setting('application_name');
  return null;
end $$;
create trigger audit_events after insert on event referencing new table as fresh
  for each statement execute function audit_events();
create function audit_shards() returns trigger language plpgsql as $$
begin
  if new.epoch <> old.epoch then
    insert into audit_takeover values (new.shard, new.epoch, new.owner, floor(extract(epoch from clock_timestamp()) * 1000));
  end if;
  return null;
end $$;
create trigger audit_shards after update on shard for each row execute function audit_shards();`

export async function startDatabase(): Promise<Database> {
  const folder = await mkdtemp(join(tmpdir(), 'chaos-postgres-'))
  try {
    const { stdout } = await execute(script, ['start', folder], { env: process.env })
    const url = new URL(stdout.trim())
    const sql = await openPgSql({ url: url.href })
    await migrate(sql)
    await sql.exec(audit)
    return {
      port: Number(url.port),
      sql,
      restart: async (mode) => void (await execute(script, ['restart', folder, mode])),
      stop: async () => {
        await sql.close()
        await stopServer(folder)
      },
    }
  } catch (error) {
    await stopServer(folder)
    throw error
  }
}

/** The server runs as another user, so its folder is of the first level: the script opens that one, not its parents. */
async function stopServer(folder: string): Promise<void> {
  await execute(script, ['stop', folder]).catch(() => undefined)
  await rm(folder, { recursive: true, force: true })
}

/** The URL by which a process with this name is known to the audit. */
export function urlFor(port: number, owner: string): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres?application_name=${encodeURIComponent(owner)}`
}
