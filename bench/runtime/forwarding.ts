/** Events for actors of another process over the same Postgres: by its inbox, a hint, its step, and the answer back. */
import { lastLineOf, startServing } from '../kit/child.ts'
import { numberText } from '../kit/number-text.ts'
import type { Plan } from './plan.ts'
import type { RunJournal } from '../kit/run-journal.ts'
import { seed } from './seed.ts'
import type { Servers } from './servers.ts'

export interface ForwardingResult {
  readonly clients: number
  readonly perSecond: number
  /** From the call at the process that does not own the actor to its receipt. */
  readonly p50Ms: number
  readonly p99Ms: number
}

const owner = new URL('./forwarding-owner.ts', import.meta.url)
const program = new URL('./forwarding-cell.ts', import.meta.url)
const boundMs = 120_000

export async function measureForwarding(
  { postgres }: Servers,
  plan: Plan,
  { say }: RunJournal,
): Promise<ForwardingResult[]> {
  const url = postgres.url('forwarding')
  await postgres.create('forwarding')
  await seed(url, plan.actors)
  const other = await startServing<{ readonly ready: true }>(owner, { argument: { url }, boundMs })
  try {
    const { warmMs, measureMs, actors } = plan
    const argument = { url, clients: plan.forwardingClients, actors, warmMs, measureMs }
    const results = await lastLineOf<ForwardingResult[]>(program, { argument, boundMs })
    for (const { clients, perSecond, p50Ms, p99Ms } of results)
      say(
        `${clients} clients to another process: ${numberText(perSecond)}/s, answered after ${numberText(p50Ms)} ms p50, ${numberText(p99Ms)} ms p99`,
      )
    return results
  } finally {
    await other.kill()
    await postgres.drop('forwarding')
  }
}
