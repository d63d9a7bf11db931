/** From a seed to its plan; which points of `points.ts` it dies at is counted off, not rolled, so that all have their turn. */
import { dice } from '../runtime/simulation/dice.ts'
import type { Dice } from '../runtime/simulation/dice.ts'
import { stackFaults, stackPlan } from './stacks/plan.ts'
import {
  meddlers,
  meddlingMoments,
  objectionPlaces,
  troubledMs,
  type AlertPlan,
  type AlterationPlan,
  type CrashFault,
  type Fault,
  type ForeignPushPlan,
  type ForgeryPlan,
  type IssuePlan,
  type MemoryFault,
  type ObjectionPlan,
  type Person,
  type Plan,
  type RebasePlan,
  type RequiredCheckPlan,
  type Scheduled,
  type VisitPlan,
} from './plan.ts'

const lastWishMs = 200_000

export function makePlan(seed: number, points: readonly string[]): Plan {
  const roll = dice(seed, 'plan')
  const crashes = crashesOf(seed, roll, points)
  const ways = waysThere.filter(({ to }) => crashes.some(({ point }) => to.test(point)))
  const alone = aloneOf(ways, roundOf(seed, points))
  // Dice of its own: what else a seed makes stays what it was.
  const ofMemory = dice(seed, 'memory')
  const plain: Plan = {
    seed,
    forge: forgeOf(dice(seed, 'forge')),
    repositories: roll.chance(0.35) ? 2 : 1,
    issues: Array.from(
      {
        length: roll.weighted([
          [3, 1],
          [4, 2],
          [2, 3],
        ]),
      },
      (_, index) => issuePlan(roll, index),
    ),
    visits: several(
      roll.weighted([
        [4, 0],
        [1, 1],
        [1, 2],
      ]),
      () => visitPlan(roll),
    ),
    objections: objectionPlans(dice(seed, 'objections')),
    forgeries: forgeryPlans(dice(seed, 'forgeries')),
    alterations: alterationPlans(dice(seed, 'alterations')),
    foreignPushes: foreignPushPlans(dice(seed, 'foreign pushes')),
    rebases: rebasePlans(dice(seed, 'rebases')),
    required: requiredPlan(dice(seed, 'required check')),
    alerts: several(
      roll.weighted([
        [4, 0],
        [1, 1],
        [1, 2],
      ]),
      (index) => alertPlan(roll, index),
    ),
    schedule: roll.chance(0.65) ? [] : scheduled.filter(() => roll.chance(0.5)),
    budget: roll.chance(0.8) ? undefined : { window: roll.whole(10, 40) * 1000, day: roll.whole(0, 30) * 1000 },
    faults: [...crashes, ...justAfter(roll), ...troubles(roll), ...memoryTroubles(ofMemory), ...stackFaults(seed)],
    stack: stackPlan(seed),
    agents: roll.chance(0.15) ? 'honest' : 'mixed',
    firstMood: undefined,
    isMuchFound: roll.chance(0.2),
    maxConcurrentAgents: roll.whole(1, 3),
    withheld: withheldPlan(dice(seed, 'withheld')),
    latePushes: roll.weighted([
      [2, 0],
      [1, 0.6],
    ]),
    hasShortJournals: roll.chance(0.15),
    hasOldLetter: roll.chance(0.2),
    memory: ofMemory.weighted([
      [16, 'there'],
      [2, 'gone'],
      [1, 'silent'],
      [1, 'off'],
    ] as const),
    secrets: several(ofMemory.whole(0, 2), () => ({
      atMs: ofMemory.whole(0, lastWishMs),
      forMs: ofMemory.whole(5000, 300_000),
      how: ofMemory.pick(['deleted', 'transferred']),
    })),
    paused: ofMemory.chance(0.2)
      ? { atMs: ofMemory.whole(0, 300_000), forMs: ofMemory.whole(5000, 250_000) }
      : undefined,
  }
  return alone ? alone.so(undisturbed(plain, alone.to)) : ways.reduce((plan, { so }) => so(plan), plain)
}

/** Of two in one life, each has its turn. */
function aloneOf(ways: readonly Way[], round: number): Way | undefined {
  const seldom = ways.filter(({ isSeldom }) => isSeldom)
  return round % roundsAlone === 0 ? seldom[(round / roundsAlone) % Math.max(1, seldom.length)] : undefined
}

/** What is seldom come to is come to in a life in which nothing else goes wrong before. */
function undisturbed(plan: Plan, to: RegExp): Plan {
  const isFor = (fault: Fault): boolean => fault.kind === 'crash' && fault.before === undefined && to.test(fault.point)
  const faults = plan.faults.filter(isFor).map((fault) => ({ ...fault, nth: 1, restartMs: soonMs }) as Fault)
  const issues = plan.issues.map((issue) => ({ ...issue, orders: false }))
  return { ...plan, faults, issues, ...calmWays }
}

const calmWays = {
  agents: 'honest',
  budget: undefined,
  maxConcurrentAgents: 3,
  withheld: undefined,
  foreignPushes: [],
  forgeries: [],
  alterations: [],
  rebases: [],
  required: undefined,
  memory: 'there',
  stack: undefined,
  paused: undefined,
} as const

/** With the lives that a point of GitLab alone asks for it is every third. Dice of its own: what else a seed makes stays what it was. */
function forgeOf(roll: Dice): Plan['forge'] {
  return roll.weighted([
    [3, 'github'],
    [1, 'gitlab'],
  ] as const)
}

/** Dice of its own: what else a seed makes stays what it was. */
function withheldPlan(roll: Dice): Plan['withheld'] {
  if (!roll.chance(0.3)) return undefined
  return { atMs: roll.whole(5, 120) * 1000, forMs: roll.whole(30, 1200) * 1000, saysWhen: roll.chance(0.5) }
}

const scheduled: readonly Scheduled[] = ['issueScan', 'brainstorm', 'documentation', 'upgrade']

function several<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

function person(roll: Dice): Person {
  return roll.weighted([
    [5, 'reporter'],
    [3, 'maintainer'],
    [4, 'stranger'],
  ] as const)
}

function issuePlan(roll: Dice, index: number): IssuePlan {
  const by = index === 0 ? 'reporter' : person(roll)
  return {
    atMs: index === 0 ? 1000 : roll.whole(0, lastWishMs),
    by,
    isLabelled: index === 0 || roll.chance(0.85),
    orders: roll.chance(0.35),
    maintainer: roll.weighted([
      [8, 'approves'],
      [2, 'hesitates'],
      [2, 'withdraws late'],
      [1, 'closes'],
      [2, 'edits'],
      [1, 'deletes'],
      [3, 'is overruled'],
      [1, 'takes it back'],
    ] as const),
  }
}

function visitPlan(roll: Dice): VisitPlan {
  return {
    atMs: roll.whole(0, lastWishMs),
    by: person(roll),
    isLabelled: roll.chance(0.8),
    pushesAgain: roll.chance(0.4),
  }
}

function objectionPlans(roll: Dice): readonly ObjectionPlan[] {
  const count = roll.weighted([
    [3, 0],
    [2, 1],
    [1, 2],
  ])
  return several(count, (nth) => ({
    nth,
    place: roll.pick(objectionPlaces),
    liftMs: roll.whole(20_000, 240_000),
    liftBy: roll.pick(['comment', 'review']),
  }))
}

/** Dice of its own: what else a seed makes stays what it was. */
function forgeryPlans(roll: Dice): readonly ForgeryPlan[] {
  return several(roll.whole(0, 3), (index) => ({
    nth: 2 * index + roll.whole(0, 1),
    by: roll.pick(meddlers),
    how: roll.pick(['approves', 'excuses', 'deletes']),
    afterMs: roll.whole(0, 1500),
    isUntold: roll.chance(0.5),
  }))
}

function alterationPlans(roll: Dice): readonly AlterationPlan[] {
  return several(meddlings(roll), (nth) => ({
    nth,
    by: roll.pick(meddlers),
    how: roll.pick(['alters', 'deletes']),
    afterMs: roll.pick([roll.whole(-5000, -1000), roll.whole(-999, 999), roll.whole(1000, 8000)]),
    isUntold: roll.chance(0.5),
  }))
}

/** Dice of its own: what else a seed makes stays what it was. */
function foreignPushPlans(roll: Dice): readonly ForeignPushPlan[] {
  return several(meddlings(roll), (nth) => meddlingPlan(roll, nth))
}

function rebasePlans(roll: Dice): readonly RebasePlan[] {
  return several(meddlings(roll), (nth) => {
    const isGivenBack = roll.chance(0.4)
    return { ...meddlingPlan(roll, nth), backMs: isGivenBack ? roll.whole(200, 60_000) : undefined }
  })
}

function meddlings(roll: Dice): number {
  return roll.weighted([
    [2, 0],
    [2, 1],
    [1, 2],
  ])
}

function meddlingPlan(roll: Dice, nth: number): ForeignPushPlan {
  return {
    nth,
    by: roll.pick(meddlers),
    moment: roll.pick(meddlingMoments),
    afterMs: roll.whole(0, 8000),
    isUntold: roll.chance(0.4),
  }
}

function requiredPlan(roll: Dice): RequiredCheckPlan | undefined {
  if (!roll.chance(0.3)) return undefined
  return {
    by: roll.pick(['protection', 'ruleset']),
    lateMs: roll.whole(0, 120_000),
    runMs: roll.whole(500, 60_000),
    hangs: roll.pick([0, 0.3, 1]),
    isUnreported: roll.chance(0.5),
  }
}

function alertPlan(roll: Dice, index: number): AlertPlan {
  return { atMs: roll.whole(0, lastWishMs), name: `alert-${index}`, times: roll.whole(1, 3) }
}

/** How many points a life aims at; those of one life lie far apart in the list, as do their moments in it. */
const aims = 11
/** Every fourth round what is seldom come to is aimed at alone; every second, all where they first come there. */
const roundsAlone = 4
const soonMs = 500

/** Points lie so far apart that a life aims at, so after as many seeds all were aimed at once: that is a round. */
function strideOf(points: readonly string[]): number {
  return Math.ceil(points.length / aims)
}

function roundOf(seed: number, points: readonly string[]): number {
  return Math.floor(seed / strideOf(points))
}

function crashesOf(seed: number, roll: Dice, points: readonly string[]): readonly CrashFault[] {
  const isEven = roundOf(seed, points) % 2 === 0
  const count = isEven || roll.chance(0.8) ? aims : 0
  const stride = strideOf(points)
  return several(count, (index) => {
    const own = points[(seed + index * stride) % points.length] ?? ''
    const restartMs = roll.weighted([
      [12, soonMs],
      [2, 20_000],
      [1, 120_000],
    ])
    const isFirst = isEven || waysThere.some(({ to }) => to.test(own)) || roll.chance(0.4)
    return { kind: 'crash', point: own, nth: isFirst ? 1 : later(roll), restartMs }
  })
}

function later(roll: Dice): number {
  return roll.weighted([
    [2, roll.whole(2, 4)],
    [1, roll.whole(5, 12)],
  ])
}

/** Between what was taken from outside and its commit, or between what was decided and its doing. */
const moments: readonly (readonly [before: string, point: string])[] = [
  ['agent: come in', 'sql store/commit-steps commitSteps: not done'],
  ['agent: come in', 'sql store/commit-steps commitSteps: done and not heard'],
  ['callback: come in', 'sql store/commit-steps commitSteps: not done'],
  ['alert: come in', 'sql store/commit-steps commitSteps: not done'],
  ['forge POST comments: not done', 'sql store/commit-steps commitSteps: not done'],
  ['forge PUT merge: not done', 'sql store/commit-steps commitSteps: done and not heard'],
]

function justAfter(roll: Dice): readonly CrashFault[] {
  return several(roll.whole(0, 2), () => {
    const [before, point] = roll.pick(moments)
    return { kind: 'crash', point, before, nth: roll.whole(1, 10), restartMs: 500 }
  })
}

/** In a row, as of a service that is away for a while, or here and there. */
function memoryTroubles(roll: Dice): readonly MemoryFault[] {
  return several(roll.whole(0, 2), () => {
    const [what, from] = [roll.pick(['away', 'unheard', 'failed'] as const), roll.whole(1, 30)]
    return several(roll.whole(1, 3), (index): MemoryFault => ({ kind: 'memory', what, nth: from + index }))
  }).flat()
}

interface Way {
  readonly to: RegExp
  /** Every fourth round it is aimed at alone. */
  readonly isSeldom?: true
  readonly so: (plan: Plan) => Plan
}

function withFaults(...faults: readonly Fault[]): Way['so'] {
  return (plan) => ({ ...plan, faults: [...faults, ...plan.faults] })
}

/** Points that are come to only when something else goes its way too, and what. */
const waysThere: readonly Way[] = [
  {
    to: /wrapper GET messages/,
    so: withFaults(
      ...several(4, (nth): Fault => ({ kind: 'wrapper', call: 'POST message', what: 'no answer', nth: 1 + nth })),
    ),
  },
  {
    to: /insert-inbox|shard-owners|forward-outcomes/,
    so: withFaults(
      { kind: 'stop', atMs: 20_000, overlapMs: 240_000 },
      { kind: 'stop', atMs: 330_000, overlapMs: 150_000 },
    ),
  },
  { to: /release-shards|remove-process/, so: withFaults({ kind: 'stop', atMs: 60_000, overlapMs: 30_000 }) },
  {
    to: /compact-journal|last-event-before|list-baselines|last-baseline/,
    so: (plan) => ({ ...plan, hasShortJournals: true }),
  },
  {
    to: /wrapper POST (?:probe|interrupt)/,
    isSeldom: true,
    so: (plan) => ({ ...plan, firstMood: 'hangs' }),
  },
  { to: /spilled-notes/, isSeldom: true, so: (plan) => ({ ...plan, firstMood: 'writes' }) },
  { to: /forge (?:POST|DELETE) drafts/, so: (plan) => ({ ...plan, forge: 'gitlab' }) },
  { to: /removeDeadLetter/, so: (plan) => ({ ...plan, hasOldLetter: true }) },
  {
    to: /applyPush/,
    isSeldom: true,
    so: (plan) =>
      withFaults(
        ...['pull_request', 'Merge Request Hook'].flatMap((event) =>
          several(12, (nth): Fault => ({ kind: 'webhook', event, what: 'late', nth: 2 + nth, ms: 20_000 })),
        ),
      )({
        ...plan,
        latePushes: 0.6,
        visits: [{ atMs: 5000, by: 'reporter', isLabelled: true, pushesAgain: true }, ...plan.visits.slice(1)],
      }),
  },
  {
    to: /postponeDelivery|nextDeliveryAt/,
    so: withFaults(...several(6, (nth): Fault => ({ kind: 'forge', on: 'read', what: 'no answer', nth: 3 + nth * 3 }))),
  },
  {
    to: /seenDeliveries|readIssues|readMergeRequest|advanceCursor/,
    so: withFaults(...several(4, (nth): Fault => ({ kind: 'webhook', what: 'lost', nth: 2 + nth * 3, ms: 1000 }))),
  },
  {
    to: /markDeleted/,
    so: (plan) => ({ ...plan, issues: plan.issues.map((issue) => ({ ...issue, maintainer: 'deletes' })) }),
  },
  {
    to: /forge PATCH issues/,
    isSeldom: true,
    so: (plan) => ({
      ...plan,
      isMuchFound: true,
      schedule: [...new Set<Scheduled>([...plan.schedule, 'issueScan'])],
      issues: [
        ...plan.issues.slice(0, 1),
        { atMs: 2000, by: 'maintainer', isLabelled: false, orders: false, maintainer: 'approves' },
      ],
    }),
  },
  {
    // Whoever reviews asks for it. What main requires is read of the branch and of its rules.
    to: /ci-store dropRead:/,
    isSeldom: true,
    so: withFaults(
      ...['main', 'statuses'].flatMap((end) =>
        several(9, (nth): Fault => ({ kind: 'forge', on: 'read', end, what: '502 before the write', nth: 1 + nth })),
      ),
    ),
  },
  {
    to: /believeForge|takeIssueAlong|applyIssue|applyComment/,
    so: withFaults(...several(6, (nth): Fault => ({ kind: 'webhook', what: 'overtaken', nth: 1 + nth * 2, ms: 5000 }))),
  },
  {
    to: /forge POST issues/,
    isSeldom: true,
    so: (plan) => ({
      ...plan,
      isMuchFound: true,
      schedule: [...new Set<Scheduled>([...plan.schedule, 'brainstorm'])],
    }),
  },
  {
    to: /alert:/,
    so: (plan) => ({ ...plan, alerts: [{ atMs: 10_000, name: 'alert-0', times: 2 }, ...plan.alerts.slice(1)] }),
  },
]

function troubles(roll: Dice): readonly Fault[] {
  const some = (most: number, make: () => Fault): readonly Fault[] => several(roll.whole(0, most), make)
  return [
    ...some(5, () => {
      const what = roll.pick(['lost', 'twice', 'late', 'overtaken'] as const)
      return { kind: 'webhook', what, nth: roll.whole(1, 40), ms: roll.whole(1000, 120_000) }
    }),
    ...some(3, () => {
      const what = roll.pick(['502 after the write', 'no answer', '502 before the write', 'rate limit'] as const)
      return { kind: 'forge', on: 'write', what, nth: roll.whole(1, 25) }
    }),
    ...some(3, () => {
      const what = roll.pick(['no answer', '502 before the write', 'rate limit'] as const)
      return { kind: 'forge', on: 'read', what, nth: roll.whole(1, 60) }
    }),
    ...some(2, () => {
      const what = roll.pick(['no answer', '502 after', '502 before'] as const)
      return { kind: 'wrapper', call: undefined, what, nth: roll.whole(1, 60) }
    }),
    ...some(2, () => ({
      kind: 'store',
      what: roll.pick(['unsent', 'answer lost'] as const),
      nth: roll.whole(30, 900),
    })),
    ...some(1, () => ({ kind: 'pause', atMs: roll.whole(0, troubledMs / 2), forMs: roll.whole(1000, 150_000) })),
    ...some(1, () => ({ kind: 'stop', atMs: roll.whole(0, troubledMs / 2), overlapMs: roll.whole(0, 60_000) })),
    ...some(1, () => ({ kind: 'jump', atMs: roll.whole(0, troubledMs / 2), byMs: roll.whole(-600_000, 600_000) })),
    ...some(2, () => ({
      kind: 'pod',
      nth: roll.whole(1, 4),
      afterMs: roll.weighted([
        [1, roll.whole(0, 9000)],
        [1, roll.whole(0, 60_000)],
      ]),
      isZombie: roll.chance(0.5),
    })),
  ]
}
