/** SIGKILL with an effect of each of 10,000 actors pending, then a new process under the same name. */
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
}

const victim = new URL('./recovery-victim.ts', import.meta.url)
const successor = new URL('./recovery-successor.ts', import.meta.url)
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
    const result = await lastLineOf<RecoveryResult>(successor, { argument, boundMs })
    await postgres.drop('recovery')
    results.push(result)
    say(
      `round ${round + 1} recovery of ${actors} actors: settled after ${result.settledMs.toFixed(0)} ms (process ${result.processMs.toFixed(0)} ms)`,
    )
  }
  await postgres.drop('recovering')
  return results
}
