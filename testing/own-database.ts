/** A database of its own on the server that DATABASE_URL names: tests that run at once are strangers to each other. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'

export interface OwnDatabase {
  readonly url: string
  /** Ends whoever is still connected. */
  drop(): Promise<void>
}

export async function ownDatabase(): Promise<OwnDatabase> {
  const server = process.env['DATABASE_URL'] ?? ''
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await administer(server, `create database ${name}`)
  return {
    url: Object.assign(new URL(server), { pathname: `/${name}` }).href,
    drop: () => administer(server, `drop database ${name} with (force)`),
  }
}

async function administer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
