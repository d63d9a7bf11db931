/** The goals that are ratios of two contenders: what a run pairs, and repeats until it is sure of them. */
import type { Goal } from '../../kit/measure/goals.ts'
import type { ContenderName } from '../contenders/contenders.ts'
import type { Metric } from './summary.ts'

type Bounds = readonly [clients: number, gate: number, goal: number]

/** A goal that is a ratio of two contenders, taken round by round. */
export interface RatioGoal extends Omit<Goal, 'value' | 'interval'> {
  readonly pair: readonly [over: ContenderName, under: ContenderName]
  readonly clients: number
  readonly metric: Metric
  readonly unit: 'x' | '%'
}

const own = 'own-postgres'
/** What PostgreSQL can do at best. */
const limit = 'raw-group-commit'

function faster(peer: ContenderName, name: string, bounds: readonly Bounds[]): RatioGoal[] {
  return bounds.map(([clients, gate, goal]) => ({
    name: `throughput against ${name}, c=${clients}`,
    ...{ pair: [own, peer], clients, metric: 'perSecond', unit: 'x', better: 'higher', gate, goal },
  }))
}

const sooner: readonly Bounds[] = [
  [1, 10, 40],
  [128, 30, 100],
]

const costs: readonly (readonly [name: string, clients: number, Metric, gate: number, goal: number])[] = [
  ['CPU per transition, Node and Postgres, c=128', 128, 'cpuUs', 1.6, 1.2],
  ['ack p50, c=1', 1, 'ackP50Ms', 1.2, 1],
  ['ack p99, c=1', 1, 'ackP99Ms', 1.6, 1.2],
]

export const ratioGoals: readonly RatioGoal[] = [
  ...faster('dbos-steps', 'DBOS steps', [
    [128, 15, 25],
    [16, 8, 14],
    [1, 3, 5],
  ]),
  ...faster('restate-object', 'Restate virtual objects', [
    [128, 15, 30],
    [16, 12, 25],
    [1, 8, 20],
  ]),
  ...faster('restate-runs', 'Restate ctx.run steps', [[128, 4, 8]]),
  ...sooner.map(([clients, gate, goal]): RatioGoal => ({
    name: `event to effect p50, sooner than DBOS send to recv, c=${clients}`,
    ...{ pair: ['dbos-messages', own], clients, metric: 'effectP50Ms', unit: 'x', better: 'higher', gate, goal },
  })),
  {
    name: 'share of the raw group commit, c=128',
    ...{ pair: [own, limit], clients: 128, metric: 'perSecond', unit: '%', better: 'higher', gate: 60, goal: 80 },
  },
  {
    name: 'share with what searches find, c=128',
    ...{
      pair: ['own-listed', own],
      clients: 128,
      metric: 'perSecond',
      unit: '%',
      better: 'higher',
      gate: 97,
      goal: 99,
    },
  },
  ...costs.map(([name, clients, metric, gate, goal]): RatioGoal => ({
    name: `${name}, against the raw group commit`,
    ...{ pair: [own, limit], clients, metric, unit: 'x', better: 'lower', gate, goal },
  })),
]
