import { createWriteStream } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { basename, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { systemClock } from '../../../runtime/clock.ts'
import { count, flag, readArgs, text, UsageError, type Parsed } from '../../args.ts'
import { extract, type Extraction } from '../../../memory/extract/extract.ts'
import { openFactsCache } from '../../../memory/extract/facts-cache.ts'
import type { FilePiece } from '../../../memory/extract/graph.ts'
import { pushGraph } from '../../../memory/client/push/push.ts'
import { git } from '../../../memory/extract/source-files.ts'
import { progress } from '../../output/progress.ts'
import { cacheDir } from '../../knowledge-service.ts'
import { connectMemory, memoryOptions, memoryUsage } from '../../server/connect-memory.ts'
import { programDir, version } from '../../program.ts'
import { print, printEach } from '../../output/terminal.ts'

const usage = `usage: statewright code-graph push [DIR] --repo NAME [options]
       statewright code-graph extract [DIR] [--out FILE] [options]

Extracts the code graph of the sources below DIR (default: the current folder). Nodes are files, functions, types, packages
and cluster resources. Edges are contains, imports, calls, extends, implements, references, owns and links.
push sends the graph to the knowledge service: everything the first time, then what the service lacks.
extract writes the graph: one line of JSON for each file.

  --repo NAME        the repository's name in the knowledge service (push needs it)
  --full             push: replace the whole graph there
  --commit SHA       push: the commit that the graph shows (default: git's HEAD)
  --out FILE         extract: write to FILE (default: standard output)
  --max-file-size N  skip files larger than N bytes (default 1048576)
  --threads N        parse with N threads (default: by cores and files, at most 4)
  --no-cache         parse every file again
  --json             print the result as JSON
${memoryUsage}

Example: statewright code-graph push . --repo my-library`

const options = {
  ...memoryOptions,
  repo: { type: 'string' },
  full: { type: 'boolean' },
  commit: { type: 'string' },
  out: { type: 'string' },
  'max-file-size': { type: 'string' },
  threads: { type: 'string' },
  'no-cache': { type: 'boolean' },
  json: { type: 'boolean' },
} as const

export async function codeGraph(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, options, usage)
  if (parsed === undefined) return 0
  const [verb, dir = '.', ...rest] = parsed.positionals
  if ((verb !== 'push' && verb !== 'extract') || rest.length > 0) throw new UsageError(usage)
  return verb === 'push' ? push(parsed, resolve(dir)) : write(parsed, resolve(dir))
}

async function push(parsed: Parsed, dir: string): Promise<number> {
  const repo = text(parsed, 'repo')
  if (repo === undefined || repo === '') throw new UsageError(`push needs --repo NAME\n\n${usage}`)
  const client = await connectMemory(parsed, process.env)
  const extraction = await read(parsed, dir, repo)
  const commit = text(parsed, 'commit') ?? (await headOf(dir))
  const sent = await pushGraph(extraction.pieces, {
    client,
    repo,
    full: flag(parsed, 'full'),
    newId: randomUUID,
    ...(commit === undefined ? {} : { commit }),
  })
  const outcome = { repo, commit: commit ?? null, ...sent, ...summary(extraction) }
  if (flag(parsed, 'json')) print(JSON.stringify(outcome))
  else
    print(
      sent.mode === 'nothing'
        ? `${repo}: nothing has changed since the last push`
        : [
            `${repo}: pushed ${sent.files} of ${outcome.files_read} files as ${sent.mode}: ${sent.entities} entities, ${sent.edges} edges`,
            ...skippedLines(outcome.skipped),
          ],
    )
  return 0
}

async function write(parsed: Parsed, dir: string): Promise<number> {
  const extraction = await read(parsed, dir, basename(dir))
  const out = text(parsed, 'out')
  if (out === undefined) {
    await printEach(jsonLines(extraction.pieces))
    return 0
  }
  await pipeline(jsonLines(extraction.pieces, '\n'), createWriteStream(out))
  print(flag(parsed, 'json') ? JSON.stringify(summary(extraction)) : extractionLines(extraction))
  return 0
}

function* jsonLines(pieces: readonly FilePiece[], end = ''): Generator<string> {
  for (const piece of pieces) yield `${JSON.stringify(piece)}${end}`
}

async function read(parsed: Parsed, dir: string, name: string): Promise<Extraction> {
  const shown = progress('reading', Date.now)
  const cache = flag(parsed, 'no-cache')
    ? undefined
    : openFactsCache(
        join(cacheDir(process.env), 'facts', `${encodeURIComponent(`${name} ${dir}`).slice(-200)}.ndjson`),
        version(),
      )
  const threads = count(parsed, 'threads', 0)
  const largestBytes = count(parsed, 'max-file-size', 0)
  const extraction = await extract({
    dir,
    programDir,
    clock: systemClock,
    onProgress: shown.update,
    ...(cache === undefined ? {} : { cache }),
    ...(threads === 0 ? {} : { threads }),
    ...(largestBytes === 0 ? {} : { largestBytes }),
  })
  shown.end()
  cache?.save()
  return extraction
}

async function headOf(dir: string): Promise<string | undefined> {
  const { code, stdout } = await git(dir, ['rev-parse', 'HEAD'])
  return code === 0 ? stdout.trim() : undefined
}

interface Summary {
  readonly files_read: number
  readonly cached: number
  readonly bytes: number
  readonly skipped: Readonly<Record<string, number>>
}

function summary({ pieces, cached, bytes, skipped }: Extraction): Summary {
  const reasons: Record<string, number> = {}
  for (const { reason } of skipped) reasons[reason] = (reasons[reason] ?? 0) + 1
  return { files_read: pieces.length, cached, bytes, skipped: reasons }
}

function extractionLines(extraction: Extraction): readonly string[] {
  const [entities, edges] = [total(extraction.pieces, 'entities'), total(extraction.pieces, 'edges')]
  const { files_read, skipped } = summary(extraction)
  return [`${files_read} files: ${entities} entities, ${edges} edges`, ...skippedLines(skipped)]
}

function total(pieces: readonly FilePiece[], of: 'entities' | 'edges'): number {
  return pieces.reduce((sum, piece) => sum + piece[of].length, 0)
}

function skippedLines(skipped: Readonly<Record<string, number>>): readonly string[] {
  const parts = Object.entries(skipped).map(([reason, files]) => `${files} ${reason}`)
  return parts.length === 0 ? [] : [`skipped: ${parts.join(', ')}`]
}
