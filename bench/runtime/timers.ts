/** 1,000 timers due a second while many more wait. */
import { lastLineOf } from '../kit/child.ts'
import { numberText } from '../kit/number-text.ts'
import type { Plan } from './plan.ts'
import type { RunJournal } from '../kit/run-journal.ts'
import { seed } from './seed.ts'
import type { Servers } from './servers.ts'

export interface TimersResult {
  readonly fired: number
  /** From due to the timer's event committed. */
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** Never below 0: a timer does not fire early (R8). */
  readonly earliestMs: number
}

const program = new URL('./timers-cell.ts', import.meta.url)
const boundMs = 180_000

export async function measureTimers({ postgres }: Servers, plan: Plan, { say }: RunJournal): Promise<TimersResult[]> {
  const results: TimersResult[] = []
  await postgres.create('waiting')
  await seed(postgres.url('waiting'), plan.timersASecond * plan.timerSeconds, plan.pendingTimers)
  for (let round = 0; round < plan.timerRounds; round++) {
    await postgres.create('timers', 'waiting')
    const argument = { url: postgres.url('timers'), perSecond: plan.timersASecond, seconds: plan.timerSeconds }
    const result = await lastLineOf<TimersResult>(program, { argument, boundMs })
    await postgres.drop('timers')
    results.push(result)
    say(
      `round ${round + 1} ${result.fired} timers at ${plan.timersASecond}/s with ${plan.pendingTimers} pending: late by ${numberText(result.p50Ms)} ms p50, ${numberText(result.p99Ms)} ms p99, ${numberText(result.maxMs)} ms at most`,
    )
  }
  await postgres.drop('waiting')
  return results
}
