/** Counts cells, each over a database of its own on a server whose log holds nothing but what sessions write. */
import { lastLineOf } from '../kit/child.ts'
import { startPostgres } from '../kit/postgres-server.ts'
import type { PostgresServer } from '../kit/postgres-server.ts'
import type { Counts, CountSpec } from './count-cell.ts'
import { majorOf } from './table.ts'
import type { Cells, CountTable } from './table.ts'

/**
 * Without whole pages, vacuums of the server's own, checkpoints and the standby's snapshots the log depends on statements
 * alone. Nothing here outlives the server, so nothing waits for the disk.
 */
const settings = [
  'fsync=off',
  'full_page_writes=off',
  'autovacuum=off',
  'checkpoint_timeout=1d',
  'max_wal_size=16GB',
  'wal_level=minimal',
  'max_wal_senders=0',
]
  .map((setting) => `-c ${setting}`)
  .join(' ')

/** A cell takes 10 s of processor time at most. */
const cellBoundMs = 240_000
/** Part of each event's id, as long as a delivery's of a forge. */
const tag = 'counts'

export function startCountedServer(): Promise<PostgresServer> {
  return startPostgres(settings)
}

export interface Cell {
  readonly clients: number
  readonly tag?: string
  /** Another program in the place of `cell.ts`, with more in its argument. */
  readonly program?: URL
  readonly options?: Readonly<Record<string, string>>
}

export async function measureCell(server: PostgresServer, cell: Cell): Promise<Counts> {
  const database = `cell_${cell.clients}`
  await server.create(database)
  try {
    const spec: CountSpec = { store: server.url(database), clients: cell.clients, tag: cell.tag ?? tag }
    return await lastLineOf<Counts>(cell.program ?? new URL('./cell.ts', import.meta.url), {
      argument: { ...spec, ...cell.options },
      boundMs: cellBoundMs,
    })
  } finally {
    await server.drop(database)
  }
}

export async function measureCells(server: PostgresServer, clients: readonly number[]): Promise<Cells> {
  const cells: Record<string, Counts> = {}
  for (const count of clients) cells[count] = await measureCell(server, { clients: count })
  return cells
}

/** What the table cannot judge on this server. */
export function leftOut(table: CountTable, server: PostgresServer): readonly (keyof Counts)[] {
  return majorOf(server.version) === table.postgres ? [] : ['logBytes']
}
