import { flag, readArgs, UsageError } from '../../args.ts'
import { connectOrchestrator, serverOptions, serverUsage } from '../../server/connect.ts'
import { print, printTitled } from '../../output/terminal.ts'
import { explained } from '../../output/why-lines.ts'

const usage = `usage: statewright why TASK|PROJECT [--json] [options]

Explains a Task's state: why it rests, who can move it, its place in the queue, its next timer, what it has cost so far,
and the shortest way to delivered. Of a Project it shows the conditions with their messages, and what waits for a slot. It also lists tool calls that the wrapper refused because the model did not make them,
and what its pod names that delays the turn, such as a model that does not answer.

  --json            print the whole answer as JSON, events with their fields
${serverUsage}

Example: statewright why implement-lib-1-x7k2p`

export async function why(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, { json: { type: 'boolean' }, ...serverOptions }, usage)
  if (parsed === undefined) return 0
  const [task, ...more] = parsed.positionals
  if (task === undefined || more.length > 0) throw new UsageError(`why takes one Task or Project\n\n${usage}`)
  const client = await connectOrchestrator(parsed)
  const [answer, lines] = await explained(client, task)
  if (flag(parsed, 'json')) print(JSON.stringify(answer, null, 2).split('\n'))
  else printTitled(lines)
  return 0
}
