/** 1,000 timers due a second while many more wait; the limit has as many, in the same round, and none that wait. */
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
  /** Of bare timeouts whose rows one INSERT at a time writes. */
  readonly limit: Lateness
}

interface Lateness {
  readonly p50Ms: number
  readonly p99Ms: number
}

const program = new URL('./timers-cell.ts', import.meta.url)
const limitProgram = new URL('./timers-limit.ts', import.meta.url)
const boundMs = 180_000

type Fired = Omit<TimersResult, 'limit'>

export async function measureTimers({ postgres }: Servers, plan: Plan, { say }: RunJournal): Promise<TimersResult[]> {
  const results: TimersResult[] = []
  await postgres.create('waiting')
  await seed(postgres.url('waiting'), plan.timersASecond * plan.timerSeconds, plan.pendingTimers)
  for (let round = 0; round < plan.timerRounds; round++) {
    await postgres.create('timers', 'waiting')
    await postgres.create('timers_limit')
    const load = { perSecond: plan.timersASecond, seconds: plan.timerSeconds }
    const own = (): Promise<Fired> =>
      lastLineOf<Fired>(program, { argument: { url: postgres.url('timers'), ...load }, boundMs })
    const raw = (): Promise<Lateness> =>
      lastLineOf<Lateness>(limitProgram, { argument: { url: postgres.url('timers_limit'), ...load }, boundMs })
    const rawFirst = round % 2 === 1 ? await raw() : undefined
    const fired = await own()
    const result: TimersResult = { ...fired, limit: rawFirst ?? (await raw()) }
    await postgres.drop('timers')
    await postgres.drop('timers_limit')
    results.push(result)
    say(
      `round ${round + 1} ${result.fired} timers at ${plan.timersASecond}/s with ${plan.pendingTimers} pending: late by ${numberText(result.p50Ms)} ms p50, ${numberText(result.p99Ms)} ms p99, ${numberText(result.maxMs)} ms at most; the limit by ${numberText(result.limit.p50Ms)} and ${numberText(result.limit.p99Ms)} ms`,
    )
  }
  await postgres.drop('waiting')
  return results
}
