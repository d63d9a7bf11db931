import type { Queryable } from '../../../runtime/store/sql.ts'
import type { GraphHead } from '../port.ts'
import { Fold } from '../resolved/fold.ts'
import type { ResolvedGraph } from '../resolved/graph.ts'
import { onceAgain } from '../../threads/thread-pool.ts'
import { Turns } from '../turns.ts'
import { FoldThreads } from './fold-in-thread.ts'
import { readHead, type StoredHead } from './heads.ts'
import { readPiece } from './piece.ts'
import { piecesIn } from './rows.ts'

export interface LoadedGraph {
  readonly head: GraphHead
  readonly graph: ResolvedGraph
}

/** Entities and edges kept in memory over all repositories, the one asked for longest ago going first: some 1.5 GB. */
const mostElements = 6_000_000
/** Characters of pieces that are folded at once: a few milliseconds. A thread costs more to begin. */
const mostHere = 200_000
/** Elements that a question is taken to look at: ten questions of what is kept are one turn of the event loop. */
const perQuestion = 200
/** Pushes that may come while one is read, before the reader gives up. */
const mostAttempts = 20

export interface CacheOptions {
  /** No other process writes to this store, as of a folder that one process has at a time: its heads can be kept. */
  readonly isOnlyWriter: boolean
  /** Where large graphs are folded. */
  readonly threads?: FoldThreads
}

/** The newest version of each repository, made when it is first asked for. */
export class GraphCache {
  readonly #sql: Queryable
  readonly #isOnlyWriter: boolean
  readonly #threads: FoldThreads
  readonly #heads = new Map<string, StoredHead>()
  /** Counts the pushes of this process: a head that was read while one ended may be the one before it. */
  #pushes = 0
  /** In the order of use. */
  readonly #loaded = new Map<string, LoadedGraph>()
  readonly #loading = new Map<string, Promise<LoadedGraph | undefined>>()
  readonly #turns = new Turns()

  constructor(sql: Queryable, { isOnlyWriter, threads = new FoldThreads() }: CacheOptions) {
    this.#sql = sql
    this.#isOnlyWriter = isOnlyWriter
    this.#threads = threads
  }

  /** To be called when a push has ended, however. */
  pushed(repo: string): void {
    this.#pushes += 1
    this.#heads.delete(repo)
  }

  async head(repo: string): Promise<StoredHead | undefined> {
    // Who asks again and again of what is kept would never let a timer, a socket or the store run.
    if (this.#heads.has(repo)) await this.#turns.spent(perQuestion)
    const known = this.#heads.get(repo)
    if (known !== undefined) return known
    const pushes = this.#pushes
    const stored = await readHead(this.#sql, repo)
    if (stored !== undefined && this.#isOnlyWriter && pushes === this.#pushes) this.#heads.set(repo, stored)
    return stored
  }

  async newest(repo: string): Promise<LoadedGraph | undefined> {
    const stored = await this.head(repo)
    if (stored === undefined) return undefined
    const known = this.#loaded.get(repo)
    if (known?.head.version === stored.head.version) {
      this.#use(repo, known)
      return known
    }
    const loading = await this.#loading.get(repo)
    // Begun before this question: what it brings may be older than what the asker knows of.
    if (loading !== undefined && loading.head.version >= stored.head.version) return loading
    return this.#load(repo)
  }

  #load(repo: string): Promise<LoadedGraph | undefined> {
    const loading = load(this.#sql, this.#threads, repo).then((loaded) => {
      if (loaded !== undefined) this.#use(repo, loaded)
      return loaded
    })
    this.#loading.set(repo, loading)
    const done = (): void => {
      if (this.#loading.get(repo) === loading) this.#loading.delete(repo)
    }
    loading.then(done, done)
    return loading
  }

  #use(repo: string, loaded: LoadedGraph): void {
    this.#loaded.delete(repo)
    this.#loaded.set(repo, loaded)
    let elements = [...this.#loaded.values()].reduce((sum, { graph }) => sum + sizeOf(graph), 0)
    for (const [oldest, { graph }] of this.#loaded) {
      if (elements <= mostElements || oldest === repo) break
      this.#loaded.delete(oldest)
      elements -= sizeOf(graph)
    }
  }

  clear(): void {
    this.#heads.clear()
    this.#loaded.clear()
  }

  async close(): Promise<void> {
    this.clear()
    await this.#threads.close()
  }
}

function sizeOf(graph: ResolvedGraph): number {
  return graph.ids.length + graph.from.length
}

/** Pieces are read page by page without a transaction, which would hold up everyone else of an embedded store. */
async function load(sql: Queryable, threads: FoldThreads, repo: string): Promise<LoadedGraph | undefined> {
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const before = await readHead(sql, repo)
    if (before === undefined) return undefined
    const graph = await onceAgain(() => foldPieces(sql, threads, before.generation))
    const after = await readHead(sql, repo)
    if (after?.head.version === before.head.version) return { head: before.head, graph }
  }
  throw new Error(`new pushes of ${repo} arrive faster than the service can read the graph: retry later`)
}

async function foldPieces(sql: Queryable, threads: FoldThreads, generation: number): Promise<ResolvedGraph> {
  const { rows } = await sql.query<{ large: boolean }>(
    'select coalesce(sum(length(body)), 0) > $2 as large from code_graph_file where generation = $1',
    [generation, mostHere],
  )
  if (rows[0]?.large === true)
    return threads.fold(async (add) => {
      for await (const { file, body } of piecesIn(sql, generation)) add(file, body)
    })
  const fold = new Fold()
  for await (const { file, body } of piecesIn(sql, generation)) fold.add(file, readPiece(body))
  return fold.finish()
}
