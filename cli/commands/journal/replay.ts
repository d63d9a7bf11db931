import { actorAddress } from '../../actor-address.ts'
import { flag, readArgs, UsageError } from '../../args.ts'
import type { ReplayAnswer } from '../../../edges/journal/answers.ts'
import { allOf, type JournalApi } from '../../../edges/journal/journal-api.ts'
import { journalOptions, journalUsage, withJournal } from '../../open-journal.ts'
import { print } from '../../output/terminal.ts'

const usage = `usage: statewright replay ACTOR... | --all [options]

Replays the journal of each actor and compares every step with the store: effects, state, and the snapshot byte by byte.
ACTOR is an address, as statewright actors lists them, or the name of a Task. A journal begins at the actor's first event, or later after retention or an upgrade. The command changes nothing.

Exit code 0: every journal replays. 1: a journal differs; the command prints its first difference.

  --all             replay every actor
  --json            print one line of JSON for each actor
${journalUsage}

Example: statewright replay --all`

const pageSize = 500

export async function replay(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, { ...journalOptions, all: { type: 'boolean' }, json: { type: 'boolean' } }, usage)
  if (parsed === undefined) return 0
  const named = parsed.positionals.map(actorAddress)
  if (flag(parsed, 'all') === named.length > 0) throw new UsageError(`replay takes actors, or --all\n\n${usage}`)
  const isJson = flag(parsed, 'json')
  const sum = { actors: 0, steps: 0, different: 0 }
  await withJournal(parsed, async (journal) => {
    for await (const address of flag(parsed, 'all') ? everyAddress(journal) : named) {
      const result = await journal.replay(address)
      sum.actors += 1
      sum.steps += result.steps
      if (!result.equal) sum.different += 1
      if (isJson) print(JSON.stringify(result))
      else if (!result.equal || named.length > 0) print(replayLine(result))
    }
  })
  if (!isJson) print(`${sum.actors} actors, ${sum.steps} steps, ${sum.different} different`)
  return sum.different === 0 ? 0 : 1
}

async function* everyAddress(journal: JournalApi): AsyncGenerator<string> {
  const pages = allOf((after) =>
    journal.actors({ prefix: '', limit: pageSize, ...(after === undefined ? {} : { after }) }),
  )
  for await (const { address } of pages) yield address
}

function replayLine({ address, steps, equal, firstDifference }: ReplayAnswer): string {
  return equal ? `${address}: ${steps} steps, equal` : `${address}: ${firstDifference ?? 'differs'}`
}
