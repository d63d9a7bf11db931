/** `statewright logs TASK`: what the wrapper of a pod logged, wherever the pod is. */
import type { ParseArgsOptionsConfig } from 'node:util'
import { Type, type Static } from 'typebox'
import { ApiError } from '../../../http/problems/api-error.ts'
import { sleep, systemClock, type Clock } from '../../../runtime/clock.ts'
import { flag, readArgs, text, UsageError, type Parsed } from '../../args.ts'
import { isAway, type OrchestratorClient } from '../../server/client.ts'
import { readableLines } from '../../output/log-line.ts'
import { connectOrchestrator, serverOptions, serverUsage } from '../../server/connect.ts'
import { print, printError } from '../../output/terminal.ts'
import { lastWordsOf } from '../../output/why-lines.ts'

const usage = `usage: statewright logs TASK [--pod N] [--tail N] [--follow] [--json] [options]

Prints what the wrapper of a Task's pod logged: by default the newest pod that has a log. Secrets are masked. One machine keeps
the log for a week after the pod's end, a cluster for 15 minutes. Of a pod that ended and whose Task is parked, standard error has
the last words of its agent.

  --pod N           of this pod of the Task, from 1
  --tail N          the newest N lines, 200 unless given; at most 5000
  --follow          go on until the pod ends, or Ctrl-C
  --json            print the lines as they are: JSON, one an event
${serverUsage}

Example: statewright logs implement-lib-1-x7k2p --follow`

const Answer = Type.Object({
  task: Type.String(),
  pod: Type.Integer(),
  isLive: Type.Boolean(),
  lines: Type.Array(Type.String()),
  truncated: Type.Boolean(),
  cursor: Type.String(),
  waits: Type.Optional(Type.String()),
})
type Answer = Static<typeof Answer>

const options = {
  pod: { type: 'string' },
  tail: { type: 'string' },
  follow: { type: 'boolean' },
  json: { type: 'boolean' },
  ...serverOptions,
} as const satisfies ParseArgsOptionsConfig

const pollMs = 2_000
/** A minute: an orchestrator that starts again is back by then. */
const mostMisses = 30
/** As many as the server gives: what came within a poll is printed whole. */
const mostLines = '5000'

export async function logs(args: readonly string[], clock: Clock = systemClock): Promise<number> {
  const parsed = readArgs(args, options, usage)
  if (parsed === undefined) return 0
  const query = queryOf(parsed)
  const client = await connectOrchestrator(parsed)
  const first = await ask(client, query)
  const show = (answer: Answer): void => {
    for (const line of answer.lines) print(flag(parsed, 'json') ? line : readableLines(line))
  }
  if (first.truncated) printError('earlier lines are left out; --tail gives more')
  show(first)
  if (first.lines.length === 0) printError(nothingLogged(first))
  const follows = flag(parsed, 'follow')
  if (follows) await follow(client, { query, first, show, clock })
  const words = follows || !first.isLive ? await lastWordsOf(client, first.task, first.pod) : []
  if (words.length > 0) printError(words)
  return 0
}

/** @throws UsageError with every fault. */
function queryOf(parsed: Parsed): Readonly<Record<string, string>> {
  const [task, ...more] = parsed.positionals
  const given = Object.entries({ pod: text(parsed, 'pod'), tail: text(parsed, 'tail') }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  const faults = [
    ...(task === undefined || more.length > 0 ? ['logs takes one Task'] : []),
    ...given
      .filter(([, value]) => !/^[1-9]\d{0,8}$/.test(value))
      .map(([name, value]) => `--${name} takes a whole number from 1, not ${value}`),
  ]
  if (task === undefined || faults.length > 0) throw new UsageError(`${faults.join('\n')}\n\n${usage}`)
  return { task, ...Object.fromEntries(given) }
}

function ask(client: OrchestratorClient, query: Readonly<Record<string, string>>): Promise<Answer> {
  return client.ask(Answer, 'GET', `/operations/logs?${new URLSearchParams(query).toString()}`)
}

function nothingLogged({ task, pod, isLive, waits }: Answer): string {
  const begun = isLive ? 'has logged nothing yet' : 'logged nothing'
  return `pod ${pod} of ${task} ${begun}${waits === undefined ? '' : `: ${waits}`}`
}

interface Following {
  readonly query: Readonly<Record<string, string>>
  readonly first: Answer
  readonly show: (answer: Answer) => void
  readonly clock: Clock
}

/** Of the pod of the first answer, though a later one may begin. */
async function follow(client: OrchestratorClient, { query, first, show, clock }: Following): Promise<void> {
  let misses = 0
  for (let last = first; last.isLive;) {
    await sleep(clock, pollMs)
    const cursor: Record<string, string> = last.cursor === '' ? {} : { cursor: last.cursor }
    const asked = { ...query, pod: String(first.pod), tail: mostLines, ...cursor }
    const next = await ask(client, asked).catch((error: unknown) => {
      // A cluster takes the log with the pod.
      if (error instanceof ApiError && error.status === 404) return undefined
      if (isAway(error) && misses < mostMisses) return 'away'
      throw error
    })
    if (next === 'away') {
      if (misses === 0) printError('the orchestrator does not answer; it is asked again')
      misses += 1
      continue
    }
    misses = 0
    if (next === undefined) return printError(`pod ${first.pod} of ${first.task} is gone, and its log with it`)
    if (next.truncated && cursor['cursor'] !== undefined) printError('lines between these were left out')
    show(next)
    last = next
  }
}
