/** One run: a database, a crew and a load, round after round of faults, rest, and the verdict. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Lease } from '../../../runtime/store/rows.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import { openAcknowledgedLog } from './acknowledged-log.ts'
import { endCrew, startCrew, type Worker } from './crew.ts'
import { startDatabase, type Database } from './database.ts'
import { dice, type Dice } from './dice.ts'
import { gather, rest } from './evidence.ts'
import { faultWeights, inflict, type Fault } from './faults.ts'
import type { Absence, History } from './history.ts'
import { brokenLaws } from './laws.ts'
import { startLoad, type Load } from './load.ts'
import type { Plant } from './messages.ts'

export interface RunSettings {
  readonly rounds: number
  readonly seed: number
  readonly plants: readonly Plant[]
  readonly faults?: Partial<Record<Fault, number>>
  readonly say: (line: string) => void
}

export interface Verdict {
  readonly rounds: number
  readonly seed: number
  readonly faults: Readonly<Record<string, number>>
  readonly acknowledged: number
  readonly repeated: number
  readonly steps: number
  readonly performed: number
  readonly takeovers: number
  /** From a kill until every shard had a living owner again, in milliseconds; `lateMs`: how late the machine was at most. */
  readonly takeoverMs: { readonly p50: number; readonly max: number; readonly lateMs: number }
  readonly seconds: number
  readonly broken: readonly string[]
}

const crewSize = 3
const shards = 24
const leaseMs = 1500
const load = { clients: 24, tasks: 40, pods: 8 }
const restBoundMs = 60_000
/** Far beyond the lease: a machine may be busy, an orphan stays one. */
const takeoverBoundMs = 20 * leaseMs
const lookMs = 10

interface Stage {
  readonly database: Database
  readonly crew: readonly Worker[]
  readonly load: Load
  readonly chance: Dice
  readonly say: (line: string) => void
  readonly absences: Absence[]
  readonly faults: Record<string, number>
}

export async function run(settings: RunSettings): Promise<Verdict> {
  const began = Date.now()
  const folder = await mkdtemp(join(tmpdir(), 'chaos-'))
  const database = await startDatabase()
  try {
    const crew = await startCrew(crewSize, {
      databasePort: database.port,
      folder,
      leaseMs,
      shards,
      plants: settings.plants,
    })
    try {
      await rest(database.sql, { shards, crew: crewSize }, restBoundMs)
      const stage = await rounds(settings, database, crew, folder)
      await rest(database.sql, { shards, crew: crewSize }, restBoundMs)
      const stored = await gather(
        database.sql,
        { acknowledged: join(folder, 'acknowledged'), receipts: folder },
        shards,
      )
      return verdict(settings, stage, { ...stored, leaseMs, absences: stage.absences }, Date.now() - began)
    } finally {
      await endCrew(crew)
    }
  } finally {
    await database.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function rounds(
  { rounds: count, seed, faults, say }: RunSettings,
  database: Database,
  crew: readonly Worker[],
  folder: string,
): Promise<Stage> {
  const log = await openAcknowledgedLog(join(folder, 'acknowledged'))
  const stage: Stage = {
    database,
    crew,
    say,
    load: startLoad(crew, log, { seed, ...load }),
    chance: dice(seed),
    absences: [],
    faults: {},
  }
  const weights = { ...(faults ? {} : faultWeights), ...faults } as Record<Fault, number>
  for (const [index, fault] of faultsOf(stage.chance, count, weights).entries())
    await oneRound(stage, `${index + 1}/${count} seed ${seed}`, fault)
  await stage.load.stop()
  await log.close()
  return stage
}

/** Each kind once, then as likely as its weight: so no run of eight rounds or more is without one of them. */
function faultsOf(chance: Dice, count: number, weights: Record<Fault, number>): readonly Fault[] {
  const deck = chance.shuffled(Object.keys(weights) as Fault[])
  return Array.from({ length: count }, (_, index) => deck[index] ?? chance.weighted(weights))
}

async function oneRound(stage: Stage, title: string, fault: Fault): Promise<void> {
  const { chance, crew, database, say, load: sending } = stage
  await delay(chance.between(150, 600))
  const shares = await sharesOf(database.sql)
  const first = chance.pick(crew)
  // One that holds nothing has just come back: nobody would notice what is done to it.
  const victim = [first, ...crew].find(({ owner }) => shares.has(owner)) ?? first
  const state = await describe(victim, shares)
  const name = victim.owner
  const before = sending.counts.acknowledged
  const watch = fault === 'kill' ? watchTakeover(database.sql, name) : undefined
  await inflict[fault]({ database, victim, leaseMs, chance })
  const absence = await watch
  if (absence) stage.absences.push(absence)
  stage.faults[fault] = (stage.faults[fault] ?? 0) + 1
  const since = sending.counts.acknowledged - before
  const gap = absence ? `, all shards held again after ${absence.tookMs} ms` : ''
  say(`round ${title}: ${fault} ${name} (${state}); ${since} acknowledged meanwhile${gap}`)
}

async function sharesOf(sql: Sql): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql.query<{ owner: string; held: number }>(
    'select owner, count(*) as held from shard where owner is not null group by owner',
  )
  return new Map(rows.map(({ owner, held }) => [owner, held]))
}

async function describe(victim: Worker, shares: ReadonlyMap<string, number>): Promise<string> {
  const state = await victim.state()
  const own = state ? `${state.waiting} waiting, ${state.performing} effects under way` : 'silent'
  return `pid ${victim.pid ?? 0}, ${shares.get(victim.owner) ?? 0} shards, ${own}`
}

/** Epochs tell: a dead owner's shards are held again when each was taken under a new one. */
async function watchTakeover(sql: Sql, owner: string): Promise<Absence> {
  const began = Date.now()
  let latestLookMs = 0
  const { rows } = await sql.query<Lease>('select shard, epoch from shard where owner = $1', [owner])
  while (Date.now() - began < takeoverBoundMs) {
    const asked = Date.now()
    const now = await sql.query<Lease>('select shard, epoch from shard')
    const epochs = new Map(now.rows.map((row) => [row.shard, row.epoch]))
    if (rows.every(({ shard, epoch }) => epochs.get(shard)! > epoch))
      return { tookMs: Date.now() - began, latestLookMs }
    await delay(lookMs)
    latestLookMs = Math.max(latestLookMs, Date.now() - asked - lookMs)
  }
  throw new Error(`the shards of ${owner} were not taken over within ${takeoverBoundMs} ms`)
}

function verdict({ rounds: count, seed }: RunSettings, stage: Stage, history: History, tookMs: number): Verdict {
  const sorted = stage.absences.map((absence) => absence.tookMs).toSorted((a, b) => a - b)
  return {
    rounds: count,
    seed,
    faults: stage.faults,
    ...stage.load.counts,
    steps: [...history.journals.values()].reduce((sum, rows) => sum + rows.length, 0),
    performed: history.performed.length,
    takeovers: history.takeovers.length,
    takeoverMs: {
      p50: sorted[sorted.length >> 1] ?? 0,
      max: sorted.at(-1) ?? 0,
      lateMs: Math.max(0, ...stage.absences.map((absence) => absence.latestLookMs)),
    },
    seconds: Math.round(tookMs / 1000),
    broken: brokenLaws(history),
  }
}
