/** `statewright waiting`: the Tasks that wait for people, from the query that the inspector opens on. */
import type { ParseArgsOptionsConfig } from 'node:util'
import { Board, type Card } from '../../../machines/why/board.ts'
import { systemClock, type Clock } from '../../../runtime/clock.ts'
import { age } from '../../output/age.ts'
import { flag, readArgs, text, UsageError } from '../../args.ts'
import { connectOrchestrator, serverOptions, serverUsage } from '../../server/connect.ts'
import { table } from '../../output/table.ts'
import { titleIn } from '../../output/titles.ts'
import { print, printError, printTitled } from '../../output/terminal.ts'

const usage = `usage: statewright waiting [--me NAME] [--json] [options]

Lists the Tasks that wait for people, the longest wait first: what each waits for, who can move it, and where.
What works, is queued or ended within a day is counted below. The inspector opens on the same board.

  --me NAME         only what the person with this login on the forge may move; it gives no right
  --json            print the whole board as JSON
${serverUsage}

Example: statewright waiting --me maria`

const options = {
  me: { type: 'string' },
  json: { type: 'boolean' },
  ...serverOptions,
} as const satisfies ParseArgsOptionsConfig

export async function waiting(args: readonly string[], clock: Clock = systemClock): Promise<number> {
  const parsed = readArgs(args, options, usage)
  if (parsed === undefined) return 0
  if (parsed.positionals.length > 0) throw new UsageError(`waiting takes no name: --me NAME is a person\n\n${usage}`)
  const me = text(parsed, 'me')
  const client = await connectOrchestrator(parsed)
  const query = new URLSearchParams(me === undefined ? {} : { me })
  const board = await client.ask(Board, 'GET', `/operations/board?${query.toString()}`)
  if (flag(parsed, 'json')) {
    print(JSON.stringify(board, null, 2).split('\n'))
    return 0
  }
  const { cards, more } = board.waiting
  if (cards.length === 0) print([me === undefined ? 'nothing waits for people' : `nothing waits for ${me}`])
  else
    printTitled(
      table(
        ['TASK', 'TITLE', 'WHO', 'WAITS', 'WHERE', 'NEXT'],
        cards.map((card) => row(card, clock.now())),
      ),
    )
  if (more > 0) printError(`${more} more wait`)
  printError(['', ...summary(board)])
  return 0
}

function row(card: Card, now: number): readonly string[] {
  const { task, title, owner, since, thread, why, next } = card
  return [nameOf(task), titleIn(title), owner, age(now - since), thread?.url ?? '-', `${why}: ${next}`]
}

function nameOf(task: string): string {
  return task.replace(/^default\//, '')
}

function summary({ working, queued, ended, projects, withheld }: Board): readonly string[] {
  const count = ({ cards, more }: Board['working']): number => cards.length + more
  return [
    `${count(working)} working, ${count(queued)} queued, ${count(ended)} ended within a day`,
    ...(withheld ? [`the model is withheld from the key: ${withheld.message}`] : []),
    ...projects.flatMap(({ project, fault, hold }) => [
      ...(fault ? [`${nameOf(project)} is not ready: ${fault.reason}: ${fault.message}`] : []),
      ...(hold === '' ? [] : [`${nameOf(project)}: ${hold}`]),
    ]),
  ]
}
