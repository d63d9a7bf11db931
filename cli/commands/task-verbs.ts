import { Type, type Static } from 'typebox'
import { flag, readArgs, UsageError } from '../args.ts'
import { connectOrchestrator, serverOptions, serverUsage } from '../server/connect.ts'

interface Verb {
  readonly name: 'retry' | 'cancel'
  readonly usage: string
}

const options = `
  --json            print the answer as JSON
${serverUsage}`

/** `statewright retry TASK`: lets a parked Task go on; prints where it stands then. */
export async function retry(args: readonly string[]): Promise<number> {
  const usage = `usage: statewright retry TASK [--json] [options]

Lets a parked Task go on, as a maintainer's \`/retry\` does. It grants nothing: an approval that is missing is still missing.
A Task without an issue or a merge request has no other way to be retried.
${options}

Example: statewright retry implement-lib-1-x7k2p`
  return ask({ name: 'retry', usage }, args)
}

/** `statewright cancel TASK`: ends a Task (TASK-MOVES-12). */
export async function cancel(args: readonly string[]): Promise<number> {
  const usage = `usage: statewright cancel TASK [--json] [options]

Ends a Task as rejected, as a maintainer's \`/cancel\` does: its pod stops. \`/retry\` on its issue starts a new Task.
${options}

Example: statewright cancel implement-lib-1-x7k2p`
  return ask({ name: 'cancel', usage }, args)
}

async function ask({ name, usage }: Verb, args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, { json: { type: 'boolean' }, ...serverOptions }, usage)
  if (parsed === undefined) return 0
  const [task, ...more] = parsed.positionals
  if (task === undefined || more.length > 0) throw new UsageError(`${name} takes one Task\n\n${usage}`)
  const client = await connectOrchestrator(parsed)
  const answer = await client.ask(Stage, 'POST', `/operations/${name}`, { task })
  console.log(flag(parsed, 'json') ? JSON.stringify(answer) : `${task}: ${sayStage(answer)}`)
  return 0
}

const Stage = Type.Object({ stage: Type.String(), stageReason: Type.Union([Type.String(), Type.Null()]) })
type Stage = Static<typeof Stage>

function sayStage({ stage, stageReason }: Stage): string {
  return stageReason === null ? stage : `${stage}, ${stageReason}`
}
