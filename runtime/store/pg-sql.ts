import pg from 'pg'
import type { QueryConfig } from 'pg'
import { binaryArray } from './binary-array.ts'
import { ColumnArray } from './columns.ts'
import { resultParsers } from './result-types.ts'
import { type SqlError, toSqlError } from './sql-error.ts'
import type { Durability, Queryable, Sql } from './sql.ts'

interface PgOptions {
  readonly url: string
  /** Connections at most; the runtime itself writes on one. */
  readonly connections?: number
}

/** Statements are constants of the code, so their number is bounded; beyond this many they go unprepared. */
const mostPrepared = 400

/** A store on a Postgres server. Its durability is what the server's settings promise. */
export async function openPgSql(options: PgOptions): Promise<Sql> {
  const pool = new pg.Pool({ connectionString: options.url, max: options.connections ?? 8, types: { getTypeParser } })
  // An idle connection that breaks is replaced at its next use; without a listener the process would end.
  pool.on('error', () => undefined)
  const root = queryable((config) => pool.query(config))
  try {
    return {
      ...root,
      durability: await serverDurability(root),
      tx: (run) => transaction(pool, run),
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

async function serverDurability(sql: Queryable): Promise<Durability> {
  const { rows } = await sql.query<{ safe: boolean }>(
    `select current_setting('fsync') = 'on' and current_setting('synchronous_commit') <> 'off' as safe`,
  )
  return rows[0]?.safe ? 'power-loss' : 'process-death'
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
): Queryable {
  return {
    async query(text, params = []) {
      const name = params.length > 0 ? nameOf(text) : undefined
      const values = params.map(encoded)
      const config = name === undefined ? { text, values } : { name, text, values }
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

async function transaction<T>(pool: pg.Pool, run: (tx: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch(rethrow)
  const broken = (): void => undefined
  client.on('error', broken)
  let failure: SqlError | undefined
  try {
    const tx = queryable((config) => client.query(config as QueryConfig))
    await tx.exec('begin')
    const result = await run(tx)
    await tx.exec('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((lost: unknown) => (failure = toSqlError(lost)))
    throw error
  } finally {
    client.off('error', broken)
    client.release(failure)
  }
}

function rethrow(error: unknown): never {
  throw toSqlError(error)
}
