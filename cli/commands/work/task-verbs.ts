import type { ParseArgsOptionsConfig } from 'node:util'
import { Type, type Static } from 'typebox'
import { flag, readArgs, text, UsageError } from '../../args.ts'
import { connectOrchestrator, serverOptions, serverUsage } from '../../server/connect.ts'
import { print } from '../../output/terminal.ts'

interface Verb {
  readonly name: 'retry' | 'cancel' | 'hold'
  readonly usage: string
  /** It asks for one line of why. */
  readonly withReason?: true
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

/** `statewright hold TASK`: takes it out of work until a retry (PARK-14). */
export async function hold(args: readonly string[]): Promise<number> {
  const usage = `usage: statewright hold TASK --reason TEXT [--json] [options]

Takes a Task out of work until somebody retries it. Its pod writes its note and stops; a merge that was asked for is withdrawn.
No comment, approval or new head lets it go on: \`statewright retry\` does, or \`/retry\` by a maintainer.

  --reason TEXT     one line for whoever asks why; the Task's status and its comment show it with your name${options}

Example: statewright hold implement-lib-1-x7k2p --reason "its plan needs a look"`
  return ask({ name: 'hold', usage, withReason: true }, args)
}

async function ask({ name, usage, withReason }: Verb, args: readonly string[]): Promise<number> {
  const reasons: ParseArgsOptionsConfig = withReason ? { reason: { type: 'string' } } : {}
  const parsed = readArgs(args, { ...reasons, json: { type: 'boolean' }, ...serverOptions }, usage)
  if (parsed === undefined) return 0
  const [task, ...more] = parsed.positionals
  if (task === undefined || more.length > 0) throw new UsageError(`${name} takes one Task\n\n${usage}`)
  const reason = text(parsed, 'reason')
  if (withReason && reason === undefined) throw new UsageError(`--reason is required\n\n${usage}`)
  const client = await connectOrchestrator(parsed)
  const body = { task, ...(reason === undefined ? {} : { reason }) }
  const answer = await client.ask(Stage, 'POST', `/operations/${name}`, body)
  print(flag(parsed, 'json') ? JSON.stringify(answer) : `${task}: ${stageText(answer)}`)
  return 0
}

const Stage = Type.Object({ stage: Type.String(), stageReason: Type.Union([Type.String(), Type.Null()]) })
type Stage = Static<typeof Stage>

function stageText({ stage, stageReason }: Stage): string {
  return stageReason === null ? stage : `${stage}, ${stageReason}`
}
