import type { Clock } from '../../../runtime/clock.ts'
import type { Logger } from '../../../runtime/logger.ts'
import { createOutage } from '../../../runtime/outage.ts'
import type { Random } from '../../../runtime/random.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import type { QueryFilter } from '../port.ts'
import type { RankedChunk } from '../embedded/lexical.ts'
import type { Embedder } from './embedder.ts'
import {
  canHoldVectors,
  chunksWithoutVector,
  dimensionsOf,
  rankByVector,
  storeVectors,
  tableOf,
  WrongDimensions,
  type ChunkText,
} from './vectors.ts'

/** Vectors beside the index: a model that is away makes nothing else fail. */
export interface VectorFeed {
  /** Why the last attempt failed; undefined while it works. */
  readonly fault: string | undefined
  /** Why the model can never be used; undefined while nothing says so. */
  readonly refusal: string | undefined
  /** How long to leave the model alone after the last failure; 0 while it works. */
  readonly pauseMs: number
  /** Asks for one vector, so that a model that cannot be used is known before anything is stored. */
  probe(): Promise<void>
  /** The fault, if the vectors of these memories are not there yet: `addMissing` brings them later. */
  addFor(memoryIds: readonly string[]): Promise<string | undefined>
  addMissing(): Promise<void>
  /** Undefined when the model can't be asked: the caller ranks without. */
  rank(text: string, limit: number, filter?: QueryFilter): Promise<RankedChunk[] | undefined>
}

export interface VectorFeedOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly random: Random
  readonly embedder: Embedder
  readonly logger: Logger
}

const batch = 64

export function createVectorFeed({ sql, clock, random, embedder, logger }: VectorFeedOptions): VectorFeed {
  const outage = createOutage({
    clock,
    random,
    logger,
    failing: 'the embeddings endpoint failed: ranking continues without vectors',
    over: 'the embeddings endpoint answers again',
  })
  let fault: string | undefined
  let refusal: string | undefined
  let pauseMs = 0
  let canHold: boolean | undefined

  async function attempt<T>(run: () => Promise<T>): Promise<T | undefined> {
    try {
      canHold ??= await canHoldVectors(sql)
      if (!canHold) throw new Error('the store has no pgvector')
      const result = await run()
      fault = undefined
      refusal = undefined
      pauseMs = 0
      outage.answered()
      return result
    } catch (error) {
      fault = `embeddings: ${error instanceof Error ? error.message : String(error)}`
      if (error instanceof WrongDimensions) refusal = fault
      pauseMs = outage.failed(error)
      return undefined
    }
  }

  return {
    get fault() {
      return fault
    },
    get pauseMs() {
      return pauseMs
    },
    get refusal() {
      return refusal
    },
    probe: async () => void (await attempt(async () => tableOf((await embedder.embed(['dimensions']))[0]!.length))),
    async addFor(memoryIds) {
      const done = await attempt(async () => {
        const { rows } = await sql.query<ChunkText>(
          'select no, content from engine_chunk where memory_id = any($1::text[]) order by no',
          [memoryIds],
        )
        await embedAndStore(sql, embedder, rows)
        return true
      })
      return done ? undefined : fault
    },
    async addMissing() {
      await attempt(async () => {
        for (;;) {
          const chunks = await chunksWithoutVector(sql, embedder.model, await dimensionsOf(sql, embedder.model), batch)
          if (chunks.length === 0) return
          await embedAndStore(sql, embedder, chunks)
        }
      })
    },
    rank: (text, limit, filter) =>
      attempt(async () => {
        const [vector] = await embedder.embed([text])
        return rankByVector(sql, embedder.model, vector!, limit, filter)
      }),
  }
}

async function embedAndStore(sql: Sql, embedder: Embedder, chunks: readonly ChunkText[]): Promise<void> {
  if (chunks.length === 0) return
  const vectors = await embedder.embed(chunks.map((one) => one.content))
  await storeVectors(
    sql,
    embedder.model,
    chunks.map((one, at) => ({ no: one.no, vector: vectors[at]! })),
  )
}
