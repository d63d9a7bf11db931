/** What the wrapper adds to the CLI that it drives. The pauses of the submission (310 ms) are measured, not spared: CLI-FACT-2. */
import type { Goal } from '../kit/goals.ts'
import { median, percentile } from '../kit/percentile.ts'
import type { Results } from './results.ts'
import { beyondCli, bootBeyondCli, residentMiB, shareOf, timesSooner, turnsOf } from './summary.ts'

export function goalsOf(results: Results): Goal[] {
  const asked = beyondCli(results, 'own', 'askedMs')
  const told = beyondCli(results, 'own', 'toldMs')
  const own = turnsOf(results, 'own')
  return [
    lower('submit to acceptance beyond the CLI, p50', percentile(asked, 0.5), 'ms', 700, 500),
    lower('submit to acceptance beyond the CLI, p99', percentile(asked, 0.99), 'ms', 2500, 1000),
    lower('Stop to callback beyond the CLI, p50', percentile(told, 0.5), 'ms', 500, 250),
    lower('Stop to callback beyond the CLI, p99', percentile(told, 0.99), 'ms', 2500, 800),
    lower('boot beyond the CLI', median(bootBeyondCli(results, 'own')), 'ms', 2000, 1000),
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
