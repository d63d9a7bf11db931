/**
 * The engine without a server or a model: everything in our own Postgres. A memory is found as soon as its upsert has
 * committed. Without an embedder nothing here is called semantic: BM25, names, and how names stand together.
 */
import type { Logger } from '../../../runtime/logger.ts'
import { createLoop, type Loop } from '../../../runtime/loop.ts'
import type { Random } from '../../../runtime/random.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import type { Embedder } from '../embeddings/embedder.ts'
import { createVectorFeed, type VectorFeed } from '../embeddings/vector-feed.ts'
import { sweepKnowledge } from '../knowledge/forget-memories.ts'
import { heldMemories } from '../knowledge/held-memories.ts'
import type {
  EngineFigures,
  EngineInfo,
  EngineMemory,
  EngineReadiness,
  RemoveOutcome,
  RetrievalEngine,
  Retrieval,
  UpsertOutcome,
} from '../port.ts'
import { queryModes } from '../port.ts'
import { tokenizerVersion } from '../text/tokenize.ts'
import { clearIndex } from './clear-index.ts'
import { ChunkGroups } from './chunk-groups.ts'
import { createCommunities } from './communities.ts'
import { indexMemories } from './index-memories.ts'
import { createStatisticsKeeper } from './keep-statistics.ts'
import { Postings } from './postings.ts'
import type { PreparedMemory } from './prepare.ts'
import { PrepareThreads } from './prepare-in-thread.ts'
import { retrieve, type RetrievalSources } from './retrieve.ts'
import { summarize } from '../text/summarize.ts'
import { unindexMemories } from './unindex-memories.ts'
import { codeOf, messageOf } from '../../../runtime/errors.ts'

export interface EmbeddedEngineOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly embedder?: Embedder | undefined
  /** In which large memories are prepared; they end with the engine. */
  readonly threads?: PrepareThreads
}

/** The version of what the index holds: terms, entities, scores. */
const version = '1'
/** One transaction takes so many: enough to share its cost, few enough that nobody waits long behind it. */
const mostAtOnce = 32
/** How often chunks are looked for whose vectors could not be had when they came. */
const vectorsDueMs = 15_000

export function createEmbeddedEngine(options: EmbeddedEngineOptions): RetrievalEngine {
  const { sql, clock, random, logger, embedder, threads = new PrepareThreads(clock) } = options
  const counts = { stored: 0, duplicates: 0, failed: 0, withoutEntities: 0 }
  const vectors: VectorFeed | undefined = embedder && createVectorFeed({ sql, clock, random, embedder, logger })
  const sources = sourcesOver(sql, vectors)
  const statistics = createStatisticsKeeper(sql, logger)
  const backfill = vectors && backfillOf(vectors, options)

  async function upsert(memories: readonly EngineMemory[]): Promise<UpsertOutcome[]> {
    const outcomes: UpsertOutcome[] = []
    for (let from = 0; from < memories.length; from += mostAtOnce) {
      outcomes.push(...(await upsertGroup(memories.slice(from, from + mostAtOnce))))
    }
    return outcomes
  }

  /** One that cannot be stored must not take the others of its group along. */
  async function upsertGroup(memories: readonly EngineMemory[]): Promise<UpsertOutcome[]> {
    let prepared: readonly PreparedMemory[]
    try {
      prepared = await indexed(sql, threads, memories)
    } catch (error) {
      if (memories.length === 1) return [failed(memories[0]!, error)]
      const each: UpsertOutcome[] = []
      for (const memory of memories) each.push(...(await upsertGroup([memory])))
      return each
    }
    await statistics.grown(prepared.reduce((sum, one) => sum + one.chunks.length, 0))
    counts.stored += memories.length
    counts.withoutEntities += prepared.filter((one) => one.entities.length === 0).length
    return addVectors(memories)
  }

  function failed(memory: EngineMemory, error: unknown): UpsertOutcome {
    counts.failed += 1
    // Class 22 is a fault of the data: it stays one.
    const retryable = !(codeOf(error) ?? '').startsWith('22')
    return { id: memory.id, status: 'failed', message: messageOf(error), retryable }
  }

  async function addVectors(memories: readonly EngineMemory[]): Promise<UpsertOutcome[]> {
    const fault = await vectors?.addFor(memories.map((one) => one.id))
    return memories.map(({ id }) =>
      fault === undefined ? { id, status: 'stored' } : { id, status: 'partial', message: fault },
    )
  }

  async function remove(ids: readonly string[]): Promise<RemoveOutcome[]> {
    if (ids.length === 0) return []
    const held = await heldMemories(sql, ids)
    await sql.tx(async (tx) => {
      await tx.query('select from engine_index for update')
      await sweepKnowledge(tx, await unindexMemories(tx, ids))
    })
    return ids.map((id) => ({ id, status: held.has(id) ? 'removed' : 'absent' }))
  }

  async function ready(): Promise<EngineReadiness> {
    const { rows } = await sql.query<{ tokenizer: number; chunks: number }>(
      'select tokenizer, chunks from engine_index',
    )
    const { tokenizer, chunks } = rows[0]!
    const degraded =
      chunks > 0 && tokenizer !== tokenizerVersion
        ? ['another version built the index: run statewright memory rebuild']
        : []
    const { fault, refusal } = vectors ?? {}
    if (refusal !== undefined) return { ready: false, reasons: [refusal], degraded }
    return { ready: true, reasons: [], degraded: fault === undefined ? degraded : [...degraded, fault] }
  }

  return {
    info: async (): Promise<EngineInfo> => informationOf(embedder, vectors?.fault === undefined),
    ready,
    figures: async (): Promise<EngineFigures> => ({ ...counts, removalsQueued: 0, wakes: 0 }),
    upsert,
    remove,
    holds: (ids) => heldMemories(sql, ids),
    clear: (also) => clearIndex(sql, also),
    retrieve: (query): Promise<Retrieval> => retrieve(sources, query),
    describe: async (text, passages) => summarize(text, passages),
    learnEntities: async () => undefined,
    start: () => backfill?.start(),
    async stop() {
      await backfill?.stop()
      await threads.close()
    },
  }
}

/** Asks for the dimensions first, then for the vectors that were missing when their chunks came. */
function backfillOf(vectors: VectorFeed, { clock, random, logger }: EmbeddedEngineOptions): Loop {
  let isProbed = false
  return createLoop({
    ...{ clock, random, logger },
    name: 'missing-vectors',
    everyMs: vectorsDueMs,
    turn: async () => {
      await (isProbed ? vectors.addMissing() : vectors.probe())
      isProbed = true
      return Math.max(vectorsDueMs, vectors.pauseMs)
    },
    failing: 'missing vectors could not be made',
    over: 'missing vectors are made again',
  })
}

/** Of one memory given twice the later is meant; both have its outcome. */
async function indexed(
  sql: Sql,
  threads: PrepareThreads,
  memories: readonly EngineMemory[],
): Promise<readonly PreparedMemory[]> {
  const prepared = await threads.prepare([...new Map(memories.map((one) => [one.id, one])).values()])
  await indexMemories(sql, prepared)
  return prepared
}

function sourcesOver(sql: Sql, vectors: VectorFeed | undefined): RetrievalSources {
  return { sql, postings: new Postings(), groups: new ChunkGroups(), communities: createCommunities(sql), vectors }
}

/** While the embedder is away words alone rank, and their scores are what they are. */
function informationOf(embedder: Embedder | undefined, isThere: boolean): EngineInfo {
  return {
    engine: 'embedded',
    version,
    llm: false,
    embeddings: embedder ? 'openai-compatible' : 'none',
    embeddingModel: embedder?.model ?? null,
    modes: queryModes,
    scoreKinds: { naive: embedder && isThere ? 'fused' : 'bm25', local: 'fused', global: 'fused', hybrid: 'fused' },
  }
}
