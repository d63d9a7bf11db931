/**
 * LightRAG over its real server, 1.4 or 1.5, behind the port. What it holds is told by our rows, never by its file names;
 * what it may answer is what our rows still have.
 */
import type { Fetch } from '../../../http/ports.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { messageOf } from '../../../runtime/errors.ts'
import type { Logger } from '../../../runtime/logger.ts'
import { createLoop } from '../../../runtime/loop.ts'
import type { Random } from '../../../runtime/random.ts'
import type { Queryable, Sql } from '../../../runtime/store/sql.ts'
import { forgetMemories, sweepKnowledge } from '../knowledge/forget-memories.ts'
import { heldMemories } from '../knowledge/held-memories.ts'
import {
  queryModes,
  type EngineInfo,
  type EngineMemory,
  type EngineReadiness,
  type RemoveOutcome,
  type RetrievalEngine,
  type UpsertOutcome,
} from '../port.ts'
import { createApi } from './api.ts'
import type { LightRagCounts, LightRagDeps } from './deps.ts'
import { describe } from './describe.ts'
import { storedMemories } from './documents.ts'
import { copyKnowledge, learnNames, learnText } from './learn.ts'
import { ProbedServer } from './probe.ts'
import { countRemovals, sweepRemovals } from './removals.ts'
import { retrieve } from './retrieve.ts'
import { storeText, type Stored } from './store-text.ts'

export interface LightRagOptions {
  readonly url: string
  readonly apiKey?: string | undefined
  readonly sql: Sql
  readonly clock: Clock
  readonly random: Random
  readonly fetch: Fetch
  readonly logger: Logger
  readonly sweepEveryMs?: number
  readonly stoppedAfterMs?: number
}

/** How often what has to leave is tried again; a busy pipeline refuses it each time. */
const defaultSweepEveryMs = 2_000
/** `busy` is false for a moment after it accepted a text: only after so long does it mean that it stopped. */
const defaultStoppedAfterMs = 6_000
/** More texts at once only wait in its queue. */
const mostAtOnce = 8
/** From so many texts on, a larger share without an entity means that its model's answers can't be read. */
const judgedFrom = 20
const suspiciousShare = 0.5

export function createLightRagEngine(options: LightRagOptions): RetrievalEngine {
  const { sql, clock, logger, sweepEveryMs = defaultSweepEveryMs, stoppedAfterMs = defaultStoppedAfterMs } = options
  const counts: LightRagCounts = { stored: 0, duplicates: 0, failed: 0, withoutEntities: 0, wakes: 0 }
  const deps: LightRagDeps = {
    api: createApi(options),
    sql,
    clock,
    logger,
    counts,
    underway: new Map(),
    stoppedAfterMs,
  }
  const sweep = single(() => sweepRemovals(deps))
  const server = new ProbedServer(deps.api)
  const removals = createLoop({
    ...options,
    name: 'removals-of-texts',
    everyMs: sweepEveryMs,
    turn: async () => void (await sweep()),
    failing: 'the engine could not ask LightRAG to delete a text',
    over: 'LightRAG deletes texts again',
    bounds: { firstMs: sweepEveryMs, longestMs: sweepEveryMs },
  })

  async function upsert(memories: readonly EngineMemory[], signal?: AbortSignal): Promise<UpsertOutcome[]> {
    const outcomes: UpsertOutcome[] = []
    for (let from = 0; from < memories.length; from += mostAtOnce) {
      const group = memories.slice(from, from + mostAtOnce)
      outcomes.push(...(await Promise.all(group.map((memory) => upsertOne(memory, signal)))))
    }
    return outcomes
  }

  async function upsertOne(memory: EngineMemory, signal?: AbortSignal): Promise<UpsertOutcome> {
    const { id } = memory
    try {
      const stored = await storeText(deps, memory, signal)
      if (stored.status === 'failed') {
        counts.failed += 1
        return { id, status: 'failed', message: stored.message, retryable: true }
      }
      await learn(memory, stored)
      counts.stored += 1
      if (stored.status === 'partial') return { id, status: 'partial', message: stored.message }
      if (stored.isNew || stored.other === null) return { id, status: 'stored' }
      counts.duplicates += 1
      return { id, status: 'duplicate', of: stored.other }
    } catch (error) {
      counts.failed += 1
      return { id, status: 'failed', message: messageOf(error), retryable: true }
    }
  }

  /** A graph that can't be read now is read when somebody asks for a name: the text is stored all the same. */
  async function learn(memory: EngineMemory, stored: Exclude<Stored, { status: 'failed' }>): Promise<void> {
    const { rowCount } = await sql.query('select from knowledge_entity_source where memory_id = $1 limit 1', [
      memory.id,
    ])
    if (rowCount > 0) return
    try {
      if (stored.status === 'stored' && stored.other !== null) await copyKnowledge(sql, stored.other, memory.id)
      const again = await sql.query('select from knowledge_entity_source where memory_id = $1 limit 1', [memory.id])
      if (again.rowCount > 0) return
      if ((await learnText(deps, memory, stored.row.source)) === 0) counts.withoutEntities += 1
    } catch (error) {
      logger.warn({ err: error }, 'the engine could not ask LightRAG what it extracted from a text')
    }
  }

  async function remove(ids: readonly string[]): Promise<RemoveOutcome[]> {
    if (ids.length === 0) return []
    const held = await heldMemories(sql, ids)
    await sql.tx(async (tx) => sweepKnowledge(tx, await forgetMemories(tx, ids)))
    const left = held.size === 0 ? 0 : await sweep().catch(() => 1)
    return ids.map((id) => ({ id, status: !held.has(id) ? 'absent' : left === 0 ? 'removed' : 'queued' }))
  }

  async function clear(also?: (tx: Queryable) => Promise<unknown>): Promise<void> {
    await sql.tx(async (tx) => (await forgetAll(tx), await also?.(tx)))
    await sweep()
  }

  async function ready(): Promise<EngineReadiness> {
    const reasons = await server.faults()
    return { ready: reasons.length === 0, reasons, degraded: reasons.length === 0 ? suspicion() : [] }
  }

  function suspicion(): string[] {
    const { stored, withoutEntities } = counts
    if (stored < judgedFrom || withoutEntities / stored < suspiciousShare) return []
    return ['LightRAG finds no entities in most texts: check that it can read the answers of its model']
  }

  return {
    async info(): Promise<EngineInfo> {
      const found = await server.known().catch(() => undefined)
      return {
        engine: 'lightrag',
        version: found?.version ?? null,
        llm: true,
        embeddings: 'engine',
        embeddingModel: found?.embeddingModel ?? null,
        modes: queryModes,
        scoreKinds: { naive: 'rank', local: 'rank', global: 'rank', hybrid: 'rank' },
      }
    },
    ready,
    figures: async () => ({ ...counts, removalsQueued: await countRemovals(deps) }),
    upsert,
    remove,
    holds: (ids) => storedMemories(sql, ids),
    clear,
    retrieve: (query) => retrieve(deps, query),
    describe: (text, passages) => describe(deps, text, passages),
    learnEntities: (q, limit) => learnNames(deps, q, limit),
    start: () => removals.start(sweepEveryMs),
    async stop() {
      await removals.stop()
      await sweep.settled()
    },
  }
}

interface Single<T> {
  (): Promise<T>
  /** When what runs has ended, however it did. */
  settled(): Promise<void>
}

/** Rounds don't overlap; who comes while one runs waits for the next, which sees what that caller wrote. */
function single<T>(run: () => Promise<T>): Single<T> {
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | undefined
  const ask = (): Promise<T> => {
    next ??= last.then(() => {
      next = undefined
      const round = run()
      last = round.catch(() => undefined)
      return round
    })
    return next
  }
  return Object.assign(ask, { settled: async () => void (await last) })
}

/** LightRAG may have lost what it had: no row tells any more that a text is there, before its record is seen again. */
async function forgetAll(tx: Queryable): Promise<void> {
  await tx.exec(`delete from engine_memory; update lightrag_document set state = 'removing' where state <> 'sending'; delete from knowledge_edge where not is_asserted;
    delete from knowledge_entity e where not is_described and metadata = '{}'
      and not exists (select from knowledge_edge k where k.from_id = e.id or k.to_id = e.id);
    update knowledge_entity set memories = 0`)
}
