import { writeFileSync } from 'node:fs'
import { bundleFormat, type ActorBundle, type BundleFile } from '../../runtime/journal/bundle/schema.ts'
import { readArgs, text, UsageError } from '../args.ts'
import { allOf, type JournalApi } from '../../edges/journal/journal-api.ts'
import { journalOptions, journalUsage, withJournal } from '../open-journal.ts'
import { version } from '../main.ts'

const usage = `usage: statewright export ACTOR... [--out FILE] [options]

Writes actors with their journals as one bundle: machine hash and version, baselines, snapshot, events, effects, timers.
What people wrote and who they are is masked word by word, the same way throughout the bundle; names of Projects,
repositories, branches and Tasks stay. Each bundle says whether its masked journal still decides the same.
statewright import folds it by the machines of another version.

  ACTOR             an address; one that ends in * stands for all that begin so ('turn:default/*')
  --out FILE        where to (default: standard output)
${journalUsage}`

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
  if (actors.length === 0) throw new Error('no actor has such an address: statewright actors lists them')
  for (const { address, events, replay } of actors)
    console.error(`${address}: ${events.length} events${replay.ok ? '' : `, cannot be replayed: ${replay.why ?? ''}`}`)
  const file: BundleFile = { format: bundleFormat, program: version(), exportedAt: Date.now(), actors }
  write(`${JSON.stringify(file, null, 1)}\n`, text(parsed, 'out'))
  return 0
}

async function* addresses(journal: JournalApi, given: string): AsyncGenerator<string> {
  if (!given.endsWith('*')) return yield given
  const prefix = given.slice(0, -1)
  const pages = allOf((after) => journal.actors({ prefix, limit: pageSize, ...(after === undefined ? {} : { after }) }))
  for await (const { address } of pages) yield address
}

/** Readable by its owner alone: masked is less than public. */
function write(content: string, path: string | undefined): void {
  if (path === undefined) process.stdout.write(content)
  else writeFileSync(path, content, { mode: 0o600 })
}
