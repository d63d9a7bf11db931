/** Lives a plan through: everything is sent, all faults happen, calm comes, and what is left is brought together. */
import type { ActorAddress } from '../../../machines/definition.ts'
import { silentLogger } from '../../../runtime/logger.ts'
import type {
  ActorView,
  DeadLetter,
  JournalRow,
  PendingEffect,
  ReplayResult,
  Runtime,
} from '../../../runtime/runtime.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import { unsettledText } from '../../../runtime/store/effects/unsettled-effects.ts'
import { runClients, sendAll } from './clients.ts'
import { Evidence } from './evidence.ts'
import type { Plan, Send } from './plan.ts'
import { definitions, Processes } from './processes.ts'
import type { CreateRuntime, ProcessesOptions } from './processes.ts'
import { createWorld } from './world.ts'
import type { Line, World } from './world.ts'

export interface Outcome {
  readonly plan: Plan
  readonly evidence: Evidence
  readonly journals: ReadonlyMap<ActorAddress, readonly JournalRow[]>
  readonly views: readonly ActorView[]
  readonly letters: readonly DeadLetter[]
  /** What an operator took from the letters is not silent either. */
  readonly effects: readonly PendingEffect[]
  readonly replays: readonly ReplayResult[]
  /** Work that the store still held when everybody had had the time for it. */
  readonly leftovers: readonly object[]
  /** Stages that did not come to their end. */
  readonly stuck: readonly string[]
  readonly lines: readonly Line[]
  readonly elapsedMs: number
  readonly hash: string
}

export interface Stage {
  readonly store: Sql
  readonly createRuntime: CreateRuntime
  readonly passed: ProcessesOptions['passed']
}

const sendingMs = 120_000
/** Longer than a forwarded delivery waits for an owner, after the longest jump of a clock. */
const restingMs = 120_000
const endingMs = 40_000
const lookMs = 400

export async function live(plan: Plan, { store, createRuntime, passed }: Stage): Promise<Outcome> {
  const world = createWorld(plan.seed, store)
  const evidence = new Evidence(world)
  const processes = new Processes({ world, plan, evidence, createRuntime, passed })
  const clients = { world, plan, evidence, processes }
  const stuck: string[] = []

  async function stage(name: string, forMs: number, work: Promise<unknown>, atLeastMs = 0): Promise<void> {
    let isDone = false
    void work.then(() => (isDone = true))
    const isOver = (): boolean => isDone && world.elapsed() >= atLeastMs
    if (!(await world.run(isOver, world.elapsed() + forMs))) stuck.push(name)
  }

  processes.begin()
  await stage('sending', sendingMs, runClients(clients), lastFaultAt(plan))
  processes.becalm()
  world.tell('all is calm from here on', true)
  await stage('letting go', sendingMs, sendAll(clients, 'end', lastSends))
  const rest = { leftovers: [] as readonly object[] }
  await stage('coming to rest', restingMs, resting(world, rest))
  await stage('ending', endingMs, processes.end())

  const found = await read(createRuntime, world)
  for (const [actor, rows] of found.journals) world.mark(`${actor} ${JSON.stringify(rows)}`)
  return {
    plan,
    evidence,
    ...found,
    leftovers: rest.leftovers,
    stuck,
    lines: world.lines,
    elapsedMs: world.elapsed(),
    hash: world.hash(),
  }
}

/** So that no handler hangs for ever. */
const lastSends: readonly Send[] = (['a', 'b', 'c'] as const).map((id) => ({
  key: `end.${id}`,
  to: `task:${id}`,
  type: 'parked',
  fields: { note: `end.${id}` },
  again: [],
}))

function lastFaultAt({ faults }: Plan): number {
  return Math.max(0, ...faults.map((fault) => ('atMs' in fault ? fault.atMs : 0)))
}

/** Looks again and again, until the store holds no work. */
function resting(world: World, rest: { leftovers: readonly object[] }): Promise<void> {
  const text = `select 'inbox' as what, actor, key from inbox
    union all select 'effect', actor, type || ' ' || seq from (${unsettledText({ where: 'not e.dead' })}) as unsettled
    union all select 'timer', actor, id from timer`
  return new Promise((resolve) => {
    const look = (): void =>
      world.onStore(async () => {
        rest.leftovers = (await world.store.query(text)).rows
        if (rest.leftovers.length === 0) resolve()
        else world.after(lookMs, look)
      })
    look()
  })
}

type Found = Pick<Outcome, 'journals' | 'views' | 'letters' | 'effects' | 'replays'>

/** By a runtime that never saw anything of it. */
async function read(createRuntime: CreateRuntime, world: World): Promise<Found> {
  const runtime: Runtime = createRuntime({
    sql: world.store,
    definitions,
    clock: world.clock,
    random: () => 0,
    logger: silentLogger,
    owner: 'reader',
  })
  const views = [...(await runtime.list('task')), ...(await runtime.list('pod'))]
  const journals = new Map<ActorAddress, readonly JournalRow[]>()
  const replays: ReplayResult[] = []
  for (const { address } of views) {
    journals.set(address, await runtime.history(address))
    replays.push(await runtime.replay(address))
  }
  return {
    journals,
    replays,
    views,
    letters: await runtime.deadLetters({ limit: 1000 }),
    effects: await runtime.pendingEffects(),
  }
}
