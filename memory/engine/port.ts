/**
 * One retrieval engine, in words of no provider. Memories, entities and edges belong to our Postgres; an engine is fed
 * from it, finds things, and can be filled anew at any time.
 *
 * - P1 `upsert` and `remove` may be repeated: the same memory again goes on where the earlier call stood.
 * - P2 Outcomes are data, one for each memory given, in the order given. What is thrown says nothing about any of them.
 * - P3 A memory is found once its `upsert` said `stored`, `duplicate` or `partial`, and no longer once its `remove` began.
 * - P4 Scores lie in [0, 1], descend, and are of the kind that the answer names. None is invented.
 */
import type { Queryable } from '../../runtime/store/sql.ts'
import type { MemoryKind } from './memory-kind.ts'

export const queryModes = ['local', 'global', 'hybrid', 'naive'] as const
export type QueryMode = (typeof queryModes)[number]

/** `rank` is 1/rank: the engine tells an order and no figure. */
export const scoreKinds = ['cosine', 'bm25', 'fused', 'rank'] as const
export type ScoreKind = (typeof scoreKinds)[number]

export interface EngineInfo {
  readonly engine: 'embedded' | 'lightrag'
  /** What the engine calls its version; null while it was not reached. */
  readonly version: string | null
  /** Whether a language model reads what is stored and writes what is described. */
  readonly llm: boolean
  readonly embeddings: 'none' | 'openai-compatible' | 'engine'
  readonly embeddingModel: string | null
  readonly modes: readonly QueryMode[]
  readonly scoreKinds: Readonly<Record<QueryMode, ScoreKind>>
}

export interface EngineMemory {
  readonly id: string
  readonly content: string
  readonly metadata: Readonly<Record<string, string>>
  /** Empty: of no repository. */
  readonly repo: string
  readonly file: string | null
}

/** `duplicate`: the engine held this text already, for another memory; both are found from now on. */
export type UpsertOutcome =
  | { readonly id: string; readonly status: 'stored' }
  | { readonly id: string; readonly status: 'duplicate'; readonly of: string | null }
  | { readonly id: string; readonly status: 'partial'; readonly message: string }
  | { readonly id: string; readonly status: 'failed'; readonly message: string; readonly retryable: boolean }

/** `queued`: hidden from every answer now, and taken out of the engine as soon as the engine lets it. */
export type RemoveOutcome =
  | { readonly id: string; readonly status: 'removed' | 'absent' | 'queued' }
  | { readonly id: string; readonly status: 'failed'; readonly message: string; readonly retryable: boolean }

export interface QueryFilter {
  /** Only memories of one of these repositories; '' stands for those of none. Undefined: of all. */
  readonly repos?: readonly string[] | undefined
  /** Every pair must be in the memory's metadata. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** Only memories of one of these kinds; undefined: of all. */
  readonly kinds?: readonly MemoryKind[] | undefined
}

export interface EngineQuery {
  readonly mode: QueryMode
  readonly text: string
  readonly topK: number
  readonly filter?: QueryFilter | undefined
  /**
   * Whoever asks has no use for entities, relations or less fitting chunks once it has so many chunks: an engine that finds
   * them by the words (and vectors) alone may leave the rest out. Undefined: all is wanted.
   */
  readonly enough?: number | undefined
}

export interface ChunkHit {
  readonly memoryId: string
  readonly chunkId: string
  readonly content: string
  readonly score: number
  /** 1 is the best. */
  readonly rank: number
}

export interface EntityHit {
  /** The stable id of our own row. */
  readonly id: string
  readonly name: string
  readonly type: string
  readonly description: string
  readonly score: number
}

export interface RelationHit {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly relation: string
  readonly description: string
  readonly score: number
}

export interface Retrieval {
  readonly scoreKind: ScoreKind
  /** By falling score. */
  readonly chunks: readonly ChunkHit[]
  readonly entities: readonly EntityHit[]
  readonly relations: readonly RelationHit[]
}

/** A chunk as it is described: what it says, and of which file or change. */
export interface Passage {
  readonly content: string
  readonly score: number
  readonly file?: string | undefined
  /** Of a change. */
  readonly subject?: string | undefined
}

export interface Description {
  readonly summary: string
  /** `extractive`: sentences of the memories themselves, none of them written by a model. */
  readonly generatedBy: 'extractive' | 'llm'
  /** The places of the passages that the summary uses, ascending. */
  readonly uses: readonly number[]
}

/** Why an engine cannot serve, in words for an operator: no address, no secret. */
export interface EngineReadiness {
  readonly ready: boolean
  readonly reasons: readonly string[]
  /** What somebody should look at, though it serves. */
  readonly degraded: readonly string[]
}

/** Counters since the start of the process; the server tells them as metrics. */
export interface EngineFigures {
  readonly stored: number
  readonly duplicates: number
  readonly failed: number
  /** Stored, and not one entity found in it: an extraction that fails silently shows here. */
  readonly withoutEntities: number
  /** Removals that wait for the engine. */
  readonly removalsQueued: number
  /** How often an engine that had stopped working on what it had accepted was woken. */
  readonly wakes: number
}

export interface RetrievalEngine {
  info(): Promise<EngineInfo>
  ready(): Promise<EngineReadiness>
  figures(): Promise<EngineFigures>
  upsert(memories: readonly EngineMemory[], signal?: AbortSignal): Promise<readonly UpsertOutcome[]>
  remove(ids: readonly string[], signal?: AbortSignal): Promise<readonly RemoveOutcome[]>
  /** Of the memories given, those whose `upsert` has come to a good end: what `rebuild` need not feed again. */
  holds(ids: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Forgets all it was fed with, for `rebuild`. What people wrote of entities, and edges they asserted, stay. `also` is done
   * in the transaction that forgets.
   */
  clear(also?: (tx: Queryable) => Promise<unknown>): Promise<void>
  retrieve(query: EngineQuery): Promise<Retrieval>
  /** A narrative that answers `text` by these passages alone, best first. */
  describe(text: string, passages: readonly Passage[]): Promise<Description>
  /** Brings into our rows of entities and edges what the engine knows by that name or part of it. */
  learnEntities(q: string, limit: number): Promise<void>
  /** Begins the engine's own work between calls: queued removals, work that stopped. */
  start(): void
  stop(): Promise<void>
}

/** The engine could not be asked; what it would have said is not known. The message is for an operator's eyes. */
export class EngineError extends Error {
  readonly reason: 'failed' | 'timeout'

  constructor(reason: 'failed' | 'timeout', message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EngineError'
    this.reason = reason
  }
}
