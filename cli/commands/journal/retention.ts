import { Type } from 'typebox'
import { flag, readArgs, UsageError } from '../../args.ts'
import { connectOrchestrator, serverOptions, serverUsage } from '../../server/connect.ts'
import type { RetentionPolicy, Sweep } from '../../../runtime/journal/retention.ts'
import { print } from '../../output/terminal.ts'

const usage = `usage: statewright retention [sweep] [options]

Shows how long the orchestrator keeps journals, and what its last sweep removed. sweep starts a sweep now.
Settings of the orchestrator set the policy; 0 means no limit:
  RETENTION_DAYS (90), RETENTION_EVENTS of one actor (20000), RETENTION_FINAL_DAYS after an actor's end (30),
  RETENTION_INTERVAL_SECONDS between two sweeps (3600)

Exit code 1: the last sweep skipped a journal that does not replay.

  --json            print one line of JSON
${serverUsage}`

interface Answer {
  readonly policy: RetentionPolicy
  readonly last: Sweep | null
}

const counts = <N extends string>(...names: readonly N[]) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Type.Number()])))

/** What is read of it here. */
const Answer = Type.Unsafe<Answer>(
  Type.Object({
    policy: counts('days', 'events', 'finalDays'),
    last: Type.Union([
      Type.Null(),
      Type.Intersect([
        counts('endedAt', 'actors', 'compacted', 'events', 'characters'),
        Type.Object({ refused: Type.Array(Type.Object({ address: Type.String(), reason: Type.String() })) }),
      ]),
    ]),
  }),
)

/** A walk that left a journal alone because it does not replay ends with exit code 1. */
export async function retention(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, { json: { type: 'boolean' }, ...serverOptions }, usage)
  if (parsed === undefined) return 0
  const [verb, ...rest] = parsed.positionals
  if ((verb !== undefined && verb !== 'sweep') || rest.length > 0) throw new UsageError(usage)
  const client = await connectOrchestrator(parsed)
  const answer = await client.ask(Answer, verb === 'sweep' ? 'POST' : 'GET', '/operations/retention')
  print(flag(parsed, 'json') ? JSON.stringify(answer) : retentionLines(answer))
  return (answer.last?.refused.length ?? 0) === 0 ? 0 : 1
}

function retentionLines({ policy, last }: Answer): readonly string[] {
  const limit = (value: number, unit: string): string => (value === 0 ? `any number of ${unit}` : `${value} ${unit}`)
  const lines = [
    `kept: ${limit(policy.days, 'days')}, ${limit(policy.events, 'events of one actor')}; after an actor's end ${limit(policy.finalDays, 'days')}`,
  ]
  if (last === null) return [...lines, 'no sweep yet']
  const { endedAt, actors, compacted, events, characters, refused } = last
  const at = new Date(endedAt).toISOString()
  return [
    ...lines,
    `last sweep, ${at}: ${actors} actors, ${compacted} shortened, ${events} events (${characters} characters) removed`,
    ...refused.map(({ address, reason }) => `  skipped: ${address}: ${reason}`),
  ]
}
