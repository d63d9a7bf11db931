/** The servers of a run, and how a cell gets its store on them. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { lastLineOf } from '../kit/child.ts'
import { startPostgres } from '../kit/postgres-server.ts'
import type { PostgresServer } from '../kit/postgres-server.ts'
import { migrate } from '../../runtime/store/migrate.ts'
import { openPgSql } from '../../runtime/store/postgres/pg-sql.ts'
import { createBaselineTables } from './baselines/tables.ts'
import type { ContenderInfo } from './contenders/contenders.ts'
import { openActors, startOwnRuntime, spreadActors } from './contenders/own-runtime.ts'
import { startRestate } from './contenders/restate-server.ts'
import type { RestateServer } from './contenders/restate-server.ts'

export interface Servers {
  readonly postgres: PostgresServer
  readonly restate: RestateServer | undefined
}

const schemaBoundMs = 60_000

export async function startServers(wanted: readonly ContenderInfo[]): Promise<Servers> {
  const postgres = await startPostgres()
  try {
    const restate = wanted.some(({ store }) => store === 'restate') ? await startRestate() : undefined
    return { postgres, restate }
  } catch (error) {
    await postgres.stop()
    throw error
  }
}

export async function stopServers({ postgres, restate }: Servers): Promise<void> {
  await restate?.stop()
  await postgres.stop()
}

export async function makeTemplates(
  postgres: PostgresServer,
  wanted: readonly ContenderInfo[],
  actors: number,
): Promise<void> {
  const makers = { own: makeOwn, baseline: makeBaseline, dbos: makeDbos }
  for (const name of new Set(wanted.flatMap(({ template }) => template ?? []))) {
    await postgres.create(name)
    await makers[name](postgres.url(name), actors)
  }
}

async function makeOwn(url: string, actors: number): Promise<void> {
  const sql = await openPgSql({ url })
  await migrate(sql)
  const runtime = await startOwnRuntime(sql, async () => [])
  await openActors(runtime, 0, actors)
  await spreadActors(runtime, actors)
  await runtime.stop()
  // Stopping wrote snapshots of all: without them the journals are folded, and each is due where its journal says.
  await sql.exec('delete from snapshot')
  await sql.exec('vacuum analyze')
  await sql.close()
}

async function makeBaseline(url: string, actors: number): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await createBaselineTables(client, actors)
  await client.end()
}

async function makeDbos(url: string): Promise<void> {
  const program = new URL('./peers/dbos-schema.ts', import.meta.url)
  await lastLineOf(program, { argument: { store: url }, boundMs: schemaBoundMs })
}

interface Place {
  readonly store: string
  readonly isPostgres: boolean
  readonly serverPids: readonly number[]
}

/** Runs something on a fresh store of the contender's kind and clears it away. */
export async function withStore<T>(
  { postgres, restate }: Servers,
  { store, template }: Pick<ContenderInfo, 'store' | 'template'>,
  tag: string,
  run: (place: Place) => Promise<T>,
): Promise<T> {
  if (store === 'restate') return run({ store: restate!.ingress, isPostgres: false, serverPids: restate!.pids })
  if (store === 'folder') return withFolder((folder) => run({ store: folder, isPostgres: false, serverPids: [] }))
  const database = `cell_${tag}`
  await postgres.create(database, template)
  try {
    return await run({ store: postgres.url(database), isPostgres: true, serverPids: [postgres.pid] })
  } finally {
    await postgres.drop(database)
  }
}

async function withFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'statewright-bench-folder-'))
  try {
    return await run(join(folder, 'db'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
