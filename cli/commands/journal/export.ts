import { writeFileSync } from 'node:fs'
import { bundleText } from '../../../runtime/journal/bundle/bundle-text.ts'
import { bundleFormat, type ActorBundle, type BundleFile } from '../../../runtime/journal/bundle/schema.ts'
import { actorAddress } from '../../actor-address.ts'
import { readArgs, text, UsageError } from '../../args.ts'
import { allOf, type JournalApi } from '../../../edges/journal/journal-api.ts'
import { journalOptions, journalUsage, withJournal } from '../../open-journal.ts'
import { program, version } from '../../program.ts'
import { print, printError } from '../../output/terminal.ts'

const usage = `usage: statewright export ACTOR... [--out FILE] [options]

Writes actors with their journals as one bundle: machine hash and version, baselines, snapshot, events, effects, timers.
The export masks every word that people wrote, and who they are. One word gets the same mask everywhere in a bundle.
Names of Projects, repositories, branches and Tasks stay. Each bundle states whether its masked journal still replays.
statewright import replays a bundle with another version.

  ACTOR             an address, or the name of a Task; a * at its end selects every address that begins so
  --out FILE        write to FILE, readable by its owner only (default: standard output)
${journalUsage}

Example: statewright export 'task:default/*' --out tasks.json`

const pageSize = 500

export async function exportActors(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, { ...journalOptions, out: { type: 'string' } }, usage)
  if (parsed === undefined) return 0
  if (parsed.positionals.length === 0) throw new UsageError(`export takes actors\n\n${usage}`)
  const actors = await withJournal(parsed, async (journal) => {
    const bundles: ActorBundle[] = []
    for (const given of parsed.positionals)
      for await (const address of addresses(journal, given)) bundles.push(await journal.bundle(address))
    return bundles
  })
  if (actors.length === 0) throw new Error(`no actor has such an address: ${program} actors lists them`)
  for (const { address, events, replay } of actors)
    printError(`${address}: ${events.length} events${replay.ok ? '' : `, cannot be replayed: ${replay.why ?? ''}`}`)
  const file: BundleFile = { format: bundleFormat, program: version(), exportedAt: Date.now(), actors }
  write(bundleText(file), text(parsed, 'out'))
  return 0
}

async function* addresses(journal: JournalApi, given: string): AsyncGenerator<string> {
  if (!given.endsWith('*')) return yield actorAddress(given)
  const prefix = given.slice(0, -1)
  const pages = allOf((after) => journal.actors({ prefix, limit: pageSize, ...(after === undefined ? {} : { after }) }))
  for await (const { address } of pages) yield address
}

/** Readable by its owner alone: masked is less than public. */
function write(content: string, path: string | undefined): void {
  if (path === undefined) print(content.trimEnd().split('\n'))
  else writeFileSync(path, content, { mode: 0o600 })
}
