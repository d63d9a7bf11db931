/**
 * A cell: one contender at one number of clients in a process of its own, so that each starts with a heap and compiled
 * code of its own and ends without a trace. The process gets the cell as its argument and prints the result as its
 * last line.
 */
import { Window, closedLoop } from './closed-loop.ts'
import { percentile } from './percentile.ts'
import { postgresMeter } from './postgres-meter.ts'
import { machineSeconds, treeSeconds } from './process-times.ts'
import { writtenBytes } from './written-bytes.ts'

export interface CellSpec {
  readonly clients: number
  readonly warmMs: number
  readonly measureMs: number
  /** The servers' processes; their CPU time counts as the contender's. */
  readonly serverPids: readonly number[]
  /** The database, folder or address that the contender works on. */
  readonly store: string
  readonly isPostgres: boolean
  /** Unlike those of any other cell, for keys and ids. */
  readonly tag: string
  /** What only some contenders take. */
  readonly options: Readonly<Record<string, number | string>>
}

export interface CellResult {
  readonly operations: number
  readonly seconds: number
  readonly perSecond: number
  readonly ackP50Ms?: number
  readonly ackP99Ms?: number
  readonly effectP50Ms?: number
  readonly effectP99Ms?: number
  readonly cpuUs: number
  /** Write-ahead log a piece on Postgres; what the process wrote when the store is in it; nobody can say of another server. */
  readonly logBytes?: number
  /** Growth of the database a piece: tables and indexes, dead rows included. */
  readonly storedBytes?: number
  /** Cores that other processes than the contender's took meanwhile. */
  readonly foreignCores: number
}

export interface Contender {
  once(client: number, window: Window): Promise<void>
  /** Resolves when everything that was begun is settled. */
  drained?(): Promise<void>
  close(): Promise<void>
}

const warmOperations = 1000
const mostWarmRounds = 3

/** The whole life of a cell's process. */
export async function runCell(open: (spec: CellSpec) => Promise<Contender>): Promise<void> {
  const spec = JSON.parse(process.argv[2] ?? '') as CellSpec
  const contender = await open(spec)
  await warmUp(contender, spec)
  const meters = await openMeters(spec)
  const before = await meters.read()
  const startedAt = performance.now()
  const window = new Window(spec.measureMs)
  await phase(contender, spec.clients, window)
  const seconds = (performance.now() - startedAt) / 1000
  const after = await meters.read()
  await meters.close()
  await contender.close()
  console.log(JSON.stringify(resultOf(window, seconds, before, after)))
  // A peer's pool or heartbeat may still hold the loop.
  process.exit(0)
}

/** By time and by number: on a busy machine little code gets hot in a second. A slow contender ends it by time alone. */
async function warmUp(contender: Contender, { clients, warmMs }: CellSpec): Promise<void> {
  let operations = 0
  for (let round = 0; round === 0 || (round < mostWarmRounds && operations < warmOperations); round++) {
    const window = new Window(warmMs)
    await phase(contender, clients, window)
    operations += window.operations
  }
}

async function phase(contender: Contender, clients: number, window: Window): Promise<void> {
  await closedLoop(window, clients, (client) => contender.once(client, window))
  await contender.drained?.()
}

interface Reading {
  readonly cpuSeconds: number
  readonly machineSeconds: number
  readonly logBytes: number | undefined
  readonly storedBytes: number | undefined
}

interface Meters {
  read(): Promise<Reading>
  close(): Promise<void>
}

async function openMeters(spec: CellSpec): Promise<Meters> {
  const postgres = spec.isPostgres ? await postgresMeter(spec.store) : undefined
  return {
    async read() {
      const stored = await postgres?.storedBytes()
      const log = await postgres?.logPosition()
      const own = process.cpuUsage()
      return {
        cpuSeconds: (own.user + own.system) / 1e6 + treeSeconds(spec.serverPids),
        machineSeconds: machineSeconds(),
        logBytes: log ?? (spec.serverPids.length === 0 ? writtenBytes() : undefined),
        storedBytes: stored,
      }
    },
    close: async () => postgres?.close(),
  }
}

function resultOf(window: Window, seconds: number, before: Reading, after: Reading): CellResult {
  const { operations, latenciesMs, effectsMs } = window
  const cpuSeconds = after.cpuSeconds - before.cpuSeconds
  return {
    operations,
    seconds,
    perSecond: operations / seconds,
    ...named('ackP50Ms', percentile(latenciesMs, 0.5)),
    ...named('ackP99Ms', percentile(latenciesMs, 0.99)),
    ...named('effectP50Ms', percentile(effectsMs, 0.5)),
    ...named('effectP99Ms', percentile(effectsMs, 0.99)),
    cpuUs: (cpuSeconds * 1e6) / operations,
    ...named('logBytes', growth(before.logBytes, after.logBytes, operations)),
    ...named('storedBytes', growth(before.storedBytes, after.storedBytes, operations)),
    foreignCores: Math.max(0, (after.machineSeconds - before.machineSeconds - cpuSeconds) / seconds),
  }
}

function growth(before: number | undefined, after: number | undefined, operations: number): number | undefined {
  return before === undefined || after === undefined ? undefined : (after - before) / operations
}

function named<Name extends string>(name: Name, value: number | undefined): { readonly [key in Name]?: number } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: number }
}
