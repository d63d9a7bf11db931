import type { CodeEdge, CodeEntity, Contribution, Hyperedge, Metadata } from '../model.ts'
import { externalType, tiers } from '../model.ts'
import { adjacency } from './adjacency.ts'
import type { ResolvedGraph } from './graph.ts'

/**
 * Makes one graph of what the files contribute (G2, G3, G4). Whose file comes first in the order of names wins where
 * several tell of one entity or hyperedge, so the outcome is the same in whatever order they are added.
 */
export class Fold {
  readonly #positionOf = new Map<string, number>()
  readonly #ids: string[] = []
  readonly #declared: (CodeEntity | undefined)[] = []
  readonly #declaredBy: string[] = []
  readonly #relations = new Map<string, number>()
  readonly #edges = new EdgeColumns()
  readonly #hyperedges = new Map<string, { readonly hyperedge: Hyperedge; readonly file: string }>()

  add(file: string, contribution: Contribution): void {
    for (const entity of contribution.entities) this.#declare(file, entity)
    for (const edge of contribution.edges) this.#connect(edge)
    for (const hyperedge of contribution.hyperedges) this.#group(file, hyperedge)
  }

  finish(): ResolvedGraph {
    const order = sortedPositions(this.#ids)
    const rank = inverse(order)
    const ids = order.map((position) => this.#ids[position] ?? '')
    const names = [...this.#relations.keys()]
    const relationOrder = sortedPositions(names)
    const relations = relationOrder.map((position) => names[position] ?? '')
    const relationRank = inverse(relationOrder)
    const edges = this.#edges.distinct(rank, relationRank)
    return {
      ids,
      positionOf: new Map(ids.map((id, position) => [id, position])),
      entities: order.map((position) => this.#entityAt(position)),
      relations,
      ...edges,
      hyperedges: [...this.#hyperedges.values()].map((each) => each.hyperedge).toSorted(byId),
      out: adjacency(ids.length, edges.from),
      in: adjacency(ids.length, edges.to),
    }
  }

  #entityAt(position: number): CodeEntity {
    const id = this.#ids[position] ?? ''
    return this.#declared[position] ?? { id, type: externalType, name: id }
  }

  #position(id: string): number {
    const known = this.#positionOf.get(id)
    if (known !== undefined) return known
    const position = this.#ids.push(id) - 1
    this.#positionOf.set(id, position)
    this.#declared.push(undefined)
    this.#declaredBy.push('')
    return position
  }

  #declare(file: string, entity: CodeEntity): void {
    const position = this.#position(entity.id)
    if (this.#declared[position] !== undefined && (this.#declaredBy[position] ?? '') <= file) return
    this.#declared[position] = entity
    this.#declaredBy[position] = file
  }

  #connect(edge: CodeEdge): void {
    const relation = this.#relations.get(edge.relation) ?? this.#relations.size
    if (relation === this.#relations.size) this.#relations.set(edge.relation, relation)
    this.#edges.push(this.#position(edge.from), this.#position(edge.to), relation, edge)
  }

  #group(file: string, hyperedge: Hyperedge): void {
    for (const member of hyperedge.members) this.#position(member)
    const known = this.#hyperedges.get(hyperedge.id)
    if (known === undefined || file < known.file) this.#hyperedges.set(hyperedge.id, { hyperedge, file })
  }
}

interface DistinctEdges {
  readonly from: Int32Array
  readonly to: Int32Array
  readonly relation: Uint32Array
  readonly confidence: Float64Array
  readonly tier: Uint8Array
  readonly edgeMetadata: ReadonlyMap<number, Metadata>
}

/** Edges as they come, a column each: a million of them as objects would be ten times the memory. */
class EdgeColumns {
  readonly #from: number[] = []
  readonly #to: number[] = []
  readonly #relation: number[] = []
  readonly #confidence: number[] = []
  readonly #tier: number[] = []
  readonly #metadata = new Map<number, Metadata>()

  push(from: number, to: number, relation: number, edge: CodeEdge): void {
    const position = this.#from.push(from) - 1
    this.#to.push(to)
    this.#relation.push(relation)
    this.#confidence.push(edge.confidence)
    this.#tier.push(tiers.indexOf(edge.tier))
    if (edge.metadata !== undefined) this.#metadata.set(position, edge.metadata)
  }

  /** In the order (from, to, relation), of each the surest one. */
  distinct(rank: Int32Array, relationRank: Int32Array): DistinctEdges {
    const from = Int32Array.from(this.#from, (position) => rank[position] ?? 0)
    const to = Int32Array.from(this.#to, (position) => rank[position] ?? 0)
    const relation = Uint32Array.from(this.#relation, (position) => relationRank[position] ?? 0)
    const kept = this.#inOrder(rank.length, from, to, relation)
    const metadata = new Map<number, Metadata>()
    kept.forEach((edge, position) => {
      const known = this.#metadata.get(edge)
      if (known !== undefined) metadata.set(position, known)
    })
    return {
      from: Int32Array.from(kept, (edge) => from[edge] ?? 0),
      to: Int32Array.from(kept, (edge) => to[edge] ?? 0),
      relation: Uint32Array.from(kept, (edge) => relation[edge] ?? 0),
      confidence: Float64Array.from(kept, (edge) => this.#confidence[edge] ?? 0),
      tier: Uint8Array.from(kept, (edge) => this.#tier[edge] ?? 0),
      edgeMetadata: metadata,
    }
  }

  #inOrder(nodes: number, from: Int32Array, to: Int32Array, relation: Uint32Array): number[] {
    const { starts, edges } = adjacency(nodes, from)
    const kept: number[] = []
    for (let node = 0; node < nodes; node++) {
      const own = edges.subarray(starts[node], starts[node + 1])
      if (own.length > 1)
        own.sort(
          (a, b) => (to[a] ?? 0) - (to[b] ?? 0) || (relation[a] ?? 0) - (relation[b] ?? 0) || this.#surerFirst(a, b),
        )
      let last = -1
      for (const edge of own) {
        if (last >= 0 && to[last] === to[edge] && relation[last] === relation[edge]) continue
        kept.push(edge)
        last = edge
      }
    }
    return kept
  }

  /** Among equals the metadata decides, by its text: the order of arrival must not. */
  #surerFirst(a: number, b: number): number {
    return (
      (this.#confidence[b] ?? 0) - (this.#confidence[a] ?? 0) ||
      (this.#tier[a] ?? 0) - (this.#tier[b] ?? 0) ||
      compareText(metadataText(this.#metadata.get(a)), metadataText(this.#metadata.get(b)))
    )
  }
}

function metadataText(metadata: Metadata | undefined): string {
  return metadata === undefined ? '' : JSON.stringify(metadata)
}

function sortedPositions(ids: readonly string[]): number[] {
  return Array.from(ids, (_, position) => position).toSorted((a, b) => compareText(ids[a] ?? '', ids[b] ?? ''))
}

function inverse(order: readonly number[]): Int32Array {
  const rank = new Int32Array(order.length)
  order.forEach((position, at) => (rank[position] = at))
  return rank
}

function byId(a: Hyperedge, b: Hyperedge): number {
  return compareText(a.id, b.id)
}

/** By code units, as every list of ours is ordered; a locale's order would differ from machine to machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
