/** A folder's code graph: which files, what each says, where their names lead. */
import { availableParallelism } from 'node:os'
import type { Clock } from '../../runtime/clock.ts'
import { buildGraph, type ParsedFile } from './build-graph.ts'
import { documentGraph, type ReadDocument } from './document-graph.ts'
import { isDocument, readDocument } from './documents.ts'
import type { FileFacts } from './facts.ts'
import type { FactsCache } from './facts-cache.ts'
import { factsPool, type FactsPool } from './facts-pool.ts'
import type { FilePiece } from './graph.ts'
import { languageOf, languageOfSource } from './languages.ts'
import { manifestName, packagePieces } from './packages.ts'
import { extendedConfigs, mostExtended } from './resolve/compiler-options.ts'
import { listFiles, readSource, type Skipped } from './source-files.ts'

export interface ExtractOptions {
  readonly dir: string
  /** Where the program lies: its grammars are found from there. */
  readonly programDir: string
  readonly clock: Clock
  readonly largestBytes?: number
  readonly threads?: number
  readonly cache?: FactsCache
  readonly onProgress?: (done: number, total: number) => void
}

export interface Extraction {
  /** In the order of their paths. */
  readonly pieces: readonly FilePiece[]
  readonly skipped: readonly Skipped[]
  /** Files whose facts were known from an earlier run. */
  readonly cached: number
  readonly bytes: number
}

/** Reading goes on while threads parse; more at once would only fill the memory. */
const filesAhead = 4
const mostThreads = 4
/** Starting a thread and its grammars costs as much as parsing about this many files. */
const filesAThread = 60

export async function extract(options: ExtractOptions): Promise<Extraction> {
  const { files, skipped } = await listFiles(options.dir)
  const isWanted = (path: string): boolean =>
    languageOf(path) !== undefined || isDocument(path) || manifestName.test(path)
  const wanted = files.filter(isWanted)
  const threads =
    options.threads ?? Math.min(mostThreads, availableParallelism(), Math.ceil(wanted.length / filesAThread))
  const pool = factsPool(options, Math.max(threads, 1))
  const run = new Run(options, pool, [...skipped], wanted.length)
  try {
    await inParallel(wanted, Math.max(threads, 1) * filesAhead, (path) => run.read(path))
    await run.readExtended(new Set(files.filter((path) => !isWanted(path))))
  } finally {
    await pool.close()
  }
  return run.result()
}

class Run {
  readonly #options: ExtractOptions
  readonly #pool: FactsPool
  readonly #skipped: Skipped[]
  readonly #total: number
  readonly #parsed: ParsedFile[] = []
  readonly #documents: ReadDocument[] = []
  readonly #manifests = new Map<string, { text: string; sha: string }>()
  #done = 0
  #cached = 0
  #bytes = 0

  constructor(options: ExtractOptions, pool: FactsPool, skipped: Skipped[], total: number) {
    this.#options = options
    this.#pool = pool
    this.#skipped = skipped
    this.#total = total
  }

  async read(path: string): Promise<void> {
    const { dir, largestBytes, onProgress } = this.#options
    const read = await readSource(dir, path, largestBytes === undefined ? {} : { largestBytes })
    if ('reason' in read) this.#skipped.push(read)
    else await this.#take(path, read.sha, read.bytes)
    this.#done += 1
    onProgress?.(this.#done, this.#total)
  }

  /** Configs that others extend have any name: one of those that are left. */
  async readExtended(left: Set<string>): Promise<void> {
    for (let step = 0; step < mostExtended; step++) {
      const named = extendedConfigs(textsOf(this.#manifests)).filter((path) => left.delete(path))
      if (named.length === 0) return
      for (const path of named) {
        const read = await readSource(this.#options.dir, path)
        if ('bytes' in read) this.#manifests.set(path, { text: read.bytes.toString('utf8'), sha: read.sha })
      }
    }
  }

  async #take(path: string, sha: string, bytes: Buffer): Promise<void> {
    const source = bytes.toString('utf8')
    this.#bytes += bytes.length
    if (manifestName.test(path)) this.#manifests.set(path, { text: source, sha })
    else if (isDocument(path)) this.#documents.push({ path, sha, facts: readDocument(path, source) })
    else await this.#parse(path, sha, source)
  }

  async #parse(path: string, sha: string, source: string): Promise<void> {
    const language = languageOfSource(path, source)?.name ?? ''
    const known = this.#options.cache?.get(language, sha)
    const facts: FileFacts | undefined = known ?? (await this.#pool.facts({ language, source }))
    if (facts === undefined) {
      this.#skipped.push({ file: path, reason: 'the parser gave up' })
      return
    }
    if (known === undefined) this.#options.cache?.set(language, sha, facts)
    else this.#cached += 1
    this.#parsed.push({ path, sha, facts })
  }

  result(): Extraction {
    const parsed = this.#parsed.toSorted(byPath)
    const documents = this.#documents.toSorted(byPath)
    const manifests = new Map([...this.#manifests].toSorted(([one], [other]) => (one < other ? -1 : 1)))
    const known = new Set([...parsed, ...documents].map(({ path }) => path))
    const pieces = [
      ...buildGraph(parsed, textsOf(manifests)),
      ...documentGraph(documents, known),
      ...packagePieces(manifests),
    ]
    return {
      pieces: pieces.toSorted((one, other) => (one.file < other.file ? -1 : 1)),
      skipped: this.#skipped.toSorted((one, other) => (one.file < other.file ? -1 : 1)),
      cached: this.#cached,
      bytes: this.#bytes,
    }
  }
}

function textsOf(manifests: ReadonlyMap<string, { readonly text: string }>): ReadonlyMap<string, string> {
  return new Map([...manifests].map(([path, { text }]) => [path, text]))
}

function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return one.path < other.path ? -1 : 1
}

async function inParallel<T>(items: readonly T[], most: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]()
  const lane = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true; next = left.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, lane))
}
