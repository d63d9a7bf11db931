/**
 * Prepares large memories in threads, so that the rules for words and names of a megabyte hold up nobody's answer
 * (MEMORIES-19, MEMORY-HEALTH-2). A small one is prepared here: a hop costs more.
 */
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../../runtime/clock.ts'
import { Turns } from '../../graph/turns.ts'
import { type AskedThread, ThreadError } from '../../threads/asked-thread.ts'
import { onceAgain, ThreadPool } from '../../threads/thread-pool.ts'
import type { EngineMemory } from '../port.ts'
import { prepare, type PreparedMemory } from './prepare.ts'

/** Where the thread's source lies beside this file; the bundle has its own beside itself. */
const workerUrl = new URL('./prepare-worker.ts', import.meta.url)

/** Characters of the largest memory that is prepared here: a few milliseconds. */
export const mostHere = 8_000
const mostAtOnce = 2
/** An ingest brings its next files within this. */
const idleMs = 5_000
/** Of each list in one answer: a few milliseconds of reading. A chunk has a hundred terms. */
const sliceLengths = { chunks: 25, entities: 1_000, edges: 1_000 } as const

type Lists = Pick<PreparedMemory, keyof typeof sliceLengths>
type Lengths = Readonly<Record<keyof Lists, number>>

export type PrepareQuestion =
  | { readonly kind: 'prepare'; readonly memory: EngineMemory }
  | { readonly kind: 'slice'; readonly list: keyof Lists; readonly begin: number; readonly end: number }

export type PrepareAnswer =
  | { readonly kind: 'prepared'; readonly contentSha: string; readonly lengths: Lengths }
  | { readonly kind: 'slice'; readonly items: readonly unknown[] }

type PrepareThread = AskedThread<PrepareQuestion, PrepareAnswer>

/** The threads of one engine. */
export class PrepareThreads {
  readonly #pool: ThreadPool<PrepareQuestion, PrepareAnswer>

  constructor(clock: Clock, start: () => Worker = () => new Worker(workerUrl)) {
    this.#pool = new ThreadPool({ start, purpose: 'a memory', most: mostAtOnce, idle: { clock, ms: idleMs } })
  }

  /** In the order given. Rejects with `ThreadError` where two threads died of one of them. */
  async prepare(memories: readonly EngineMemory[]): Promise<PreparedMemory[]> {
    const isLarge = (memory: EngineMemory): boolean => memory.content.length > mostHere
    const large = memories.filter(isLarge)
    const [fromThreads, fromHere] = await Promise.all([
      Promise.all(large.map((memory) => onceAgain(() => this.#pool.run((thread) => fetched(thread, memory))))),
      preparedHere(memories.filter((memory) => !isLarge(memory))),
    ])
    return memories.map((memory) => (isLarge(memory) ? fromThreads : fromHere).shift()!)
  }

  close(): Promise<void> {
    return this.#pool.close()
  }
}

async function preparedHere(memories: readonly EngineMemory[]): Promise<PreparedMemory[]> {
  const turns = new Turns()
  const prepared: PreparedMemory[] = []
  for (const memory of memories) {
    prepared.push(prepare(memory))
    await turns.spent(memory.content.length)
  }
  return prepared
}

async function fetched(thread: PrepareThread, memory: EngineMemory): Promise<PreparedMemory> {
  const answer = await thread.ask({ kind: 'prepare', memory })
  if (answer.kind !== 'prepared') throw new ThreadError('the thread of a memory answered something else')
  const { contentSha, lengths } = answer
  return {
    memory,
    contentSha,
    chunks: await list(thread, 'chunks', lengths),
    entities: await list(thread, 'entities', lengths),
    edges: await list(thread, 'edges', lengths),
  }
}

async function list<L extends keyof Lists>(thread: PrepareThread, name: L, lengths: Lengths): Promise<Lists[L]> {
  const items: unknown[] = []
  for (let begin = 0; begin < lengths[name]; begin += sliceLengths[name]) {
    const answer = await thread.ask({ kind: 'slice', list: name, begin, end: begin + sliceLengths[name] })
    if (answer.kind === 'slice') items.push(...answer.items)
  }
  return items as unknown as Lists[L]
}
