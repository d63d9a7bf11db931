/** `statewright transcript TASK`: what the agent of a pod said and did, once that pod has stopped. */
import type { ParseArgsOptionsConfig } from 'node:util'
import { Type } from 'typebox'
import { flag, readArgs, text, UsageError } from '../../args.ts'
import { connectOrchestrator, serverOptions, serverUsage } from '../../server/connect.ts'
import { print, printError } from '../../output/terminal.ts'

const usage = `usage: statewright transcript TASK [--pod N] [--json] [options]

Prints what the agent of a Task's pod said and did: its words, its calls of tools and their results, shortened, with secrets
masked. A pod hands it over at its stop; one that was lost has none. It is kept as long as journals, and needs the role operator.

  --pod N           of this pod of the Task, from 1; without it the newest
  --json            print the whole answer as JSON
${serverUsage}

Example: statewright transcript implement-lib-1-x7k2p`

const Answer = Type.Object({
  task: Type.String(),
  pod: Type.Integer(),
  at: Type.String(),
  truncated: Type.Boolean(),
  lines: Type.Array(Type.String()),
})

const options = {
  pod: { type: 'string' },
  json: { type: 'boolean' },
  ...serverOptions,
} as const satisfies ParseArgsOptionsConfig

export async function transcript(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, options, usage)
  if (parsed === undefined) return 0
  const [task, ...more] = parsed.positionals
  const pod = text(parsed, 'pod')
  const faults = [
    ...(task === undefined || more.length > 0 ? ['transcript takes one Task'] : []),
    ...(pod === undefined || /^[1-9]\d{0,8}$/.test(pod) ? [] : [`--pod takes a whole number from 1, not ${pod}`]),
  ]
  if (task === undefined || faults.length > 0) throw new UsageError(`${faults.join('\n')}\n\n${usage}`)
  const query = new URLSearchParams({ task, ...(pod === undefined ? {} : { pod }) })
  const client = await connectOrchestrator(parsed)
  const answer = await client.ask(Answer, 'GET', `/operations/transcript?${query.toString()}`)
  if (flag(parsed, 'json')) {
    print(JSON.stringify(answer, null, 2).split('\n'))
    return 0
  }
  const { lines, truncated } = answer
  printError(`pod ${answer.pod} of ${answer.task}, handed over ${answer.at}`)
  if (truncated) printError('earlier entries are left out')
  if (lines.length === 0) printError('its agent said nothing')
  else print(lines)
  return 0
}
