/** The deadlines of docs/rules.md (STAGE, POD, TURN), stated once more and apart from the machines: a table that doubles one is found out. */
import type { ActorAddress } from '../../machines/definition.ts'
import { kindOf } from '../machines/world/trace.ts'
import type { Seen } from './world-model.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** TTL 1 h and turns of at most 30 min, as the worlds' Project says. */
const ttl = hour
const turnTimeout = 30 * minute

/** By kind, then by the timer's name. A list: the least and the most. */
const deadlines: Readonly<Record<string, Readonly<Record<string, number | readonly [number, number]>>>> = {
  task: {
    // Less what was spent before the model was withheld: the rows say how much.
    brainstormingBudget: [0, 4 * hour],
    investigatingBudget: [0, 4 * hour],
    refiningBudget: [0, 2 * hour],
    implementingBudget: [0, 72 * hour],
    documentingBudget: [0, 24 * hour],
    upgradingBudget: [0, 24 * hour],
    reviewingBudget: [0, 24 * hour],
    openingBudget: 6 * hour,
    mergingBudget: 6 * hour,
    foldWait: 10 * minute,
    respawnDelay: [10 * second, 10 * minute],
    turnDelay: [30 * second, 10 * minute],
    mergeDelay: [5 * second, 5 * minute],
  },
  pod: {
    volumes: 10 * minute,
    boot: 15 * minute,
    ttl,
    turnTimeout,
    hardCap: ttl + 2 * turnTimeout + minute,
    grace: 2 * minute,
    residency: 24 * hour,
    note: minute,
  },
  turn: {
    poll: minute,
    retry: minute,
    quiet: [0, turnTimeout],
    grace: 50 * second,
    interruption: 50 * second,
    lastLook: 10 * second,
  },
  ledger: { nextDay: [1, 24 * hour] },
  /** A window's reset is the provider's own. */
  'model-key': { pause: [0, Infinity] },
  /** By failures in a row; a look after a change comes at once. */
  memory: { stepEnds: hour, look: [0, 32 * minute] },
  'memory-stack': { look: [0, 5 * minute] },
  project: { resync: 30 * minute, recheck: 5 * minute },
  'ingest-job': { itemTimeout: [5 * second, minute], retry: [5 * second, 10 * second] },
}

/** Schedules of a Project are its own. */
function isClosed(actor: ActorAddress): boolean {
  return kindOf(actor) !== 'project'
}

interface Armed {
  readonly id: string
  readonly delayMs: number
}

/** The timers of one actor against the tables. */
export function misarmed(actor: ActorAddress, armed: readonly Armed[]): readonly string[] {
  const table = deadlines[kindOf(actor)] ?? {}
  return armed.flatMap(({ id, delayMs }) => {
    const name = id.split('.')[2] ?? id
    const limit = table[name]
    if (limit === undefined) return isClosed(actor) ? [`the tables know no timer ${name}`] : []
    const [least, most] = typeof limit === 'number' ? [limit, limit] : limit
    return delayMs < least || delayMs > most
      ? [`${name} is armed for ${delayMs / second} s, the table says otherwise`]
      : []
  })
}

export function overdue({ moment, world }: Seen): readonly string[] {
  if (moment.kind !== 'stepped' || moment.timers.length === 0) return []
  const { actor, timers } = moment
  const { now } = world.actors
  const armed = world.actors.timers.filter((one) => one.actor === actor && timers.includes(one.id))
  return misarmed(
    actor,
    armed.map(({ id, dueAt }) => ({ id, delayMs: dueAt - now })),
  )
}
