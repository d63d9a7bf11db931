import pg from 'pg'
import type { QueryConfig } from 'pg'
import { binaryArray } from '../binary-array.ts'
import { ColumnArray } from '../columns.ts'
import { resultParsers } from '../result-types.ts'
import { SqlError, toSqlError, unreachable } from '../sql-error.ts'
import type { Durability, Queryable, Sql } from '../sql.ts'
import { withHandle } from '../transaction-handle.ts'

interface PgOptions {
  readonly url: string
  /** Connections at most; the runtime itself writes on one. */
  readonly connections?: number
  /** How long one statement, or a new connection, may take; `exec`, which migrates, takes what it needs. */
  readonly answerMs?: number
}

export const pgDefaults = { connections: 8, answerMs: 15_000 }

/** The system asks an idle peer whether it is there; its own wait before that is two hours. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }

/** Statements are constants of the code, so their number is bounded; beyond this many they go unprepared. */
const mostPrepared = 400

/**
 * A store on a Postgres server. Its durability is what the server's settings promise. A network can fall silent without
 * an end of its connections: an answer that takes too long means that nothing is known of the statement (`unreachable`),
 * and its connection is thrown away. The server on its side ends a transaction whose client fell silent: it holds locks.
 */
export async function openPgSql(options: PgOptions): Promise<Sql> {
  const { url, connections, answerMs } = { ...pgDefaults, ...options }
  const pool = new pg.Pool({
    ...keepAlive,
    connectionString: url,
    max: connections,
    types: { getTypeParser },
    connectionTimeoutMillis: answerMs,
    idle_in_transaction_session_timeout: answerMs,
  })
  // An idle connection that breaks is replaced at its next use; without a listener the process would end.
  pool.on('error', () => undefined)
  const root = queryable((config) => pool.query(config), answerMs)
  try {
    return {
      ...root,
      durability: await serverDurability(root),
      probe: () => transaction(pool, writeAndForget, answerMs),
      tx: (run) => transaction(pool, run, answerMs),
      close: () => pool.end(),
    }
  } catch (error) {
    await pool.end()
    throw error
  }
}

function getTypeParser(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  const own = format === 'binary' ? undefined : resultParsers[oid]
  return own ?? (pg.types.getTypeParser(oid, format as 'text') as (text: string) => unknown)
}

/** Without whole pages in the log, a page that was torn by the cut stays torn. */
const syncing = ['fsync', 'synchronous_commit', 'full_page_writes']

async function serverDurability(sql: Queryable): Promise<Durability> {
  const { rows } = await sql.query<{ safe: boolean }>(
    `select 'off' <> all (select current_setting(name) from unnest($1::text[]) name) as safe`,
    [syncing],
  )
  return rows[0]?.safe ? 'power-loss' : 'process-death'
}

/**
 * A page of a table that only this connection sees: a server without room, or one that became a copy of another, refuses.
 * An account without the right to such tables cannot be judged by them.
 */
async function writeAndForget(tx: Queryable): Promise<void> {
  const { rows } = await tx.query<{ may: boolean }>(
    "select has_database_privilege(current_database(), 'TEMPORARY') as may",
  )
  if (rows[0]?.may !== true) return
  await tx.query('create temporary table if not exists write_probe (filler text) on commit delete rows')
  await tx.query("insert into write_probe values (repeat('x', 1000))")
}

const names = new Map<string, string>()

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= mostPrepared) return known
  const name = `s${names.size}`
  names.set(text, name)
  return name
}

function queryable(
  run: (config: QueryConfig | string) => Promise<{ rows: object[]; rowCount: number | null }>,
  answerMs: number,
): Queryable {
  return {
    async query(text, params = []) {
      // A pattern decides how its search is best planned, and a prepared plan forgets it.
      const name = params.length > 0 && !text.includes(' like $') ? nameOf(text) : undefined
      const values = params.map(encoded)
      const config = { ...(name === undefined ? {} : { name }), text, values, query_timeout: answerMs }
      const result = await run(config).catch(rethrow)
      return { rows: result.rows as never[], rowCount: result.rowCount ?? 0 }
    },
    async exec(text) {
      await run(text).catch(rethrow)
    },
  }
}

/** The driver sends a Buffer in binary form, and leaves its reading to the type of the parameter. */
function encoded(param: unknown): unknown {
  return param instanceof ColumnArray ? binaryArray(param) : param
}

async function transaction<T>(pool: pg.Pool, run: (tx: Queryable) => Promise<T>, answerMs: number): Promise<T> {
  const client = await pool.connect().catch(rethrow)
  const broken = (): void => undefined
  client.on('error', broken)
  let failure: SqlError | undefined
  try {
    const tx = queryable((config) => client.query(config as QueryConfig), answerMs)
    await tx.query('begin')
    const result = await withHandle(tx, run)
    await tx.query('commit')
    return result
  } catch (error) {
    failure = isSilent(error) ? error : await rollBack(client, answerMs)
    throw error
  } finally {
    client.off('error', broken)
    client.release(failure)
  }
}

/** Why the connection cannot be used again. */
async function rollBack(client: pg.PoolClient, answerMs: number): Promise<SqlError | undefined> {
  try {
    await client.query({ text: 'rollback', query_timeout: answerMs } as QueryConfig)
    return undefined
  } catch (error) {
    return toSqlError(error)
  }
}

function isSilent(error: unknown): error is SqlError {
  return error instanceof SqlError && error.code === unreachable
}

function rethrow(error: unknown): never {
  throw toSqlError(error)
}
