/** The worlds that are explored: what is in them, what may happen, and how far from the straight way. */
import type { Changed, Setting } from '../machines/world/world.ts'
import { World } from '../machines/world/world.ts'
import {
  agents,
  anyOrder,
  comeBacks,
  effectFaults,
  next,
  operators,
  maintainerOnIssues,
  peopleOnIssues,
  peopleOnMergeRequests,
  platform,
  podFaults,
  spenders,
  timers,
  zombies,
  type Moves,
} from './moves.ts'
import { futures } from './futures.ts'
import { taskPast } from './history.ts'
import { finiteLaws } from './laws.ts'
import { atWork, toHalfMerged, toFold, toFull, toHeld, toReopened, toReview } from './leads.ts'
import { repeats } from './repeats.ts'
import type { Lead, WorldModel } from './world-model.ts'

export interface ProvedWorld {
  readonly name: string
  readonly says: string
  readonly setting: Setting
  readonly moves: readonly Moves[]
  readonly lead?: readonly Lead[]
  /** Nothing that comes afterwards is looked at; that an end can be reached is. */
  readonly until?: (world: World) => boolean
  /** Deviations in the ordinary run, and in the long one; Infinity: the whole world. */
  readonly quick: number
  readonly long: number
}

const empty: Setting = {
  ceiling: 'minor',
  isBotListed: false,
  isGateOpen: false,
  capacity: 2,
  issues: 'none',
  hasMergeRequest: false,
  hasAlert: false,
  other: 'none',
}

const people = [peopleOnIssues, peopleOnMergeRequests, operators]
const faults = [podFaults, zombies, effectFaults]

function of(other: Setting['other'], says: string): ProvedWorld {
  return {
    name: other,
    says,
    setting: { ...empty, other },
    moves: [agents, timers, operators, peopleOnMergeRequests, podFaults, effectFaults],
    quick: 1,
    long: 2,
  }
}

/** Small enough to be searched whole: whatever comes in any order, however often its pods vanish. */
function whole(name: string, what: string, some: Partial<Setting>): readonly ProvedWorld[] {
  const all = { setting: { ...empty, ...some }, quick: Infinity, long: Infinity }
  return [
    { ...all, name: `${name}-order`, says: `${what}: mail, effects and webhooks in any order`, moves: [anyOrder(1)] },
    { ...all, name: `${name}-pods`, says: `${what}: pods that vanish whenever they may`, moves: [podFaults] },
  ]
}

/** Two turns fit into a day; a turn uses half of what it may, unless it uses all. */
const metered: Setting = {
  ...empty,
  other: 'upgrade',
  alerts: 1,
  spending: { tokensPerTurn: 4, tokensPerTask: 6, tokensPerDay: 8, tokensPerProject: 20, maxRaisePerDay: 4 },
}

export const worlds: readonly ProvedWorld[] = [
  {
    name: 'forge',
    says: 'an issue, its approval, its merge request: people, checks and agents',
    setting: { ...empty, issues: 'wish' },
    moves: [...people, agents],
    quick: 1,
    long: 2,
  },
  {
    name: 'own',
    says: 'an issue that the platform proposed, and grants that it gives itself',
    setting: { ...empty, issues: 'own', isBotListed: true },
    moves: [...people, agents],
    quick: 1,
    long: 2,
  },
  {
    name: 'order',
    says: 'an issue to its merge, mail, effects and webhooks in any order',
    setting: { ...empty, issues: 'wish' },
    moves: [anyOrder(1)],
    quick: Infinity,
    long: Infinity,
  },
  {
    name: 'faults',
    says: 'an issue to its merge: pods that vanish or go on, effects that fail or answer late, timers',
    setting: { ...empty, issues: 'wish' },
    moves: [...faults, timers],
    quick: 1,
    long: 2,
  },
  {
    name: 'slots',
    says: 'two Tasks, one slot and one for alerts; pauses and budgets',
    setting: { ...empty, capacity: 1, hasAlert: true, other: 'brainstorm' },
    moves: [platform, anyOrder(1), podFaults, operators],
    quick: 1,
    long: 2,
  },
  {
    name: 'review',
    says: 'a merge request of a reporter: pushes, laps, take-over',
    setting: { ...empty, hasMergeRequest: true },
    moves: [peopleOnMergeRequests, operators, agents],
    quick: 1,
    long: 2,
  },
  {
    name: 'pair',
    says: 'one Task in two repositories, merged in order',
    setting: { ...empty, issues: 'pair' },
    moves: [peopleOnMergeRequests, effectFaults, anyOrder(1)],
    quick: 1,
    long: 2,
  },
  {
    name: 'rest',
    says: 'one Task in two repositories, one of them merged: what people say on both issues decides about the other',
    setting: { ...empty, issues: 'pair' },
    lead: toHalfMerged,
    moves: [maintainerOnIssues],
    quick: 2,
    long: 4,
  },
  {
    name: 'fold',
    says: 'two issues and a Task that folds theirs into one',
    setting: { ...empty, issues: 'wishes', other: 'refine' },
    moves: [anyOrder(1), peopleOnIssues, operators],
    quick: 1,
    long: 2,
  },
  of('upgrade', 'a Task that owns no issue and opens a merge request'),
  of('documentation', 'as upgrade, with an end of its own when it declines'),
  of('brainstorm', 'a Task that only proposes'),
  of('incident', 'a Task that only reports'),
  of('refine', 'a Task that sorts a backlog'),
  ...whole('own', 'an issue that the platform proposed', { issues: 'own', isBotListed: true }),
  ...whole('review', 'a merge request of a reporter', { hasMergeRequest: true }),
  ...whole('upgrade', 'a Task that opens a merge request', { other: 'upgrade' }),
  ...whole('documentation', 'a batch of documentation', { other: 'documentation' }),
  ...whole('brainstorm', 'a Task that only proposes', { other: 'brainstorm' }),
  ...whole('incident', 'a Task that only reports', { other: 'incident' }),
  ...whole('refine', 'a Task that sorts a backlog', { other: 'refine' }),
  {
    name: 'again',
    says: 'two issues, and a Task that folds theirs into one: everything that may be told again is',
    setting: { ...empty, issues: 'wishes', other: 'refine' },
    moves: [repeats],
    quick: 1,
    long: 2,
  },
  {
    name: 'train',
    says: 'one Task in three repositories from its review to its end: mail, effects and webhooks in any order, people and faults',
    setting: { ...empty, issues: 'trio' },
    lead: toReview,
    moves: [peopleOnMergeRequests, effectFaults, anyOrder(1)],
    quick: 1,
    long: 2,
  },
  {
    name: 'chain',
    says: 'two parked Tasks are folded into one, with a merge request: in every order, and people who withdraw midway',
    setting: { ...empty, issues: 'wish', capacity: 1 },
    lead: toFold,
    moves: [anyOrder(1), peopleOnIssues, peopleOnMergeRequests, operators, platform],
    until: (world) => atWork(world, 'implement') !== undefined,
    quick: 1,
    long: 2,
  },
  {
    name: 'mints',
    says: 'a merge request of a reporter whose entry waits for the only slot: withdrawals, take-over, pauses, repeats',
    setting: { ...empty, other: 'refine', capacity: 1 },
    lead: toFull,
    moves: [anyOrder(1), peopleOnMergeRequests, platform, operators, repeats],
    quick: 1,
    long: 2,
  },
  {
    name: 'alerts',
    says: 'two alerts and one slot for them, beside a Task in the only other one: repeats, lost answers, pauses, budgets',
    setting: { ...empty, capacity: 1, alerts: 2, other: 'refine' },
    moves: [platform, anyOrder(1), podFaults, operators, effectFaults, repeats],
    quick: 1,
    long: 2,
  },
  {
    name: 'ledger',
    says: 'two Tasks whose turns reserve and settle: turns that use all or are lost, raises, new days',
    setting: metered,
    moves: [spenders, operators, podFaults, repeats],
    quick: 1,
    long: 2,
  },
  {
    name: 'held',
    says: 'a Task that the limit of the day holds: raises, new days, retries, and who ends it',
    setting: metered,
    lead: toHeld,
    moves: [spenders, operators, peopleOnMergeRequests, repeats],
    quick: 1,
    long: 2,
  },
  {
    name: 'back',
    says: 'an issue that was delivered and reopened: retries, labels, approvals and closings',
    setting: { ...empty, issues: 'wish' },
    lead: toReopened,
    moves: [comeBacks],
    quick: 2,
    long: 3,
  },
]

/** `changed`: a mutant. */
export function modelOf(
  { name, says, setting, moves, lead = [], until = () => false }: ProvedWorld,
  changed: Changed,
): WorldModel {
  const all = [next, ...moves]
  return {
    name,
    says,
    begin: () => World.begin(setting, changed),
    moves: (world) => all.flatMap((some) => some(world)),
    isOver: until,
    lead,
    past: taskPast,
    laws: finiteLaws,
    futures,
    keyOf: (world, history, keys) => keys.of(world, history),
  }
}
