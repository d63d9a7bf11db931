import { kindOf, type MemoryKind } from '../engine/memory-kind.ts'
import type { EntityHit, RelationHit } from '../engine/port.ts'
import type { VisibleRetrieval } from './retrieve-visible.ts'

export interface Result {
  readonly id: string
  readonly content: string
  readonly metadata: Readonly<Record<string, string>>
  readonly score: number
  readonly kind: 'chunk' | 'entity' | 'relation'
  /** Of a chunk. */
  readonly memory_kind?: MemoryKind
}

/** A caller asks for texts: what is known of the graph takes at most this share, each of the two. */
const graphShare = 4

/** One list by falling score, of `topK` at most: entities and relations come behind the texts, in the places that these leave. */
export function mergedResults({ topK, chunks, entities, relations }: VisibleRetrieval): Result[] {
  const names = new Map(entities.map((one) => [one.id, one.name]))
  const few = Math.floor(topK / graphShare)
  const ofNamed = relations.filter((one) => names.has(one.from) && names.has(one.to))
  const texts = chunks.slice(0, topK).map(({ memoryId, content, metadata, score }) => ({
    id: memoryId,
    content,
    metadata,
    score,
    kind: 'chunk' as const,
    memory_kind: kindOf(metadata),
  }))
  const least = texts.at(-1)?.score ?? 1
  const named = [
    ...entities.slice(0, few).map(entityResult),
    ...ofNamed.slice(0, few).map((one) => relationResult(one, names)),
  ].toSorted((a, b) => b.score - a.score)
  return [...texts, ...named.map((one) => ({ ...one, score: one.score * least }))].slice(0, topK)
}

function entityResult({ id, name, type, description, score }: EntityHit): Result {
  const content = description === '' ? `${name} (${type})` : `${name} (${type}): ${description}`
  return { id, content, metadata: {}, score, kind: 'entity' }
}

function relationResult(relation: RelationHit, names: ReadonlyMap<string, string>): Result {
  const { id, from, to, description, score } = relation
  const sentence = `${names.get(from)} ${relation.relation} ${names.get(to)}`
  return {
    id,
    content: description === '' ? sentence : `${sentence}: ${description}`,
    metadata: {},
    score,
    kind: 'relation',
  }
}
