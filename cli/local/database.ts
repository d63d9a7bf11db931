import { createHash } from 'node:crypto'
import pg from 'pg'
import { codeOf } from '../../runtime/errors.ts'

const duplicateDatabase = '42P04'
const connectLimitMs = 10_000

/**
 * A database of its own for the stack of one folder, on the server that DATABASE_URL names: two demos on one server, or a
 * demo beside the tests, are strangers to each other.
 */
export async function databaseFor(serverUrl: string, dir: string): Promise<string> {
  const name = `statewright_${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`
  const client = new pg.Client({ connectionString: serverUrl, connectionTimeoutMillis: connectLimitMs })
  await client.connect()
  try {
    await client.query(`create database ${name}`)
  } catch (error) {
    if (codeOf(error) !== duplicateDatabase) throw error
  } finally {
    await client.end()
  }
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}
