/** What the runtime is after, as ratios within one run wherever a machine's speed would decide otherwise. */
import type { Goal } from '../kit/goals.ts'
import { median } from '../kit/percentile.ts'
import type { ContenderName } from './contenders.ts'
import type { Results } from './results.ts'
import { medianOf, ratioOf } from './summary.ts'

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
const sooner: readonly Bounds[] = [
  [1, 10, 40],
  [128, 30, 100],
]

export function goalsOf(results: Results): Goal[] {
  return [...ratios(results), ...absolutes(results)]
}

function ratios({ throughput }: Results): Goal[] {
  const own = 'own-postgres'
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
      percent(ratioOf(throughput, [own, 'raw-group-commit'], 128, 'perSecond')),
      '%',
      60,
      80,
    ),
  ]
}

function absolutes({ throughput, recovery, timers }: Results): Goal[] {
  const own = (clients: number, metric: Parameters<typeof medianOf>[3]): number | undefined =>
    medianOf(throughput, 'own-postgres', clients, metric)
  const recovered = median(recovery.map(({ settledMs }) => settledMs / 1000))
  const earliest = timers.length > 0 ? Math.min(...timers.map(({ earliestMs }) => earliestMs)) : undefined
  return [
    lower('CPU per transition, Node and Postgres, c=128', own(128, 'cpuUs'), 'µs', 45, 30),
    lower('ack p50, c=1', own(1, 'ackP50Ms'), 'ms', 0.3, 0.12),
    lower('ack p99, c=1', own(1, 'ackP99Ms'), 'ms', 2, 0.7),
    lower('write-ahead log per transition, c=128', own(128, 'logBytes'), 'B', 900, 500),
    lower('recovery of 10,000 actors with pending effects', recovered, 's', 2, 0.5),
    higher('earliest firing of a timer, after it was due', earliest, 'ms', 0, 0),
    lower('lateness of timers p99, 1,000 due a second', median(timers.map(({ p99Ms }) => p99Ms)), 'ms', 50, 50),
  ]
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
