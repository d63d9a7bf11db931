/**
 * Folds a large graph in a thread: the serving thread passes texts on and gets columns and short slices of lists back, so
 * it is never silent for long (CODE-PUSH-27, MEMORY-HEALTH-2).
 */
import { Worker } from 'node:worker_threads'
import type { CodeEntity, Hyperedge, Metadata } from '../model.ts'
import type { ResolvedGraph } from '../resolved/graph.ts'
import { Slots } from '../../slots.ts'

/** Where the thread's source lies beside this file; the bundle has its own beside itself. */
const workerUrl = new URL('./fold-worker.ts', import.meta.url)

/** Elements of one slice: a few milliseconds of reading. */
const sliceLength = 1_000
/** Threads at once: the service goes on answering meanwhile. */
const mostAtOnce = 2

interface Lists {
  readonly entities: CodeEntity
  readonly relations: string
  readonly metadata: readonly [place: number, metadata: Metadata]
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

/** A thread that ended before it had answered: what it was to do may be tried again. */
export class FoldThreadError extends Error {
  override readonly name = 'FoldThreadError'
}

type StartThread = () => Worker

/** The threads of one store. */
export class FoldThreads {
  readonly #start: StartThread
  readonly #threads = new Set<Worker>()
  readonly #slots = new Slots(mostAtOnce)
  #isClosed = false

  constructor(start: StartThread = () => new Worker(workerUrl)) {
    this.#start = start
  }

  /** Gives the graph of all pieces that `feed` adds. The thread ends with it. */
  fold(feed: (add: (file: string, body: string) => void) => Promise<void>): Promise<ResolvedGraph> {
    return this.#slots.run(async () => {
      if (this.#isClosed) throw new Error('the store of graphs is closed')
      const worker = this.#start()
      this.#threads.add(worker)
      try {
        const thread = new FoldThread(worker)
        await feed((file, body) => thread.add(file, body))
        return await thread.finish()
      } finally {
        this.#threads.delete(worker)
        void worker.terminate()
      }
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#threads].map((worker) => worker.terminate()))
  }
}

class FoldThread {
  readonly #worker: Worker
  #answer = Promise.withResolvers<FoldAnswer>()
  #fault: Error | undefined

  constructor(worker: Worker) {
    this.#worker = worker
    worker.unref()
    worker.on('message', (answer: FoldAnswer) => this.#answer.resolve(answer))
    worker.on('error', (cause) => this.#fail(new FoldThreadError('the thread of a graph failed', { cause })))
    worker.on('exit', () => this.#fail(new FoldThreadError('the thread of a graph ended without an answer')))
  }

  #fail(fault: Error): void {
    this.#fault ??= fault
    // Nobody may be waiting just then; who asks next is refused.
    this.#answer.promise.catch(() => undefined)
    this.#answer.reject(this.#fault)
  }

  add(file: string, body: string): void {
    this.#post({ kind: 'piece', file, body })
  }

  async finish(): Promise<ResolvedGraph> {
    const answer = await this.#ask({ kind: 'finish' })
    if (answer.kind !== 'columns') throw new FoldThreadError('the thread of a graph answered something else')
    const { columns, lengths } = answer
    const graph = {
      ...columns,
      ids: [] as string[],
      placeOf: new Map<string, number>(),
      entities: [] as CodeEntity[],
      relations: [] as string[],
      edgeMetadata: new Map<number, Metadata>(),
      hyperedges: [] as Hyperedge[],
    }
    await this.#each('entities', lengths, (entity) => {
      graph.placeOf.set(entity.id, graph.ids.push(entity.id) - 1)
      graph.entities.push(entity)
    })
    await this.#each('relations', lengths, (name) => graph.relations.push(name))
    await this.#each('metadata', lengths, ([place, metadata]) => graph.edgeMetadata.set(place, metadata))
    await this.#each('hyperedges', lengths, (hyperedge) => graph.hyperedges.push(hyperedge))
    return graph
  }

  async #each<L extends keyof Lists>(
    list: L,
    lengths: Readonly<Record<keyof Lists, number>>,
    visit: (item: Lists[L]) => void,
  ): Promise<void> {
    for (let begin = 0; begin < lengths[list]; begin += sliceLength) {
      const answer = await this.#ask({ kind: 'slice', list, begin, end: begin + sliceLength })
      if (answer.kind === 'slice') for (const item of answer.items) visit(item as Lists[L])
    }
  }

  #ask(question: FoldQuestion): Promise<FoldAnswer> {
    if (this.#fault === undefined) this.#answer = Promise.withResolvers()
    this.#post(question)
    return this.#answer.promise
  }

  #post(question: FoldQuestion): void {
    if (this.#fault !== undefined) throw this.#fault
    this.#worker.postMessage(question)
  }
}
