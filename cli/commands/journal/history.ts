import { actorAddress } from '../../actor-address.ts'
import { count, flag, readArgs, UsageError } from '../../args.ts'
import type { HistoryAnswer } from '../../../edges/journal/answers.ts'
import { allOf } from '../../../edges/journal/journal-api.ts'
import { journalOptions, journalUsage, withJournal } from '../../open-journal.ts'
import { printRows } from '../../output/print-rows.ts'
import { table } from '../../output/table.ts'

const usage = `usage: statewright history ACTOR [options]

Shows what happened to an actor: each event, the state after it, and the effects that the machine asked for.
ACTOR is an address, as statewright actors lists them, or the name of a Task.

  --limit N         show the newest N events (default 50)
  --json            print one line of JSON for each event, with its fields; what looks like a secret is masked
${journalUsage}

Example: statewright history implement-lib-1-x7k2p`

export async function history(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, { ...journalOptions, limit: { type: 'string' }, json: { type: 'boolean' } }, usage)
  if (parsed === undefined) return 0
  const [actor, ...rest] = parsed.positionals
  if (actor === undefined || rest.length > 0) throw new UsageError(`history takes one actor\n\n${usage}`)
  const address = actorAddress(actor)
  const limit = count(parsed, 'limit', 50)
  const rows = await withJournal(parsed, async (journal) => {
    const newest: HistoryAnswer[] = []
    const pages = allOf((after) =>
      journal.history({ address, limit: Math.min(500, limit), ...(after === undefined ? {} : { after }) }),
    )
    for await (const row of pages) {
      if (newest.length >= limit) break
      newest.push(row)
    }
    return newest.toReversed()
  })
  printRows(rows, flag(parsed, 'json'), { none: 'no events', lines: tableOf })
  return 0
}

function tableOf(rows: readonly HistoryAnswer[]): readonly string[] {
  return table(
    ['SEQ', 'AT', 'EVENT', 'STATE', 'EFFECTS'],
    rows.map(({ seq, at, event, path, effects, handled, fault }) => [
      String(seq),
      new Date(at).toISOString(),
      (event as { readonly type: string }).type,
      path,
      fault === null
        ? handled
          ? effects.map(({ type }) => type).join(' ') || '-'
          : '(no state handled it)'
        : `threw: ${fault}`,
    ]),
  )
}
