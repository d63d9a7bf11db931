/**
 * What the wrapper adds to the CLI that it drives, as a ratio to that CLI alone in the same round: machines differ twofold.
 * The pauses of the submission are the clock's, not the machine's (CLI-FACT-2); the tables measure them, the ratio leaves them out.
 */
import type { Goal } from '../kit/measure/goals.ts'
import { median, percentile } from '../kit/measure/percentile.ts'
import type { Results } from './results.ts'
import { bootTimesCli, residentMiB, shareOf, timesCli, timesSooner, turnsOf } from './summary.ts'

const pausesMs = 310

export function goalsOf(results: Results): Goal[] {
  const asked = timesCli(results, 'own', 'askedMs', pausesMs)
  const told = timesCli(results, 'own', 'toldMs')
  const own = turnsOf(results, 'own')
  return [
    lower('submit to acceptance against the CLI, p50', percentile(asked, 0.5), 'x', 5, 3),
    lower('submit to acceptance against the CLI, p99', percentile(asked, 0.99), 'x', 20, 8),
    lower('Stop to callback against the CLI, p50', percentile(told, 0.5), 'x', 12, 7),
    lower('Stop to callback against the CLI, p99', percentile(told, 0.99), 'x', 40, 20),
    lower('boot against the CLI', median(bootTimesCli(results, 'own')), 'x', 1.5, 1.25),
    lower('resident memory of the wrapper, at most', residentMiB(results), 'MiB', 250, 150),
    higher('a turn’s end is told sooner than by the stable screen', timesSooner(results), 'x', 3, 5),
    higher('messages that the model gets exactly', shareOf(own, 'isHeardExactly'), '%', 100, 100),
    higher('answers that are reported exactly', shareOf(own, 'isReportedExactly'), '%', 100, 100),
  ]
}

function lower(name: string, value: number | undefined, unit: string, gate: number, goal: number): Goal {
  return { name, value, unit, better: 'lower', gate, goal }
}

function higher(name: string, value: number | undefined, unit: string, gate: number, goal: number): Goal {
  return { name, value, unit, better: 'higher', gate, goal }
}
