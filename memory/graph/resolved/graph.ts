/** One version of a graph in memory: entities in the order of their ids, edges in the order (from, to, relation). */
import type { CodeEdge, CodeEntity, Hyperedge, Metadata } from '../model.ts'
import { tiers } from '../model.ts'
import type { GraphArrays } from '../port.ts'
import type { Adjacency } from './adjacency.ts'

export interface ResolvedGraph extends GraphArrays {
  readonly positionOf: ReadonlyMap<string, number>
  /** Metadata of an edge, by its place; most have none. */
  readonly edgeMetadata: ReadonlyMap<number, Metadata>
  /** In the order of their ids. */
  readonly hyperedges: readonly Hyperedge[]
  readonly out: Adjacency
  readonly in: Adjacency
}

export function edgeAt(graph: ResolvedGraph, position: number): CodeEdge {
  const metadata = graph.edgeMetadata.get(position)
  return {
    from: graph.ids[graph.from[position] ?? 0] ?? '',
    to: graph.ids[graph.to[position] ?? 0] ?? '',
    relation: graph.relations[graph.relation[position] ?? 0] ?? '',
    confidence: graph.confidence[position] ?? 0,
    tier: tiers[graph.tier[position] ?? 0] ?? 'EXTRACTED',
    ...(metadata === undefined ? {} : { metadata }),
  }
}

export function entityAt(graph: ResolvedGraph, position: number): CodeEntity {
  const entity = graph.entities[position]
  if (entity === undefined) throw new RangeError(`the graph has no entity ${position}`)
  return entity
}
