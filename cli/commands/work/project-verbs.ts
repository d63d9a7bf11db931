import { Type, type Static } from 'typebox'
import { flag, readArgs, text, UsageError } from '../../args.ts'
import { connectOrchestrator, serverOptions, serverUsage } from '../../server/connect.ts'
import { print } from '../../output/terminal.ts'

interface Verb {
  readonly name: 'pause' | 'resume'
  readonly usage: string
}

const options = `
  --reason TEXT     one line for whoever asks why; statuses show it, and the journal keeps it with your name
  --json            print the answer as JSON
${serverUsage}`

/** `statewright pause PROJECT`: no pod of it starts (QUEUE-10). */
export async function pause(args: readonly string[]): Promise<number> {
  const usage = `usage: statewright pause PROJECT --reason TEXT [options]

Admits no pod of a Project until somebody resumes it: no new Task, and no next pod of a Task. Pods that run go on to their end.
The pause outlives restarts and changes of the Project. It withholds only: an approval stays a maintainer's word on the forge.
${options}

Example: statewright pause shop/cart --reason "the forge answers 502"`
  return ask({ name: 'pause', usage }, args)
}

/** `statewright resume PROJECT`: takes an operator's pause back. */
export async function resume(args: readonly string[]): Promise<number> {
  const usage = `usage: statewright resume PROJECT --reason TEXT [options]

Takes an operator's pause of a Project back. Work that waited starts in its order, as far as other limits let it.
${options}

Example: statewright resume shop/cart --reason "the forge is back"`
  return ask({ name: 'resume', usage }, args)
}

const Answer = Type.Object({
  project: Type.String(),
  pausedBy: Type.Union([Type.Object({ by: Type.String(), reason: Type.String(), at: Type.Number() }), Type.Null()]),
  maxConcurrentAgents: Type.Number(),
  waiting: Type.Number(),
  running: Type.Number(),
})

async function ask({ name, usage }: Verb, args: readonly string[]): Promise<number> {
  const known = { reason: { type: 'string' }, json: { type: 'boolean' }, ...serverOptions } as const
  const parsed = readArgs(args, known, usage)
  if (parsed === undefined) return 0
  const [project, ...more] = parsed.positionals
  const reason = text(parsed, 'reason')
  if (project === undefined || more.length > 0) throw new UsageError(`${name} takes one Project\n\n${usage}`)
  if (reason === undefined) throw new UsageError(`--reason is required\n\n${usage}`)
  const client = await connectOrchestrator(parsed)
  const answer = await client.ask(Answer, 'POST', `/operations/${name}`, { project, reason })
  print(flag(parsed, 'json') ? JSON.stringify(answer) : lineOf(answer))
  return 0
}

function lineOf({ project, pausedBy, maxConcurrentAgents, waiting, running }: Static<typeof Answer>): string {
  const counts = `${running} running, ${waiting} waiting`
  if (pausedBy !== null)
    return `${project}: paused by ${pausedBy.by} since ${new Date(pausedBy.at).toISOString()}: ${pausedBy.reason}; ${counts}`
  return maxConcurrentAgents === 0
    ? `${project}: resumed, but its maxConcurrentAgents is 0; ${counts}`
    : `${project}: resumed; ${counts}`
}
