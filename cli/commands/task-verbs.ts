import { flag, readArgs, text, UsageError } from '../args.ts'
import { orchestratorClient } from '../client.ts'
import { requireEndpoints } from '../local/endpoints.ts'

interface Verb {
  readonly name: 'retry' | 'cancel'
  readonly usage: string
}

const options = `
  --json            print the answer as JSON
  --dir DIR         the folder of statewright up (default .statewright)`

/** `statewright retry TASK`: lets a parked Task go on; prints where it stands then. */
export async function retry(args: readonly string[]): Promise<number> {
  const usage = `usage: statewright retry TASK [--json] [--dir DIR]

Lets a parked Task go on, as a maintainer's \`/retry\` does. It grants nothing: an approval that is missing is still missing.
A Task without an issue or a merge request has no other way to be retried.
${options}

Example: statewright retry implement-lib-1-x7k2p`
  return ask({ name: 'retry', usage }, args)
}

/** `statewright cancel TASK`: ends a Task (TASK-MOVES-12). */
export async function cancel(args: readonly string[]): Promise<number> {
  const usage = `usage: statewright cancel TASK [--json] [--dir DIR]

Ends a Task as rejected, as a maintainer's \`/cancel\` does: its pod stops. \`/retry\` on its issue starts a new Task.
${options}

Example: statewright cancel implement-lib-1-x7k2p`
  return ask({ name: 'cancel', usage }, args)
}

async function ask({ name, usage }: Verb, args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, { json: { type: 'boolean' }, dir: { type: 'string' } }, usage)
  if (parsed === undefined) return 0
  const [task, ...more] = parsed.positionals
  if (task === undefined || more.length > 0) throw new UsageError(`${name} takes one Task\n\n${usage}`)
  const client = orchestratorClient(requireEndpoints(text(parsed, 'dir') ?? '.statewright'))
  const answer = (await client.call('POST', `/operations/${name}`, { task })) as Stage
  console.log(flag(parsed, 'json') ? JSON.stringify(answer) : `${task}: ${sayStage(answer)}`)
  return 0
}

interface Stage {
  readonly stage: string
  readonly stageReason: string | null
}

function sayStage({ stage, stageReason }: Stage): string {
  return stageReason === null ? stage : `${stage}, ${stageReason}`
}
