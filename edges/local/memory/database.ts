import { createHash } from 'node:crypto'
import pg from 'pg'
import { codeOf } from '../../../runtime/errors.ts'

const duplicateDatabase = '42P04'
const connectLimitMs = 10_000

/**
 * A database of its own for what one folder holds, on the server that DATABASE_URL names: two demos on one server, or a
 * demo beside the tests, are strangers to each other.
 */
export async function databaseFor(serverUrl: string, dir: string): Promise<string> {
  const url = databaseUrlOf(serverUrl, databaseNameOf(dir))
  await ensureDatabase(serverUrl, url)
  return url
}

export function databaseNameOf(dir: string): string {
  return `statewright_${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`
}

export function databaseUrlOf(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** Makes it where there is none. Whoever may make none can be given one that is there. */
export async function ensureDatabase(serverUrl: string, url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  const client = new pg.Client({ connectionString: serverUrl, connectionTimeoutMillis: connectLimitMs })
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`)
  } catch (error) {
    if (codeOf(error) !== duplicateDatabase) throw error
  } finally {
    await client.end()
  }
}
