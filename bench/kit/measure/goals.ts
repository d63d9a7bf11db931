import type { Interval } from './interval.ts'

/** What a bench is measured by. The gate must be met; the goal is what we are after. */
export interface Goal {
  readonly name: string
  /** Undefined: not measured in this run. */
  readonly value: number | undefined
  readonly unit: string
  readonly better: 'higher' | 'lower'
  readonly gate: number
  readonly goal: number
  /** Of a ratio that was taken in pairs. */
  readonly interval?: Interval
}

export type Verdict = 'goal' | 'gate' | 'missed' | 'not measured'

export function verdictOf(goal: Goal): Verdict {
  if (goal.value === undefined || Number.isNaN(goal.value)) return 'not measured'
  if (reaches(goal, goal.goal)) return 'goal'
  return reaches(goal, goal.gate) ? 'gate' : 'missed'
}

export function isMeasured(goal: Goal): boolean {
  return verdictOf(goal) !== 'not measured'
}

function reaches({ value, better }: Goal, bound: number): boolean {
  return better === 'higher' ? value! >= bound : value! <= bound
}
