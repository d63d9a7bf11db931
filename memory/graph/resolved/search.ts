import type { CodeEntity } from '../model.ts'
import type { Bounded, SearchQuery } from '../port.ts'
import { compareText } from './fold.ts'
import type { ResolvedGraph } from './graph.ts'

/** The words of a question, if it has several: their order is nobody's business. */
export function wordsOf(q: string): readonly string[] {
  const words = q.split(/\s+/).filter((word) => word !== '')
  return words.length > 1 ? words : []
}

/** How well an entity answers a search, least is best: its name, the name's beginning, a part of it, a part of the id; then all words in the name, in the id. */
function searchRank(entity: CodeEntity, lowerCaseQ: string, words: readonly string[]): number | undefined {
  const name = entity.name.toLowerCase()
  if (name === lowerCaseQ) return 0
  if (name.startsWith(lowerCaseQ)) return 1
  if (name.includes(lowerCaseQ)) return 2
  const id = entity.id.toLowerCase()
  if (id.includes(lowerCaseQ)) return 3
  if (words.length === 0) return undefined
  if (words.every((word) => name.includes(word))) return 4
  return words.every((word) => id.includes(word)) ? 5 : undefined
}

export function search(graph: ResolvedGraph, query: SearchQuery): Bounded<CodeEntity> {
  const { type, file, limit } = query
  const isWanted = (entity: CodeEntity): boolean =>
    (type === undefined || entity.type === type) && (file === undefined || entity.file === file)
  if (query.q === undefined || query.q === '') return bounded(inOrder(graph, query.after, isWanted, limit + 1), limit)
  const q = query.q.toLowerCase()
  const words = wordsOf(q)
  const ranked = graph.entities.flatMap((entity) => {
    const rank = isWanted(entity) ? searchRank(entity, q, words) : undefined
    return rank === undefined ? [] : [{ entity, rank }]
  })
  // Shorter names first among equals: who asks for `parse` rather means `parse` than `parseEverything`.
  ranked.sort(
    (a, b) => a.rank - b.rank || a.entity.name.length - b.entity.name.length || compareText(a.entity.id, b.entity.id),
  )
  return bounded(
    ranked.map((each) => each.entity),
    limit,
  )
}

function inOrder(
  { entities }: ResolvedGraph,
  after: string | undefined,
  wanted: (entity: CodeEntity) => boolean,
  most: number,
): CodeEntity[] {
  const found: CodeEntity[] = []
  for (const entity of entities) {
    if (found.length >= most) break
    if ((after === undefined || entity.id > after) && wanted(entity)) found.push(entity)
  }
  return found
}

export function bounded<T>(found: readonly T[], limit: number): Bounded<T> {
  return { items: found.slice(0, limit), truncated: found.length > limit }
}
