/** A Postgres server of the bench's own, fsync on, in a folder that goes with it; each cell gets a database of its own. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'

export interface PostgresServer {
  readonly version: string
  readonly pid: number
  url(database: string): string
  /** Like the template, when there is one. */
  create(database: string, template?: string): Promise<void>
  drop(database: string): Promise<void>
  stop(): Promise<void>
}

const script = fileURLToPath(new URL('../../.ci/postgres.sh', import.meta.url))
const run = promisify(execFile)

/** Those of the first study of the peers, so that its figures compare; everything else as Postgres comes. */
const usual = '-c shared_buffers=1GB -c max_wal_size=4GB -c synchronous_commit=on'

export function hasServerPrograms(): boolean {
  return spawnSync(script, ['find']).status === 0
}

export async function startPostgres(settings = usual): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'statewright-bench-postgres-'))
  const { stdout } = await run(script, ['start', folder], { env: { ...process.env, POSTGRES_OPTIONS: settings } })
  const address = new URL(stdout.trim().split('\n').at(-1)!)
  const stop = async (): Promise<void> => void (await run(script, ['stop', folder]))
  const url = (database: string): string => Object.assign(new URL(address), { pathname: `/${database}` }).href
  const admin = new pg.Client(url('postgres'))
  try {
    await admin.connect()
    const pid = Number((await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0])
    const { rows } = await admin.query<{ version: string }>(`select current_setting('server_version') as version`)
    return {
      version: rows[0]?.version ?? '',
      pid,
      url,
      create: async (database, template = 'template1') =>
        void (await admin.query(`create database ${database} template ${template}`)),
      // It brings a checkpoint: the next cell's pages are new to the log and cost it no full-page images.
      drop: async (database) => void (await admin.query(`drop database if exists ${database} with (force)`)),
      stop: () => admin.end().then(stop),
    }
  } catch (error) {
    await stop()
    throw error
  }
}
