/** What the runtime is after, as ratios within one run wherever a machine's speed would decide otherwise. */
import type { Goal } from '../../kit/measure/goals.ts'
import { intervalOf } from '../../kit/measure/interval.ts'
import { median } from '../../kit/measure/percentile.ts'
import { ratioGoals } from './ratio-goals.ts'
import type { Results } from '../results.ts'
import { medianOf, ratiosOf } from './summary.ts'

const own = 'own-postgres'

export function goalsOf(results: Results): Goal[] {
  return [...ratios(results), ...afterDeath(results), ...ofTimers(results), ...logged(results)]
}

function ratios({ throughput }: Results): Goal[] {
  return ratioGoals.map(({ pair, clients, metric, ...goal }) => {
    const scale = goal.unit === '%' ? 100 : 1
    const found = ratiosOf(throughput, pair, clients, metric).map((ratio) => ratio * scale)
    return { ...goal, value: median(found), interval: intervalOf(found) }
  })
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
