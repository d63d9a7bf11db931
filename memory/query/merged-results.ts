import type { EntityHit, RelationHit } from '../engine/port.ts'
import type { VisibleRetrieval } from './retrieve-visible.ts'

export interface Result {
  readonly id: string
  readonly content: string
  readonly metadata: Readonly<Record<string, string>>
  readonly score: number
  readonly kind: 'chunk' | 'entity' | 'relation'
}

/** A caller asks for texts: what is known of the graph takes at most this share, each of the two. */
const graphShare = 4

/** One list by falling score, of `topK` at most; of equal scores the text comes first. */
export function mergedResults({ topK, chunks, entities, relations }: VisibleRetrieval): Result[] {
  const names = new Map(entities.map((one) => [one.id, one.name]))
  const few = Math.floor(topK / graphShare)
  const ofNamed = relations.filter((one) => names.has(one.from) && names.has(one.to))
  return [
    ...chunks.map(({ memoryId, content, metadata, score }) => ({
      id: memoryId,
      content,
      metadata,
      score,
      kind: 'chunk' as const,
    })),
    ...entities.slice(0, few).map(entityResult),
    ...ofNamed.slice(0, few).map((one) => relationResult(one, names)),
  ]
    .toSorted((a, b) => b.score - a.score)
    .slice(0, topK)
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
