/** Time budgets of the stages (STAGE-4) and of single rows; milliseconds. */
import type { TaskContext } from './context.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

export const stageBudgets = {
  brainstorming: 4 * hour,
  investigating: 4 * hour,
  refining: 2 * hour,
  implementing: 72 * hour,
  documenting: 24 * hour,
  upgrading: 24 * hour,
  reviewing: 24 * hour,
  opening: 6 * hour,
  merging: 6 * hour,
} as const

/** Sum of pod residency over one visit: the only backstop against an endless respawn loop (PARK-11). */
export const residencyCap = 24 * hour

export const maxLaps = 5
/** Third in a row (TURN-12, TURN-14). */
export const maxInRow = 3
/** Losses before the first work, in a row (POD-10). */
export const maxStartFailures = 5

/** Openings in a row that came to nothing: pushing is the wrapper's business, so a fourth try would end as these. */
export const maxFailedOpenings = 3

/** Members answer within a step; one that does not is quarantined, and only people repair that. */
const foldWait = 10 * minute

const longestBackoff = 10 * minute

/** The first two recreations in a row come at once, then 10 s x 2^n, at most 10 min [POD-9]. */
export function respawnBackoff(lostInRow: number): number {
  return lostInRow <= 2 ? 0 : Math.min(longestBackoff, 10 * second * 2 ** (lostInRow - 3))
}

/** Laps of work for one red check that the forge does not require: a third seldom mends what two did not (MERGE-15). */
export const maxOptionalLaps = 2

/** A failed turn is asked again after 30 s, then 60 s; the third failure parks. */
export function turnBackoff(failures: number): number {
  return Math.min(longestBackoff, 30 * second * 2 ** Math.max(0, failures - 1))
}

/** 5 s, 10 s, 20 s ... 5 min. */
function mergeBackoff(asks: number): number {
  return Math.min(5 * minute, 5 * second * 2 ** Math.max(0, asks - 1))
}

/** How long an open check that the forge does not require is awaited before people are asked about it (MERGE-15). */
const openChecksWait = 60 * minute

/** Asks of one head until that has passed: their pauses are its clock. */
export const maxOpenAsks = asksWithin(openChecksWait)

function asksWithin(wait: number): number {
  let asks = 1
  for (let passed = 0; passed < wait; asks += 1) passed += mergeBackoff(asks)
  return asks
}

interface Armed {
  readonly context: TaskContext
}

/** Time that the model was withheld is given back (MODEL-KEY-6). */
function left(budget: number): (armed: Armed) => number {
  return ({ context }) => Math.max(0, budget - context.stage.spentMs)
}

/** The delays by name, as XState arms them. */
export const taskDelays = {
  brainstormingBudget: left(stageBudgets.brainstorming),
  investigatingBudget: left(stageBudgets.investigating),
  refiningBudget: left(stageBudgets.refining),
  implementingBudget: left(stageBudgets.implementing),
  documentingBudget: left(stageBudgets.documenting),
  upgradingBudget: left(stageBudgets.upgrading),
  reviewingBudget: left(stageBudgets.reviewing),
  openingBudget: stageBudgets.opening,
  mergingBudget: stageBudgets.merging,
  foldWait,
  respawnDelay: ({ context }: Armed): number => context.pod.respawnDelayMs,
  turnDelay: ({ context }: Armed): number => context.turn.delayMs,
  mergeDelay: ({ context }: Armed): number => mergeBackoff(context.forge.mergeAsks),
}
