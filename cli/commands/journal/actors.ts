import { count, flag, readArgs, text, UsageError } from '../../args.ts'
import type { ActorAnswer } from '../../../edges/journal/answers.ts'
import { allOf, type ActorsQuery } from '../../../edges/journal/journal-api.ts'
import { journalOptions, journalUsage, withJournal } from '../../open-journal.ts'
import { printRows } from '../../output/print-rows.ts'
import { table } from '../../output/table.ts'

const usage = `usage: statewright actors [PREFIX] [options]

Lists actors with their states. PREFIX selects those whose address begins with it.
A quarantined actor is one that this version cannot load. The list shows the error. Its events wait; all other actors run.

  --status STATUS   only actors that are active, done or quarantined (default: all)
  --limit N         at most N actors (default 1000)
  --json            print one line of JSON for each actor
${journalUsage}

Example: statewright actors task:default/ --status active`

const statuses = ['active', 'done', 'quarantined'] as const

export async function actors(args: readonly string[]): Promise<number> {
  const parsed = readArgs(
    args,
    { ...journalOptions, status: { type: 'string' }, limit: { type: 'string' }, json: { type: 'boolean' } },
    usage,
  )
  if (parsed === undefined) return 0
  const given = text(parsed, 'status')
  const status = statuses.find((one) => one === given)
  if (given !== undefined && status === undefined)
    throw new UsageError(`--status takes ${statuses.join(', ')}, not ${given}`)
  const query = { prefix: parsed.positionals[0] ?? '', ...(status === undefined ? {} : { status }) }
  const found = await withJournal(parsed, (journal) =>
    readUpTo((page) => journal.actors(page), query, count(parsed, 'limit', 1000)),
  )
  printRows(found, flag(parsed, 'json'), { none: 'no actors', lines: tableOf })
  return 0
}

async function readUpTo(
  read: (query: ActorsQuery) => Promise<{ readonly items: readonly ActorAnswer[]; readonly next?: string }>,
  query: Omit<ActorsQuery, 'limit' | 'after'>,
  limit: number,
): Promise<readonly ActorAnswer[]> {
  const found: ActorAnswer[] = []
  const pages = allOf((after) =>
    read({ ...query, limit: Math.min(500, limit), ...(after === undefined ? {} : { after }) }),
  )
  for await (const actor of pages) {
    if (found.length >= limit) break
    found.push(actor)
  }
  return found
}

function tableOf(found: readonly ActorAnswer[]): readonly string[] {
  const rows = found.map(({ address, status, seq, path, fault }) => [address, status, String(seq), fault ?? path])
  return table(['ACTOR', 'STATUS', 'EVENTS', 'STATE'], rows)
}
