/** Lives a plan through: everything is asked for, all faults happen, calm comes, and what is left comes to its end. */
import { localManifests } from '../../cli/local/manifests.ts'
import { machines } from '../../machines/registry.ts'
import type { ActorAddress } from '../../machines/definition.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import { createRuntime } from '../../runtime/create-runtime.ts'
import { silentLogger } from '../../runtime/logger.ts'
import type { ActorView, DeadLetter, JournalRow, PendingEffect, ReplayResult } from '../../runtime/runtime.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { dice } from '../runtime/simulation/dice.ts'
import { createWorld } from '../runtime/simulation/world.ts'
import type { Line, World } from '../runtime/simulation/world.ts'
import { Agents, type Said } from './agents.ts'
import { Faults } from './faults.ts'
import { botToken, forgeUrl, openForge, repositoryName, triggerLabel, type Entry } from './forge.ts'
import { Orchestrators, hookSecret, operatorToken, type Compose } from './orchestrators.ts'
import { Crowd, type Opened } from './people.ts'
import { troubledMs, type Fault, type Plan } from './plan.ts'
import { Pods } from './pods.ts'
import type { Carry } from './webhooks.ts'
import { installTime } from './time.ts'

/** A step as it was committed: `place` is its place among all steps of all actors. */
export interface PlacedRow extends JournalRow {
  readonly place: number
}

export interface Outcome {
  readonly plan: Plan
  readonly rows: readonly PlacedRow[]
  readonly audit: readonly Entry[]
  readonly said: readonly Said[]
  readonly opened: readonly Opened[]
  readonly workspaces: readonly { readonly task: string; readonly place: number }[]
  readonly comments: readonly { readonly number: number; readonly author: string; readonly body: string }[]
  readonly views: readonly ActorView[]
  readonly letters: readonly DeadLetter[]
  readonly effects: readonly PendingEffect[]
  readonly replays: readonly ReplayResult[]
  /** The faults that had their moment. */
  readonly struck: readonly Fault[]
  readonly leftovers: readonly object[]
  readonly stuck: readonly string[]
  readonly lines: readonly Line[]
  readonly elapsedMs: number
  readonly hash: string
}

export interface Stage {
  readonly store: Sql
  readonly compose: Compose
  readonly passed: (point: string, died: boolean) => void
}

const inspectEveryMs = 15_000
const aTask = encodeURIComponent('queue:default/demo')
const questions: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/operations/open'],
  ['GET', '/operations/turns'],
  ['POST', '/operations/retention'],
  ['GET', '/operations/actors'],
  ['GET', `/operations/history?address=${aTask}`],
  ['GET', `/operations/replay?address=${aTask}`],
  ['GET', `/operations/export?address=${aTask}`],
  ['GET', '/operations/effects'],
  ['GET', '/operations/dead-letters'],
]

/** Longer than any budget of what may be left. */
const calmMs = 3 * 3_600_000
/** Two walks of the mirror over the forge. */
const walkedMs = 3_900_000
const lookMs = 20_000
const helpEveryMs = 60_000

export async function live(plan: Plan, { store, compose, passed }: Stage): Promise<Outcome> {
  const world = createWorld(plan.seed, store)
  installTime(() => world.clock.now())
  const faults = new Faults(plan, passed)
  const stuck: string[] = []
  const forge = await openForge({
    carry: (attempt) => carry(attempt),
    pushed: (_branch, sha) => {
      forge.check(sha, undefined)
      world.after(2000 + world.latency.fraction() * 20_000, () =>
        world.onStore(async () => forge.check(sha, 'success')),
      )
    },
  })
  const agents: Agents = new Agents({
    world,
    plan,
    forge,
    pods: () => pods,
    orchestrators: () => orchestrators,
  })
  const pods = new Pods({
    place: () => forge.place,
    world,
    plan,
    faults,
    work: (pod, turn) => agents.work(pod, turn),
    callBack: (pod, turn) => agents.callBack(pod, turn),
  })
  const orchestrators = new Orchestrators({
    world,
    plan,
    outside: { forge, pods, faults, beforeMerge },
    compose,
    heard: (row) => world.tell(`${row.address} ${row.seq}: ${row.event.type} -> ${row.path}`),
  })
  const crowd = new Crowd(world, forge, plan)

  const late = dice(plan.seed, 'late pushes')
  async function beforeMerge(number: number): Promise<void> {
    if (late.chance(plan.latePushes)) await crowd.pushLate(number)
  }

  /** What is lost here is asked for again, or the mirror finds it by itself. */
  async function carry({ url, event, headers, body }: Parameters<Carry>[0]): Promise<number | undefined> {
    const fault = faults.nextWebhook()
    if (fault) world.tell(`the webhook ${event} is ${fault.what}`, true)
    const send = async (delayMs: number): Promise<number | undefined> => {
      await new Promise<void>((resolve) => world.after(delayMs, resolve))
      const path = new URL(url).pathname
      return (await orchestrators.call({ kind: 'webhook', method: 'POST', path, headers, body }))?.status
    }
    if (fault?.what === 'lost') return undefined
    if (fault?.what === 'twice') void send(fault.ms)
    return send(fault?.what === 'late' || fault?.what === 'overtaken' ? fault.ms : 200)
  }

  /** Somebody looks at things, as on any other day. */
  const asks = dice(plan.seed, 'operator')
  function inspect(): void {
    if (faults.isCalm) return
    world.after(inspectEveryMs, inspect)
    const [method, path] = asks.pick(questions)
    void orchestrators.inspect(method, path)
  }

  async function stage(name: string, forMs: number, isOver: () => boolean): Promise<void> {
    if (!(await world.run(isOver, world.elapsed() + forMs))) stuck.push(name)
  }

  orchestrators.begin()
  const ready = watchReady(world, orchestrators, plan)
  await stage('becoming ready', troubledMs, () => ready.isReady)
  crowd.begin()
  inspect()
  const from = world.elapsed()
  await stage('the troubled time', troubledMs + 1000, () => world.elapsed() >= from + troubledMs)
  faults.becalm()
  agents.becalm()
  crowd.becalm()
  orchestrators.becalm()
  world.tell('all is calm from here on', true)
  const rest = watchRest(world, orchestrators, crowd)
  await stage('coming to rest', calmMs, () => rest.isOver)
  orchestrators.end()

  const found = await read(store, world)
  for (const row of found.rows) world.mark(JSON.stringify(row))
  for (const entry of forge.audit) world.mark(JSON.stringify(entry))
  return {
    plan,
    ...found,
    audit: forge.audit,
    said: agents.said,
    opened: crowd.opened,
    workspaces: pods.deleted,
    comments: forge.comments(),
    struck: faults.struck,
    leftovers: rest.leftovers,
    stuck,
    lines: world.lines,
    elapsedMs: world.elapsed(),
    hash: world.hash(),
  }
}

/** Applies the Project and its Repository until somebody has taken them, and looks until the Project is ready. */
function watchReady(world: World, orchestrators: Orchestrators, plan: Plan): { isReady: boolean } {
  const state = { isReady: false }
  const left = [...manifestsOf(plan)]
  async function apply(): Promise<void> {
    for (let [next] = left; next !== undefined; [next] = left) {
      const body = JSON.stringify(next)
      const headers = { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' }
      const answer = await orchestrators.call({ kind: 'operator', method: 'PUT', path: '/resources', headers, body })
      if (answer?.status === 200) left.shift()
      else if (answer && answer.status < 500) throw new Error(`not applied: ${answer.body}`)
      else await new Promise<void>((resolve) => world.after(2000, resolve))
    }
  }
  const look = (): void => {
    if (state.isReady) return
    world.after(5000, look)
    world.onStore(async () => {
      const { rows } = await world.store.query<{ path: string }>("select path from actor where kind = 'project'")
      state.isReady = left.length === 0 && /\bready\b/.test(rows[0]?.path ?? '')
    })
  }
  world.after(1000, () => void apply())
  look()
  return state
}

function manifestsOf(plan: Plan): readonly object[] {
  const manifests = localManifests({
    project: 'demo',
    repository: repositoryName,
    defaultBranch: 'main',
    forgeUrl,
    forgeApi: `${forgeUrl}/api/v3`,
    token: botToken,
    webhookSecret: hookSecret,
    triggerLabel,
  }) as readonly { readonly kind: string; readonly spec?: object }[]
  const { maxConcurrentAgents } = plan
  return manifests.map((manifest) =>
    manifest.kind === 'Project'
      ? { ...manifest, spec: { ...manifest.spec, ...projectSpec, maxConcurrentAgents } }
      : manifest,
  )
}

const projectSpec = {
  agentPodTTLSeconds: 900,
  agent: { turnTimeoutSeconds: 300, stallProbeGraceSeconds: 60, stallProbeMaxAttempts: 1 },
}

interface Rest {
  isOver: boolean
  leftovers: readonly object[]
}

/** Looks again and again until nobody has anything left to do; a maintainer brings back what is parked meanwhile. */
function watchRest(world: World, orchestrators: Orchestrators, crowd: Crowd): Rest {
  const rest: Rest = { isOver: false, leftovers: [] }
  const from = world.elapsed()
  let helpedAt = from
  const look = (): void => {
    if (rest.isOver) return
    world.after(lookMs, look)
    world.onStore(async () => {
      rest.leftovers = await leftovers(world.store)
      const isQuiet = rest.leftovers.length === 0 && world.elapsed() - helpedAt >= 2 * lookMs
      // A wish whose webhook was lost is found by the next walk of the mirror.
      rest.isOver = isQuiet && (crowd.isSatisfied || world.elapsed() - from > walkedMs)
    })
    const { current } = orchestrators
    if (!current || world.elapsed() - helpedAt < helpEveryMs) return
    helpedAt = world.elapsed()
    void help(current.runtime, crowd)
  }
  look()
  return rest
}

async function help(runtime: { list: (kind: 'task') => Promise<readonly ActorView[]> }, crowd: Crowd): Promise<void> {
  for (const view of await runtime.list('task')) {
    const task = view.context as unknown as TaskContext
    if (task.stageClass !== 'parked' || task.stage === 'implement-declined') continue
    const threads = [...task.issues, ...task.mergeRequests].filter(({ state }) => state === 'open')
    const [first] = threads
    if (first) crowd.retry(first.number)
  }
}

/** Work that somebody has, and Tasks that have not ended. */
async function leftovers(store: Sql): Promise<readonly object[]> {
  const { rows } = await store.query(`select 'inbox' as what, actor, key from inbox
    union all select 'effect', actor, type from effect where not dead and type <> 'resyncMirror'
    union all select 'actor', address, path from actor where status = 'active' and kind in ('task', 'pod', 'turn')
    union all select 'delivery', project, delivery from forge_delivery where state = 'pending'`)
  return rows
}

type Found = Pick<Outcome, 'rows' | 'views' | 'letters' | 'effects' | 'replays'>

/** By a runtime that never saw anything of it. */
async function read(store: Sql, world: World): Promise<Found> {
  const runtime = createRuntime({
    sql: store,
    definitions: machines,
    handlers: {},
    clock: { ...world.clock, now: () => Math.floor(world.clock.now()) },
    random: () => 0,
    logger: silentLogger,
    owner: 'reader',
  })
  const kinds = ['project', 'queue', 'task', 'pod', 'turn', 'issue', 'merge-request'] as const
  const views: ActorView[] = []
  for (const kind of kinds) views.push(...(await runtime.list(kind, { limit: 500 })))
  const placed = await store.query<{ actor: ActorAddress; seq: number; place: number }>(
    'select actor, seq, place from event',
  )
  const places = new Map(placed.rows.map(({ actor, seq, place }) => [`${actor} ${seq}`, place]))
  const rows: PlacedRow[] = []
  const replays: ReplayResult[] = []
  for (const { address } of views) {
    for (const row of await runtime.history(address))
      rows.push({ ...row, place: places.get(`${address} ${row.seq}`) ?? 0 })
    replays.push(await runtime.replay(address))
  }
  return {
    rows: rows.toSorted((a, b) => a.place - b.place),
    replays,
    views,
    letters: await runtime.deadLetters({ limit: 1000 }),
    effects: await runtime.pendingEffects(),
  }
}
