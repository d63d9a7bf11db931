/** Lives a plan through: everything is asked for, all faults happen, calm comes, and what is left comes to its end. */
import type { JournalRow } from '../../runtime/runtime.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { dice } from '../runtime/simulation/dice.ts'
import { createWorld } from '../runtime/simulation/world.ts'
import type { Line } from '../runtime/simulation/world.ts'
import { Agents, type Said } from './agents.ts'
import { Alerting } from './alerting.ts'
import { readEvidence, type Evidence } from './evidence.ts'
import { Faults } from './faults.ts'
import { openForge, type Entry, type Look, type Said as Words } from './forge.ts'
import { Orchestrators, type Compose } from './orchestrators.ts'
import { Checks, requiredCheck } from './late-checks.ts'
import { Meddlers } from './meddlers.ts'
import { Silence } from './silence.ts'
import { Memory, type Filling } from './memory.ts'
import { lacksOf } from './memory-truth.ts'
import { watchOperator } from './operator.ts'
import { Crowd, type Objection, type Opened } from './people.ts'
import { troubledMs, type Fault, type Plan } from './plan.ts'
import { Pods, type Taken } from './pods.ts'
import { apply, besideAsPlanned, calmManifests, pauseAsPlanned, watchReady } from './project.ts'
import { watchRest } from './rest.ts'
import { Stacks } from './stacks/cluster.ts'
import type { Thread } from './thread.ts'
import type { Carry, Journey } from './webhooks.ts'

export interface Outcome extends Evidence {
  readonly plan: Plan
  readonly audit: readonly Entry[]
  readonly looks: readonly Look[]
  readonly said: readonly Said[]
  /** Turns that the provider did not answer, by their end in milliseconds of the life. */
  readonly unanswered: readonly { readonly atMs: number; readonly pod: string }[]
  readonly opened: readonly Opened[]
  readonly objections: readonly Objection[]
  /** Alerts whose sender was told that they are taken. */
  readonly alerts: ReadonlySet<string>
  readonly workspaces: readonly { readonly task: string; readonly place: number }[]
  readonly turns: readonly Taken[]
  readonly comments: readonly Words[]
  readonly fillings: readonly Filling[]
  /** What the memory lacks at the end, or has and should not have. */
  readonly lacks: readonly string[]
  /** In the cluster of the memory stacks at the end, as kinds and names; and what of their data was lost. */
  readonly objects: readonly string[]
  readonly rewritten: readonly string[]
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

function askedMerges({ effects }: JournalRow): readonly Thread[] {
  return effects
    .filter(({ type }) => type === 'mergeMergeRequest')
    .map(({ params }) => ({ repository: String(params['repository']), kind: 'pull', number: Number(params['number']) }))
}

/** Longer than any pause, takeover and clock set back, all of them. */
const readyMs = 1_800_000
/** Longer than any budget of what may be left. */
const calmMs = 2 * 3_600_000

export async function live(plan: Plan, { store, compose, passed }: Stage): Promise<Outcome> {
  const world = createWorld(plan.seed, store)
  const faults = new Faults(plan, passed)
  const stuck: string[] = []
  const checks = new Checks(world, () => forge, plan)
  const forge = await openForge({
    dialect: plan.forge,
    repositories: plan.repositories,
    now: () => world.clock.now(),
    carry: (attempt) => carry(attempt),
    required: plan.required && { name: requiredCheck, by: plan.required.by },
    pushed: (repository, sha) => checks.begin(repository, sha),
  })
  const agents: Agents = new Agents({
    world,
    plan,
    forge,
    met: (moment, thread) => meddlers.meet(moment, thread),
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
  const memory = new Memory(world, plan)
  const stacks = new Stacks(world, plan.stack)
  const orchestrators = new Orchestrators({
    world,
    plan,
    outside: { forge, pods, memory, stacks, faults, beforeMerge },
    compose,
    heard(row) {
      world.tell(`${row.address} ${row.seq}: ${row.event.type} -> ${row.path}`)
      for (const thread of askedMerges(row)) meddlers.meet('merging', thread)
    },
  })
  const silence = new Silence()
  const crowd = new Crowd(world, forge, { plan, silence })
  const meddlers = new Meddlers(world, forge, { plan, silence })
  const alerting = new Alerting(world, () => orchestrators, plan)

  const late = dice(plan.seed, 'late pushes')
  async function beforeMerge(repository: string, number: number): Promise<void> {
    if (late.chance(plan.latePushes)) await crowd.pushLate({ repository, kind: 'pull', number })
  }

  /** What is lost here is asked for again, or the mirror finds it by itself. */
  function carry({ url, event, headers, body }: Parameters<Carry>[0]): Journey {
    if (silence.loses(event)) {
      world.tell(`the webhook ${event} is lost`, true)
      return { isLost: true, answer: Promise.resolve(undefined) }
    }
    const fault = faults.nextWebhook(event)
    if (fault) world.tell(`the webhook ${event} is ${fault.what}`, true)
    const send = async (delayMs: number): Promise<number | undefined> => {
      await new Promise<void>((resolve) => world.after(delayMs, resolve))
      const path = new URL(url).pathname
      return (await orchestrators.call({ kind: 'webhook', method: 'POST', path, headers, body }))?.status
    }
    if (fault?.what === 'lost') return { isLost: true, answer: Promise.resolve(undefined) }
    if (fault?.what === 'twice') void send(fault.ms)
    return { isLost: false, answer: send(fault?.what === 'late' || fault?.what === 'overtaken' ? fault.ms : 200) }
  }

  async function stage(name: string, forMs: number, isOver: () => boolean): Promise<void> {
    if (!(await world.run(isOver, world.elapsed() + forMs))) stuck.push(name)
  }

  orchestrators.begin()
  const ready = watchReady(world, orchestrators, plan)
  await stage('becoming ready', readyMs, () => ready.isReady)
  crowd.begin()
  meddlers.begin()
  alerting.begin()
  stacks.begin()
  const goesOn = pauseAsPlanned(world, orchestrators, plan)
  const settled = besideAsPlanned(world, orchestrators, plan)
  watchOperator(world, orchestrators, { plan, isOver: () => faults.isCalm })
  const from = world.elapsed()
  await stage('the troubled time', troubledMs + 1000, () => world.elapsed() >= from + troubledMs)
  faults.becalm()
  agents.becalm()
  crowd.becalm()
  silence.becalm()
  checks.becalm()
  orchestrators.becalm()
  world.tell('all is calm from here on', true)
  void Promise.all([goesOn, settled]).then(() => apply(world, orchestrators, calmManifests(plan)))
  const lacks = (): readonly string[] => (plan.memory === 'there' ? lacksOf(memory, forge, plan) : [])
  const rest = watchRest(world, orchestrators, { crowd, lacks })
  await stage('coming to rest', calmMs, () => rest.isOver)
  orchestrators.end()

  const evidence = await readEvidence(store, world)
  for (const row of evidence.rows) world.mark(JSON.stringify(row))
  for (const entry of forge.audit) world.mark(JSON.stringify(entry))
  return {
    plan,
    ...evidence,
    audit: forge.audit,
    looks: forge.looks,
    said: agents.said,
    unanswered: agents.unanswered,
    opened: crowd.opened,
    objections: crowd.objections,
    alerts: alerting.taken,
    workspaces: pods.deleted,
    turns: pods.taken,
    comments: forge.comments(),
    fillings: memory.fillings,
    lacks: lacks(),
    objects: stacks.objects,
    rewritten: stacks.rewritten,
    struck: faults.struck,
    leftovers: rest.leftovers,
    stuck,
    lines: world.lines,
    elapsedMs: world.elapsed(),
    hash: world.hash(),
  }
}
