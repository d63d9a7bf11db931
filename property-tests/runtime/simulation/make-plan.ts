/** Seeds to plans. Weights keep histories alive: what ends an actor or refuses an event is rare. */
import { dice } from './dice.ts'
import type { Dice } from './dice.ts'
import type { ClientPlan, Fault, JumpFault, Plan, Question, Send, Settings, Step } from './plan.ts'
import { crashPoints } from './points.ts'

const ids = ['a', 'b', 'c'] as const
/** By then all that was planned has been sent and all faults have begun. */
const activeMs = 5000

export function makePlan(seed: number): Plan {
  const plan = plainPlan(seed)
  return plan.faults.length > 0 && isAimed(seed) ? baited(plan, aimedAt(seed)) : plan
}

function plainPlan(seed: number): Plan {
  const processes = dice(seed, 'processes').weighted([
    [3, 1],
    [3, 2],
    [2, 3],
  ])
  const roll = dice(seed, 'plan')
  const settings = settingsOf(roll)
  return {
    seed,
    processes: Array.from({ length: processes }, (_, slot) => ({
      slot,
      startsAtMs: slot === 0 || roll.chance(0.5) ? 0 : roll.whole(0, activeMs / 2),
    })),
    settings,
    clients: ids.slice(0, roll.whole(1, 3)).map((id, index) => clientOf(dice(seed, `client ${index}`), index, id)),
    faults: faultsOf(dice(seed, 'faults'), seed, processes, settings),
    ending: roll.pick(['stopped', 'crashed']),
  }
}

/** Some points lie where chance seldom leads: given up effects, refused data from another process, a stop. */
function baited(plan: Plan, point: string): Plan {
  const [verb] = point.split(':')
  const steps: readonly Step[] =
    verb === 'bury-inbox' ? unholdables : [...failures, { kind: 'operator', afterMs: 1500, asks: questions }]
  const [first, ...others] = plan.clients
  const stop: Fault = { kind: 'stop', slot: 0, atMs: 2500, restartMs: 300 }
  return {
    ...plan,
    clients: [{ ...first!, steps: [...first!.steps, ...steps] }, ...others],
    faults: verb === 'release-shards' ? [...plan.faults, stop] : plan.faults,
  }
}

const bait = { kind: 'send', afterMs: 100 } as const

const failures: readonly Step[] = ids.map((id): Step => {
  const fields = { note: `bait.${id}`, how: 'refuses' }
  return { ...bait, sends: [{ key: `bait.${id}`, to: `task:${id}`, type: 'filed', fields, again: [] }] }
})

const unholdables: readonly Step[] = [0, 1, 2, 3, 4, 5].map((index): Step => {
  const key = `bait.${index}`
  return {
    ...bait,
    sends: [{ key, to: `task:${ids[index % 3]!}`, type: 'noted', fields: { note: `${key} unholdable` }, again: [] }],
  }
})

/** The same, but what goes wrong is the clocks: each process's is set on and back while timers are armed. */
export function withJumps(plan: Plan): Plan {
  const roll = dice(plan.seed, 'jumps')
  const jumps = Array.from({ length: roll.whole(2, 6) }, () =>
    jumpOf(roll, roll.whole(0, plan.processes.length - 1), roll.whole(0, activeMs)),
  )
  return { ...plan, faults: jumps }
}

/** The same, but what goes wrong is commits: one in four of them never arrives. */
export function withLostCommits(plan: Plan): Plan {
  const roll = dice(plan.seed, 'lost commits')
  const faults = plan.processes.flatMap(({ slot }) =>
    Array.from({ length: 5 }, (_, index): Fault => {
      const nth = 4 * index + roll.whole(1, 4)
      return { kind: 'store', slot, of: 'commits', nth, what: 'unsent', ms: 0 }
    }),
  )
  return { ...plan, faults }
}

function settingsOf(roll: Dice): Settings {
  return {
    shards: roll.pick([1, 4]),
    leaseMs: 4000,
    pollMs: roll.pick([500, 2000]),
    snapshotEvery: roll.pick([1, 3, 10]),
    maxBatch: roll.pick([1, 2, 4, 100]),
    maxHot: roll.pick([1, 3, 100]),
    maxHeldEffects: roll.pick([1, 3, 100]),
    idleSnapshotMs: roll.pick([300, 5000]),
    maxQueued: roll.pick([2, 8, 100]),
    latencyMs: roll.pick([1, 5, 40]),
    halving: roll.pick(['measured', 'always'] as const),
    settleRestMs: roll.pick([1, 500, 5000]),
  }
}

/** One sender an actor, and another actor now and then: its order there is promised too. */
function clientOf(roll: Dice, index: number, id: string): ClientPlan {
  const name = `c${index}`
  let count = 0
  const send = (type?: string): Send =>
    sendOf(roll, `${name}.${count++}`, roll.chance(0.85) ? id : roll.pick(ids), type)
  const opening: Step = {
    kind: 'send',
    afterMs: 0,
    sends: ids.map((one) => ({ ...sendOf(roll, `${name}.open.${one}`, one, 'opened') })),
  }
  const steps = Array.from({ length: roll.whole(3, 9) }, (): Step => {
    const afterMs = roll.chance(0.5) ? 0 : roll.whole(0, 1800)
    if (roll.chance(0.15)) return { kind: 'operator', afterMs, asks: roll.pick([questions, [roll.pick(questions)]]) }
    return { kind: 'send', afterMs, sends: Array.from({ length: roll.pick([1, 1, 1, 2, 4]) }, () => send()) }
  })
  return { name, steps: [opening, ...steps] }
}

const questions: readonly Question[] = ['list', 'read', 'replay', 'effects', 'timers', 'letters', 'redeliver']

const types = [
  [5, 'noted'],
  [5, 'asked'],
  [2, 'askedTwice'],
  [3, 'askedInOrderTwice'],
  [2, 'filed'],
  [4, 'toldTwice'],
  [4, 'later'],
  [3, 'recalled'],
  [2, 'armed'],
  [1, 'disarmed'],
  [4, 'merged'],
  [3, 'parked'],
  [0.7, 'poisonGuard'],
  [0.4, 'misaddressed'],
  [0.4, 'unheard'],
  [0.25, 'closed'],
] as const

/** What handlers do when asked (`handlers.ts`). */
const manners = [
  [6, 'fine'],
  [3, 'fails once'],
  [1, 'fails twice'],
  [2, 'asks to wait'],
  [1, 'refuses'],
  [1, 'always fails'],
  [2, 'answers twice'],
  [2, 'slow'],
  [0.5, 'misaddresses'],
  [0.5, 'brings poison'],
] as const

function sendOf(roll: Dice, key: string, id: string, fixed?: string): Send {
  const type = fixed ?? roll.weighted(types)
  const isGhost = fixed === undefined && roll.chance(0.02)
  const isUnholdable = fixed === undefined && roll.chance(0.03)
  return {
    key,
    to: isGhost ? 'task:ghost' : `task:${id}`,
    type,
    fields: { note: isUnholdable ? `${key} unholdable` : key, ...fieldsOf(roll, type) },
    again: roll.chance(0.25) ? [roll.pick([0, 0, 1, 700, 3000])] : [],
  }
}

function fieldsOf(roll: Dice, type: string): Send['fields'] {
  if (type === 'toldTwice') return { hops: roll.whole(0, 2) }
  if (type === 'later') return { ms: roll.pick([1, 50, 400, 1500, 4000]) }
  if (type === 'merged') return { how: roll.pick(['fine', 'hangs', 'fails once', 'asks to wait', 'slow']) }
  if (type === 'filed') return { how: roll.pick(['refuses', 'always fails', 'fine']) }
  if (type.startsWith('asked')) return { how: roll.weighted(manners) }
  return {}
}

/** One schedule in eight has none: the laws that only calm weather allows are checked there. Every other has one point in aim. */
function faultsOf(roll: Dice, seed: number, processes: number, settings: Settings): readonly Fault[] {
  if (roll.chance(1 / 8)) return []
  const others = Array.from({ length: roll.whole(1, 5) }, () => faultOf(roll, roll.whole(0, processes - 1), settings))
  return isAimed(seed) ? [crashAt(roll, aimedAt(seed), settings), ...others] : others
}

function isAimed(seed: number): boolean {
  return seed % 2 === 1
}

/** Each in its turn, so that some hundred seeds have been everywhere. */
function aimedAt(seed: number): string {
  return crashPoints[((seed - 1) / 2) % crashPoints.length]!
}

function crashAt(roll: Dice, point: string, { leaseMs }: Settings): Fault {
  const restartMs = roll.pick([0, 300, leaseMs * 2])
  return { kind: 'crash', slot: undefined, point, nth: roll.pick([1, 1, 1, 2, 5]), restartMs }
}

function faultOf(roll: Dice, slot: number, settings: Settings): Fault {
  const { leaseMs } = settings
  const atMs = roll.whole(0, activeMs)
  const longerThanLease = leaseMs + roll.whole(100, leaseMs)
  switch (roll.weighted(faultKinds)) {
    case 'crash':
      return {
        kind: 'crash',
        slot,
        point: undefined,
        nth: roll.whole(3, 90),
        restartMs: roll.pick([0, 300, longerThanLease]),
      }
    case 'crash at a point':
      return crashAt(roll, roll.pick(crashPoints), settings)
    case 'store':
      return {
        kind: 'store',
        slot,
        of: 'statements',
        nth: roll.whole(3, 90),
        what: roll.pick(['unsent', 'answer lost', 'answer lost', 'late', 'slow']),
        ms: roll.pick([30, 600, longerThanLease]),
      }
    case 'commit':
      return {
        kind: 'store',
        slot,
        of: 'commits',
        nth: roll.whole(1, 20),
        what: roll.pick(['unsent', 'answer lost', 'late', 'stalled', 'stalled']),
        ms: roll.pick([600, longerThanLease, longerThanLease]),
      }
    case 'outage':
      return {
        kind: 'outage',
        slot: roll.chance(0.5) ? slot : undefined,
        atMs,
        forMs: roll.pick([100, 1500, longerThanLease]),
      }
    case 'pause':
      return { kind: 'pause', slot, atMs, forMs: roll.pick([300, longerThanLease, longerThanLease]) }
    case 'jump':
      return jumpOf(roll, slot, atMs)
    case 'stop':
      return { kind: 'stop', slot, atMs, restartMs: roll.pick([0, 300, longerThanLease]) }
  }
}

const faultKinds = [
  [4, 'crash'],
  [3, 'crash at a point'],
  [4, 'store'],
  [4, 'commit'],
  [2, 'outage'],
  [3, 'pause'],
  [2, 'jump'],
  [2, 'stop'],
] as const

function jumpOf(roll: Dice, slot: number, atMs: number): JumpFault {
  const byMs = roll.pick([20, 900, 6000, 15_000]) * roll.pick([1, -1])
  return { kind: 'jump', slot, atMs, byMs }
}
