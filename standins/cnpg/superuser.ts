/** What the operator does inside a Cluster's PostgreSQL, as its superuser. Each may be done again. */
import pg from 'pg'
import type { Pair } from './certificates.ts'
import type { ClusterSpec, Database, Role } from './cluster.ts'

export interface Superuser {
  readonly host: string
  /** By which the server's certificate names it. */
  readonly servername: string
  readonly ca: string
  readonly pair: Pair
}

const id = (name: string): string => pg.escapeIdentifier(name)
/** A server that has just started, on a machine that does other work too. */
const answerMs = 10_000

export async function within<Answer>(
  { host, servername, ca, pair }: Superuser,
  database: string,
  use: (client: pg.Client) => Promise<Answer>,
): Promise<Answer> {
  const ssl = { ca, servername, ...pair }
  const bounds = { connectionTimeoutMillis: answerMs, query_timeout: answerMs }
  // It waits for no standby: it is what makes them.
  const options = '-c synchronous_commit=local'
  const client = new pg.Client({ host, port: 5432, user: 'postgres', database, ssl, options, ...bounds })
  // A server that ends meanwhile is heard of by the query too.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

async function has(client: pg.Client, table: string, column: string, name: string): Promise<boolean> {
  const { rowCount } = await client.query(`select 1 from ${table} where ${column} = $1`, [name])
  return rowCount === 1
}

export async function ensureRole(client: pg.Client, name: string, options: string): Promise<void> {
  const verb = (await has(client, 'pg_roles', 'rolname', name)) ? 'ALTER' : 'CREATE'
  await client.query(`${verb} ROLE ${id(name)} ${options}`)
}

async function ensureDatabase(client: pg.Client, name: string, owner: string): Promise<boolean> {
  const isThere = await has(client, 'pg_database', 'datname', name)
  await client.query(
    isThere ? `ALTER DATABASE ${id(name)} OWNER TO ${id(owner)}` : `CREATE DATABASE ${id(name)} OWNER ${id(owner)}`,
  )
  return !isThere
}

/** Standbys enter as it, and pg_rewind reads by it. */
async function ensureReplica(client: pg.Client): Promise<void> {
  const role = 'streaming_replica'
  if (await has(client, 'pg_roles', 'rolname', role)) return
  const files = ['pg_ls_dir(text, boolean, boolean)', 'pg_stat_file(text, boolean)', 'pg_read_binary_file(text)']
  await client.query(`CREATE ROLE ${role} LOGIN REPLICATION`)
  for (const each of [...files, 'pg_read_binary_file(text, bigint, bigint, boolean)'])
    await client.query(`GRANT EXECUTE ON FUNCTION ${each} TO ${role}`)
}

export async function bootstrap(
  superuser: Superuser,
  { database, owner, postInitApplicationSQL = [] }: ClusterSpec['bootstrap']['initdb'],
  password: string,
): Promise<void> {
  const isNew = await within(superuser, 'postgres', async (client) => {
    await ensureRole(client, owner, `LOGIN PASSWORD ${pg.escapeLiteral(password)}`)
    await ensureReplica(client)
    return ensureDatabase(client, database, owner)
  })
  if (!isNew || postInitApplicationSQL.length === 0) return
  await within(superuser, database, async (client) => {
    for (const statement of postInitApplicationSQL) await client.query(statement)
  })
}

export async function applyRoles(
  superuser: Superuser,
  roles: readonly (Role & { readonly password?: string })[],
): Promise<void> {
  await within(superuser, 'postgres', async (client) => {
    for (const { name, ensure, login = false, password } of roles)
      if (ensure === 'absent') await client.query(`DROP ROLE IF EXISTS ${id(name)}`)
      else {
        const known = password === undefined ? '' : ` PASSWORD ${pg.escapeLiteral(password)}`
        await ensureRole(client, name, `${login ? 'LOGIN' : 'NOLOGIN'}${known}`)
      }
  })
}

export interface Applied {
  readonly name: string
  readonly applied: boolean
  readonly message?: string
}

/** `lacks`: extensions that the image of the Cluster does not bring. Resolves with those of the database. */
export async function applyDatabase(
  superuser: Superuser,
  { name, owner, ensure, extensions = [] }: Database['spec'],
  lacks: readonly string[],
): Promise<readonly Applied[]> {
  await within(superuser, 'postgres', async (client) => {
    if (ensure === 'absent') await client.query(`DROP DATABASE IF EXISTS ${id(name)}`)
    else await ensureDatabase(client, name, owner)
  })
  if (ensure === 'absent' || extensions.length === 0) return []
  return within(superuser, name, async (client) => {
    const applied: Applied[] = []
    for (const extension of extensions)
      try {
        if (lacks.includes(extension.name)) throw new Error(`extension "${extension.name}" is not available`)
        const { version, schema } = extension
        const options = [
          ...(schema === undefined ? [] : [`SCHEMA ${id(schema)}`]),
          ...(version === undefined ? [] : [`VERSION ${pg.escapeLiteral(version)}`]),
        ]
        await client.query(
          extension.ensure === 'absent'
            ? `DROP EXTENSION IF EXISTS ${id(extension.name)}`
            : `CREATE EXTENSION IF NOT EXISTS ${id(extension.name)} ${options.join(' ')}`,
        )
        applied.push({ name: extension.name, applied: true })
      } catch (error) {
        applied.push({ name: extension.name, applied: false, message: wordsOf(error) })
      }
    return applied
  })
}

export async function dropDatabase(superuser: Superuser, name: string): Promise<void> {
  await within(superuser, 'postgres', (client) => client.query(`DROP DATABASE IF EXISTS ${id(name)}`))
}

/** As the Go driver prints an error of the server. */
export function wordsOf(error: unknown): string {
  const { message, code } = error as { readonly message: string; readonly code?: string }
  return code === undefined ? message : `ERROR: ${message} (SQLSTATE ${code})`
}
