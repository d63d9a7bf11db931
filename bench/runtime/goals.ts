/** What the runtime is after, as ratios within one run wherever a machine's speed would decide otherwise. */
import type { Goal } from '../kit/goals.ts'
import { median } from '../kit/percentile.ts'
import type { ContenderName } from './contenders.ts'
import type { Results } from './results.ts'
import { medianOf, ratioOf, type Metric } from './summary.ts'

type Bounds = readonly [clients: number, gate: number, goal: number]

const faster: readonly (readonly [ContenderName, string, readonly Bounds[]])[] = [
  [
    'dbos-steps',
    'throughput against DBOS steps',
    [
      [128, 15, 25],
      [16, 8, 14],
      [1, 3, 5],
    ],
  ],
  [
    'restate-object',
    'throughput against Restate virtual objects',
    [
      [128, 15, 30],
      [16, 12, 25],
      [1, 8, 20],
    ],
  ],
  ['restate-runs', 'throughput against Restate ctx.run steps', [[128, 4, 8]]],
]
const own = 'own-postgres'
/** What PostgreSQL can do at best. */
const limit = 'raw-group-commit'

const costs: readonly (readonly [name: string, clients: number, Metric, gate: number, goal: number])[] = [
  ['CPU per transition, Node and Postgres, c=128', 128, 'cpuUs', 1.6, 1.2],
  ['ack p50, c=1', 1, 'ackP50Ms', 1.2, 1],
  ['ack p99, c=1', 1, 'ackP99Ms', 1.6, 1.2],
]
const sooner: readonly Bounds[] = [
  [1, 10, 40],
  [128, 30, 100],
]

export function goalsOf(results: Results): Goal[] {
  return [...ratios(results), ...afterDeath(results), ...ofTimers(results), ...logged(results)]
}

function ratios({ throughput }: Results): Goal[] {
  return [
    ...faster.flatMap(([peer, name, bounds]) =>
      bounds.map(([clients, gate, goal]) =>
        higher(`${name}, c=${clients}`, ratioOf(throughput, [own, peer], clients, 'perSecond'), 'x', gate, goal),
      ),
    ),
    ...sooner.map(([clients, gate, goal]) =>
      higher(
        `event to effect p50, sooner than DBOS send to recv, c=${clients}`,
        ratioOf(throughput, ['dbos-messages', own], clients, 'effectP50Ms'),
        'x',
        gate,
        goal,
      ),
    ),
    higher(
      'share of the raw group commit, c=128',
      percent(ratioOf(throughput, [own, limit], 128, 'perSecond')),
      '%',
      60,
      80,
    ),
    ...costs.map(([name, clients, metric, gate, goal]) =>
      lower(
        `${name}, against the raw group commit`,
        ratioOf(throughput, [own, limit], clients, metric),
        'x',
        gate,
        goal,
      ),
    ),
  ]
}

function afterDeath({ recovery }: Results): Goal[] {
  const toLimit = median(recovery.map(({ settledMs, limitMs }) => settledMs / limitMs))
  return [lower('recovery of 10,000 actors, against reading and settling their rows', toLimit, 'x', 14, 6)]
}

function ofTimers({ timers }: Results): Goal[] {
  const earliest = timers.length > 0 ? Math.min(...timers.map(({ earliestMs }) => earliestMs)) : undefined
  const toLimit = (of: 'p50Ms' | 'p99Ms'): number | undefined =>
    median(timers.map((round) => round[of] / round.limit[of]))
  return [
    // A time, and true on every machine: early is wrong (R8).
    higher('earliest firing of a timer, after it was due', earliest, 'ms', 0, 0),
    lower('lateness of timers p50, 1,000 due a second, against bare timeouts', toLimit('p50Ms'), 'x', 3.3, 1.5),
    lower('lateness of timers p99, 1,000 due a second, against bare timeouts', toLimit('p99Ms'), 'x', 6, 2.5),
  ]
}

/** Bytes are those of the code, not of the machine. */
function logged({ throughput }: Results): Goal[] {
  return [lower('write-ahead log per transition, c=128', medianOf(throughput, own, 128, 'logBytes'), 'B', 900, 500)]
}

function higher(name: string, value: number | undefined, unit: string, gate: number, goal: number): Goal {
  return { name, value, unit, better: 'higher', gate, goal }
}

function lower(name: string, value: number | undefined, unit: string, gate: number, goal: number): Goal {
  return { name, value, unit, better: 'lower', gate, goal }
}

function percent(share: number | undefined): number | undefined {
  return share === undefined ? undefined : share * 100
}
