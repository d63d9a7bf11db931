/**
 * Folds a large graph in a thread: the serving thread passes texts on and gets columns and short slices of lists back, so
 * it is never silent for long (CODE-PUSH-27, MEMORY-HEALTH-2).
 */
import { Worker } from 'node:worker_threads'
import type { CodeEntity, Hyperedge, Metadata } from '../model.ts'
import type { ResolvedGraph } from '../resolved/graph.ts'
import { type AskedThread, ThreadError } from '../../threads/asked-thread.ts'
import { ThreadPool } from '../../threads/thread-pool.ts'

/** Where the thread's source lies beside this file; the bundle has its own beside itself. */
const workerUrl = new URL('./fold-worker.ts', import.meta.url)

/** Elements of one slice: a few milliseconds of reading. */
const sliceLength = 1_000
/** Threads at once: the service goes on answering meanwhile. */
const mostAtOnce = 2

interface Lists {
  readonly entities: CodeEntity
  readonly relations: string
  readonly metadata: readonly [position: number, metadata: Metadata]
  readonly hyperedges: Hyperedge
}

type Columns = Pick<ResolvedGraph, 'from' | 'to' | 'relation' | 'confidence' | 'tier' | 'out' | 'in'>

export type FoldQuestion =
  | { readonly kind: 'piece'; readonly file: string; readonly body: string }
  | { readonly kind: 'finish' }
  | { readonly kind: 'slice'; readonly list: keyof Lists; readonly begin: number; readonly end: number }

export type FoldAnswer =
  | { readonly kind: 'columns'; readonly columns: Columns; readonly lengths: Readonly<Record<keyof Lists, number>> }
  | { readonly kind: 'slice'; readonly items: readonly unknown[] }

type FoldThread = AskedThread<FoldQuestion, FoldAnswer>

/** The threads of one store. */
export class FoldThreads {
  readonly #pool: ThreadPool<FoldQuestion, FoldAnswer>

  constructor(start: () => Worker = () => new Worker(workerUrl)) {
    this.#pool = new ThreadPool({ start, purpose: 'a graph', most: mostAtOnce })
  }

  /** Gives the graph of all pieces that `feed` adds. The thread ends with it. */
  fold(feed: (add: (file: string, body: string) => void) => Promise<void>): Promise<ResolvedGraph> {
    return this.#pool.run(async (thread) => {
      await feed((file, body) => thread.post({ kind: 'piece', file, body }))
      return new Fetching(thread).finish()
    })
  }

  close(): Promise<void> {
    return this.#pool.close()
  }
}

/** Gets a graph out of its thread. */
class Fetching {
  readonly #thread: FoldThread

  constructor(thread: FoldThread) {
    this.#thread = thread
  }

  async finish(): Promise<ResolvedGraph> {
    const answer = await this.#thread.ask({ kind: 'finish' })
    if (answer.kind !== 'columns') throw new ThreadError('the thread of a graph answered something else')
    const { columns, lengths } = answer
    const graph = {
      ...columns,
      ids: [] as string[],
      positionOf: new Map<string, number>(),
      entities: [] as CodeEntity[],
      relations: [] as string[],
      edgeMetadata: new Map<number, Metadata>(),
      hyperedges: [] as Hyperedge[],
    }
    await this.#each('entities', lengths, (entity) => {
      graph.positionOf.set(entity.id, graph.ids.push(entity.id) - 1)
      graph.entities.push(entity)
    })
    await this.#each('relations', lengths, (name) => graph.relations.push(name))
    await this.#each('metadata', lengths, ([position, metadata]) => graph.edgeMetadata.set(position, metadata))
    await this.#each('hyperedges', lengths, (hyperedge) => graph.hyperedges.push(hyperedge))
    return graph
  }

  async #each<L extends keyof Lists>(
    list: L,
    lengths: Readonly<Record<keyof Lists, number>>,
    visit: (item: Lists[L]) => void,
  ): Promise<void> {
    for (let begin = 0; begin < lengths[list]; begin += sliceLength) {
      const answer = await this.#thread.ask({ kind: 'slice', list, begin, end: begin + sliceLength })
      if (answer.kind === 'slice') for (const item of answer.items) visit(item as Lists[L])
    }
  }
}
