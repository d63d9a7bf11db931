/** `effects` and `dead-letters`: what is not settled, what was given up, and how it is tried again (R7). */
import { Type } from 'typebox'
import { flag, readArgs, text, UsageError, type Parsed } from '../../args.ts'
import { connectOrchestrator } from '../../server/connect.ts'
import { ApiError } from '../../../http/problems/api-error.ts'
import { type OrchestratorClient } from '../../server/client.ts'
import type { DeadLetterAnswer, EffectAnswer } from '../../../edges/journal/answers.ts'
import { allOf, type JournalPage, type JournalApi, type PageQuery } from '../../../edges/journal/journal-api.ts'
import { journalOptions, journalUsage, withJournal } from '../../open-journal.ts'
import { printRows } from '../../output/print-rows.ts'
import { table } from '../../output/table.ts'
import { errorLines, print, printError } from '../../output/terminal.ts'

const effectsUsage = `usage: statewright effects [list | show KEY | redeliver KEY... | redeliver --all] [options]

Shows effects that are not settled. The relay retries a pending effect by itself. A dead effect failed for good and waits
for redeliver. redeliver runs an effect under the same key, so its handler finds what an earlier attempt did (R6).

  --only STATE      list only pending or only dead effects (default: both)
  --actor ACTOR     only effects of this actor
  --all             redeliver every dead effect (with --actor: of that actor)
  --json            print one line of JSON for each effect
${journalUsage}
                    redeliver works only with a running orchestrator`

const lettersUsage = `usage: statewright dead-letters [list | show ID | redeliver ID... | redeliver --all] [options]

Shows events that changed nothing: the actor does not exist, its step threw, or the store refused the event.
redeliver delivers an event again. The event leaves the list when its actor has applied it.

  --actor ACTOR     only events for this actor
  --all             redeliver every event (with --actor: for that actor)
  --json            print one line of JSON for each event
${journalUsage}
                    redeliver works only with a running orchestrator`

const options = {
  ...journalOptions,
  actor: { type: 'string' },
  all: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

const pageSize = 500

/** One of the two lists, as its command shows it. */
interface Outbox<Item> {
  readonly usage: string
  readonly none: string
  readonly pages: (journal: JournalApi, page: PageQuery) => Promise<JournalPage<Item>>
  /** Those that may be put back. */
  readonly givenUp: (journal: JournalApi, page: PageQuery) => Promise<JournalPage<Item>>
  readonly one: (journal: JournalApi, id: string) => Promise<Item>
  readonly idOf: (item: Item) => string
  readonly headings: readonly string[]
  readonly row: (item: Item) => readonly string[]
}

export async function effects(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, { ...options, only: { type: 'string' } }, effectsUsage)
  if (parsed === undefined) return 0
  const given = text(parsed, 'only')
  const state = (['pending', 'dead'] as const).find((one) => one === given)
  if (given !== undefined && state === undefined) throw new UsageError(`--only takes pending or dead, not ${given}`)
  const of = actorOf(parsed)
  return run<EffectAnswer>(parsed, {
    usage: effectsUsage,
    none: 'no effects',
    pages: (journal, page) => journal.effects({ ...page, ...of, ...(state === undefined ? {} : { state }) }),
    givenUp: (journal, page) => journal.effects({ ...page, ...of, state: 'dead' }),
    one: (journal, key) => journal.effect(key),
    idOf: ({ key }) => key,
    headings: ['KEY', 'TYPE', 'STATE', 'ATTEMPTS', 'LAST ERROR'],
    row: ({ key, type, state: now, attempts, lastError }) => [key, type, now, String(attempts), lastError ?? '-'],
  })
}

export async function deadLetters(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, options, lettersUsage)
  if (parsed === undefined) return 0
  const pages: Outbox<DeadLetterAnswer>['pages'] = (journal, page) =>
    journal.deadLetters({ ...page, ...actorOf(parsed) })
  return run<DeadLetterAnswer>(parsed, {
    usage: lettersUsage,
    none: 'no dead letters',
    pages,
    givenUp: pages,
    one: (journal, id) => journal.deadLetter(id),
    idOf: ({ id }) => id,
    headings: ['ID', 'AT', 'ACTOR', 'EVENT', 'REASON'],
    row: ({ id, at, actor, event, reason }) => [
      id,
      new Date(at).toISOString(),
      actor,
      (event as { readonly type: string }).type,
      reason,
    ],
  })
}

function actorOf(parsed: Parsed): { readonly actor?: string } {
  const actor = text(parsed, 'actor')
  return actor === undefined ? {} : { actor }
}

async function run<Item>(parsed: Parsed, outbox: Outbox<Item>): Promise<number> {
  const [verb = 'list', ...ids] = parsed.positionals
  if (verb === 'list' && ids.length === 0) return list(parsed, outbox)
  if (verb === 'show' && ids.length === 1) {
    const item = await withJournal(parsed, (journal) => outbox.one(journal, ids[0] ?? ''))
    print(JSON.stringify(item, null, 2).split('\n'))
    return 0
  }
  if (verb === 'redeliver' && flag(parsed, 'all') !== ids.length > 0) return redeliver(parsed, ids, outbox)
  throw new UsageError(outbox.usage)
}

async function list<Item>(parsed: Parsed, outbox: Outbox<Item>): Promise<number> {
  const items = await withJournal(parsed, (journal) => every((page) => outbox.pages(journal, page)))
  const { none, headings, row } = outbox
  printRows(items, flag(parsed, 'json'), { none, lines: (rows) => table(headings, rows.map(row)) })
  return 0
}

async function every<Item>(read: (page: PageQuery) => Promise<JournalPage<Item>>): Promise<readonly Item[]> {
  const items: Item[] = []
  const pages = allOf((after) => read({ limit: pageSize, ...(after === undefined ? {} : { after }) }))
  for await (const item of pages) items.push(item)
  return items
}

/** Exit code 1 when one was not taken: it stays where it is. */
async function redeliver<Item>(parsed: Parsed, ids: readonly string[], outbox: Outbox<Item>): Promise<number> {
  if (text(parsed, 'state') !== undefined || text(parsed, 'database') !== undefined)
    throw new UsageError('redeliver needs the running orchestrator: leave --state and --database out')
  const client = await connectOrchestrator(parsed)
  const wanted = flag(parsed, 'all')
    ? (await withJournal(parsed, (journal) => every((page) => outbox.givenUp(journal, page)))).map(outbox.idOf)
    : ids
  let refused = 0
  for (const id of wanted) if (!(await putBack(client, id))) refused += 1
  print(`${wanted.length - refused} redelivered, ${refused} refused`)
  return refused === 0 ? 0 : 1
}

const Redelivered = Type.Object({ redelivered: Type.Boolean() })

async function putBack(client: OrchestratorClient, key: string): Promise<boolean> {
  try {
    await client.ask(Redelivered, 'POST', '/operations/redeliver', { key })
    return true
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
    printError(errorLines(`${key}: ${error.message}`))
    return false
  }
}
