import { flag, readArgs, text, UsageError } from '../args.ts'
import { orchestratorClient } from '../client.ts'
import { requireEndpoints } from '../local/endpoints.ts'
import type { RetentionPolicy, Sweep } from '../../runtime/journal/retention.ts'

const usage = `usage: statewright retention [sweep] [options]

Shows how long the orchestrator keeps journals, and what its last sweep removed. sweep starts a sweep now.
Settings of the orchestrator set the policy; 0 means no limit:
  RETENTION_DAYS (90), RETENTION_EVENTS of one actor (20000), RETENTION_FINAL_DAYS after an actor's end (30),
  RETENTION_INTERVAL_SECONDS between two sweeps (3600)

Exit code 1: the last sweep skipped a journal that does not replay.

  --json            print one line of JSON
  --dir DIR         the folder of statewright up (default .statewright)`

interface Answer {
  readonly policy: RetentionPolicy
  readonly last: Sweep | null
}

/** A walk that left a journal alone because it does not replay ends with exit code 1. */
export async function retention(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, { json: { type: 'boolean' }, dir: { type: 'string' } }, usage)
  if (parsed === undefined) return 0
  const [verb, ...rest] = parsed.positionals
  if ((verb !== undefined && verb !== 'sweep') || rest.length > 0) throw new UsageError(usage)
  const client = orchestratorClient(requireEndpoints(text(parsed, 'dir') ?? '.statewright'))
  const answer = (await client.call(verb === 'sweep' ? 'POST' : 'GET', '/operations/retention')) as Answer
  console.log(flag(parsed, 'json') ? JSON.stringify(answer) : said(answer))
  return (answer.last?.refused.length ?? 0) === 0 ? 0 : 1
}

function said({ policy, last }: Answer): string {
  const limit = (value: number, unit: string): string => (value === 0 ? `any number of ${unit}` : `${value} ${unit}`)
  const lines = [
    `kept: ${limit(policy.days, 'days')}, ${limit(policy.events, 'events of one actor')}; after an actor's end ${limit(policy.finalDays, 'days')}`,
  ]
  if (last === null) return [...lines, 'no sweep yet'].join('\n')
  const { endedAt, actors, compacted, events, characters, refused } = last
  const at = new Date(endedAt).toISOString()
  return [
    ...lines,
    `last sweep, ${at}: ${actors} actors, ${compacted} shortened, ${events} events (${characters} characters) removed`,
    ...refused.map(({ address, reason }) => `  skipped: ${address}: ${reason}`),
  ].join('\n')
}
