/** What a run consists of, as data: made from the seed alone, so that a smaller one can be made of it. */
import { dice } from '../runtime/simulation/dice.ts'
import type { Dice } from '../runtime/simulation/dice.ts'

export interface Plan {
  readonly seed: number
  readonly issues: readonly IssuePlan[]
  readonly faults: readonly Fault[]
  readonly agents: 'honest' | 'mixed'
  readonly maxConcurrentAgents: number
  /** How often a maintainer pushes to a branch in the very moment in which it is to be merged. */
  readonly latePushes: number
}

/** By whom and when an issue is opened; `orders` hides orders to the agent in it. */
export interface IssuePlan {
  readonly atMs: number
  readonly by: 'reporter' | 'maintainer' | 'stranger'
  readonly isLabelled: boolean
  readonly orders: boolean
  readonly maintainer: MaintainerMood
}

/** What the maintainer does with a plan that asks for approval. */
export type MaintainerMood = 'approves' | 'hesitates' | 'withdraws late' | 'closes' | 'edits'

export type Fault = CrashFault | WebhookFault | ForgeFault | PauseFault | StopFault | JumpFault | PodFault | StoreFault

/** The process dies at a point of `points.ts`, the nth time that it comes there; undefined: at whatever point comes nth. */
export interface CrashFault {
  readonly kind: 'crash'
  readonly point: string | undefined
  readonly nth: number
  readonly restartMs: number
}

export interface WebhookFault {
  readonly kind: 'webhook'
  readonly what: 'lost' | 'twice' | 'late' | 'overtaken'
  readonly nth: number
  readonly ms: number
}

/** The nth write: done and answered 502, done and never answered, refused with 502 before it, or told to wait. */
export interface ForgeFault {
  readonly kind: 'forge'
  readonly what: '502 after the write' | 'no answer' | '502 before the write' | 'rate limit'
  readonly nth: number
}

/** As by SIGSTOP; longer than a lease when another process is to take over meanwhile. */
export interface PauseFault {
  readonly kind: 'pause'
  readonly atMs: number
  readonly forMs: number
}

/** Told to stop, and started again under another name: as when a release is rolled out. */
export interface StopFault {
  readonly kind: 'stop'
  readonly atMs: number
}

export interface JumpFault {
  readonly kind: 'jump'
  readonly atMs: number
  readonly byMs: number
}

/** The nth pod ends by itself; `isZombie`: its agent goes on though the platform sees it gone. */
export interface PodFault {
  readonly kind: 'pod'
  readonly nth: number
  readonly afterMs: number
  readonly isZombie: boolean
}

/** The nth statement: it never arrives, or its answer is lost. */
export interface StoreFault {
  readonly kind: 'store'
  readonly what: 'unsent' | 'answer lost'
  readonly nth: number
}

export function faultText(fault: Fault): string {
  return Object.entries(fault)
    .map(([name, value]) => (name === 'kind' ? String(value) : `${name} ${value ?? 'any'}`))
    .join(', ')
}

/** The world in which things go wrong lasts so long; afterwards all are cooperative. */
export const troubledMs = 900_000
const lastIssueMs = 240_000

export function makePlan(seed: number, points: readonly string[]): Plan {
  const roll = dice(seed, 'plan')
  return {
    seed,
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
    faults: [...crashes(seed, roll, points), ...troubles(roll)],
    agents: roll.chance(0.15) ? 'honest' : 'mixed',
    maxConcurrentAgents: roll.whole(1, 3),
    latePushes: roll.weighted([
      [2, 0],
      [1, 0.6],
    ]),
  }
}

function issuePlan(roll: Dice, index: number): IssuePlan {
  const by =
    index === 0
      ? 'reporter'
      : roll.weighted([
          [5, 'reporter'],
          [3, 'maintainer'],
          [3, 'stranger'],
        ] as const)
  return {
    atMs: index === 0 ? 1000 : roll.whole(0, lastIssueMs),
    by,
    isLabelled: index === 0 || roll.chance(0.85),
    orders: roll.chance(0.35),
    maintainer: roll.weighted([
      [8, 'approves'],
      [2, 'hesitates'],
      [2, 'withdraws late'],
      [1, 'closes'],
      [2, 'edits'],
    ] as const),
  }
}

/** Every point has its turn, so that none depends on luck; others die wherever they are. */
function crashes(seed: number, roll: Dice, points: readonly string[]): readonly Fault[] {
  const turns = roll.weighted([
    [1, 0],
    [5, 3],
    [2, 5],
  ])
  const stride = 7
  return Array.from({ length: turns }, (_, index) => index).flatMap((index): readonly CrashFault[] => {
    const own = points[(seed * stride + index) % Math.max(1, points.length)]
    const isAnywhere = roll.chance(0.2)
    const before = own && waysThere.find(([point]) => own.startsWith(point))?.[1]
    const way: readonly CrashFault[] = before ? [{ kind: 'crash', point: before, nth: 1, restartMs: 500 }] : []
    const crash: CrashFault = {
      kind: 'crash',
      point: isAnywhere ? undefined : own,
      nth: isAnywhere
        ? roll.whole(20, 900)
        : roll.weighted([
            [3, 1],
            [1, roll.whole(2, 12)],
          ]),
      restartMs: roll.weighted([
        [4, 500],
        [1, 20_000],
        [1, 120_000],
      ]),
    }
    return [...way, crash]
  })
}

/** Points that are come to only after something else went wrong, and what. */
const waysThere: readonly (readonly [point: string, before: string])[] = [
  ['wrapper GET messages', 'wrapper POST message: done and not heard'],
]

function troubles(roll: Dice): readonly Fault[] {
  const several = <T>(most: number, make: () => T): readonly T[] => Array.from({ length: roll.whole(0, most) }, make)
  return [
    ...several(5, (): Fault => {
      const what = roll.pick(['lost', 'twice', 'late', 'overtaken'] as const)
      return { kind: 'webhook', what, nth: roll.whole(1, 40), ms: roll.whole(1000, 120_000) }
    }),
    ...several(3, (): Fault => {
      const what = roll.pick(['502 after the write', 'no answer', '502 before the write', 'rate limit'] as const)
      return { kind: 'forge', what, nth: roll.whole(1, 25) }
    }),
    ...several(2, (): Fault => ({
      kind: 'store',
      what: roll.pick(['unsent', 'answer lost'] as const),
      nth: roll.whole(30, 900),
    })),
    ...several(1, (): Fault => ({
      kind: 'pause',
      atMs: roll.whole(0, troubledMs / 2),
      forMs: roll.whole(1000, 150_000),
    })),
    ...several(1, (): Fault => ({
      kind: 'jump',
      atMs: roll.whole(0, troubledMs / 2),
      byMs: roll.whole(-600_000, 600_000),
    })),
    ...several(2, (): Fault => ({
      kind: 'pod',
      nth: roll.whole(1, 4),
      afterMs: roll.whole(0, 60_000),
      isZombie: roll.chance(0.5),
    })),
  ]
}
