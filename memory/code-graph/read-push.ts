/**
 * Reads pushes. A large one is parsed, checked and sorted in a thread, and comes back as the texts that are stored, in
 * short answers (CODE-PUSH-27, MEMORY-HEALTH-2). A small one is read here: a hop costs more.
 */
import { Worker } from 'node:worker_threads'
import type { FastifyRequest } from 'fastify'
import type { ProblemCode } from '../../http/problems/problem-codes.ts'
import { Problem } from '../../http/problems/problem.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { IndexedFile } from '../graph/model.ts'
import type { WrittenPiece } from '../graph/port.ts'
import { maxBulkBytes, readPieces } from '../json-stream/read-json-body.ts'
import { type AskedThread, ThreadError } from '../threads/asked-thread.ts'
import { onceAgain, ThreadPool } from '../threads/thread-pool.ts'
import { PushScan } from './push-reader.ts'
import { sortPush, type SortedPush } from './push.ts'

/** Where the thread's source lies beside this file; the bundle has its own beside itself. */
const workerUrl = new URL('./push-worker.ts', import.meta.url)

/** Bytes of the largest body that is read here: some milliseconds. */
const mostHere = 64 * 1024
const mostAtOnce = 2
/** The next part of a snapshot comes within this. */
const idleMs = 5_000

type Strictness = { readonly strict: boolean }

export type PushQuestion =
  | ({ readonly kind: 'begin' } & Strictness)
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'finish' }
  | { readonly kind: 'files'; readonly begin: number }
  | { readonly kind: 'pieces'; readonly isFirst: boolean }

export type PushAnswer =
  | { readonly kind: 'more' }
  | {
      readonly kind: 'refused'
      readonly code: ProblemCode
      readonly message: string
      readonly members: Problem['members']
    }
  | ({ readonly kind: 'sorted'; readonly unsettled: string } & Pick<SortedPush, 'members' | 'counts' | 'offRubric'>)
  | { readonly kind: 'files'; readonly files: readonly IndexedFile[] }
  | { readonly kind: 'pieces'; readonly pieces: readonly WrittenPiece[] }

type PushThread = AskedThread<PushQuestion, PushAnswer>

/** The threads of one server. */
export class PushReading {
  readonly #pool: ThreadPool<PushQuestion, PushAnswer>

  constructor(clock: Clock, start: () => Worker = () => new Worker(workerUrl)) {
    this.#pool = new ThreadPool({ start, purpose: 'a push', most: mostAtOnce, idle: { clock, ms: idleMs } })
  }

  /**
   * Gives the push in the body of `request` to `use`, which runs again where the thread died of it. Throws 400 with every
   * fault found. A body is kept as bytes until it is whole: one that comes slowly has no thread meanwhile.
   */
  async read<T>(request: FastifyRequest, strictness: Strictness, use: (push: SortedPush) => Promise<T>): Promise<T> {
    const pieces: Uint8Array<ArrayBuffer>[] = []
    let length = 0
    await readPieces(request, maxBulkBytes, async (piece) => {
      length += piece.length
      // A copy: the piece belongs to its socket, and a view of it would hold all of it.
      pieces.push(new Uint8Array(piece))
    })
    if (length <= mostHere) return use(await readHere(pieces, strictness))
    return onceAgain(() => this.#pool.run(async (thread) => use(await readThere(thread, pieces, strictness))))
  }

  close(): Promise<void> {
    return this.#pool.close()
  }
}

function readHere(pieces: readonly Uint8Array<ArrayBuffer>[], strictness: Strictness): Promise<SortedPush> {
  const scan = new PushScan(strictness)
  for (const piece of pieces) scan.write(Buffer.from(piece.buffer))
  return sortPush(scan.finish())
}

async function readThere(
  thread: PushThread,
  pieces: readonly Uint8Array<ArrayBuffer>[],
  { strict }: Strictness,
): Promise<SortedPush> {
  await ask(thread, { kind: 'begin', strict }, 'more')
  for (const bytes of pieces) await ask(thread, { kind: 'bytes', bytes }, 'more')
  const { members, counts, offRubric, unsettled } = await ask(thread, { kind: 'finish' }, 'sorted')
  const files: IndexedFile[] = []
  while (files.length < counts.files)
    files.push(...(await ask(thread, { kind: 'files', begin: files.length }, 'files')).files)
  return {
    members,
    counts,
    offRubric,
    files,
    contributions: new Map(),
    written: () => writtenPieces(thread),
    unsettled: { text: unsettled },
  }
}

async function* writtenPieces(thread: PushThread): AsyncGenerator<WrittenPiece> {
  for (let isFirst = true; ; isFirst = false) {
    const { pieces } = await ask(thread, { kind: 'pieces', isFirst }, 'pieces')
    if (pieces.length === 0) return
    yield* pieces
  }
}

/** The answer of a kind. Throws the problem that the thread found instead. */
async function ask<K extends PushAnswer['kind']>(
  thread: PushThread,
  question: PushQuestion,
  kind: K,
): Promise<Extract<PushAnswer, { readonly kind: K }>> {
  const answer = await thread.ask(question)
  if (answer.kind === 'refused') throw new Problem(answer.code, answer.message, { members: answer.members })
  if (answer.kind !== kind) throw new ThreadError('the thread of a push answered something else')
  return answer as Extract<PushAnswer, { readonly kind: K }>
}
