/**
 * SIGKILL with an effect of each of 10,000 actors pending, then a new process under the same name. The limit has a copy of
 * what was left, in the same round.
 */
import { lastLineOf, startServing } from '../kit/child.ts'
import type { Plan } from './plan.ts'
import type { RunJournal } from '../kit/run-journal.ts'
import { seed } from './seed.ts'
import type { Servers } from './servers.ts'

export interface RecoveryResult {
  /** From the call of `start` to its return, to the last effect performed, and to the last one settled. */
  readonly startMs: number
  readonly performedMs: number
  readonly settledMs: number
  /** From the start of the process, Node's own included, to the last effect settled. */
  readonly processMs: number
  /** The same rows read and settled by plain SQL. */
  readonly limitMs: number
}

type Recovered = Omit<RecoveryResult, 'limitMs'>
type Limit = Pick<RecoveryResult, 'settledMs'>

const victim = new URL('./recovery-victim.ts', import.meta.url)
const successor = new URL('./recovery-successor.ts', import.meta.url)
const limit = new URL('./recovery-limit.ts', import.meta.url)
const boundMs = 120_000

export async function measureRecovery(
  { postgres }: Servers,
  plan: Plan,
  { say }: RunJournal,
): Promise<RecoveryResult[]> {
  const results: RecoveryResult[] = []
  const actors = plan.recoveringActors
  await postgres.create('recovering')
  await seed(postgres.url('recovering'), actors)
  for (let round = 0; round < plan.recoveryRounds; round++) {
    await postgres.create('recovery', 'recovering')
    const argument = { url: postgres.url('recovery'), actors }
    const running = await startServing<{ readonly pending: number }>(victim, { argument, boundMs })
    await running.kill()
    if (running.ready.pending !== actors)
      throw new Error(`${running.ready.pending} effects were pending, not ${actors}`)
    await postgres.create('recovery_limit', 'recovery')
    const own = (): Promise<Recovered> => lastLineOf<Recovered>(successor, { argument, boundMs })
    const raw = (): Promise<Limit> =>
      lastLineOf<Limit>(limit, { argument: { url: postgres.url('recovery_limit'), actors }, boundMs })
    const rawFirst = round % 2 === 1 ? await raw() : undefined
    const recovered = await own()
    const { settledMs: limitMs } = rawFirst ?? (await raw())
    await postgres.drop('recovery')
    await postgres.drop('recovery_limit')
    const result: RecoveryResult = { ...recovered, limitMs }
    results.push(result)
    say(
      `round ${round + 1} recovery of ${actors} actors: settled after ${result.settledMs.toFixed(0)} ms (process ${result.processMs.toFixed(0)} ms), the limit ${limitMs.toFixed(0)} ms`,
    )
  }
  await postgres.drop('recovering')
  return results
}
