import type { CodeEdge, CodeEntity, Hyperedge } from '../model.ts'
import { compareText } from '../resolved/fold.ts'
import { edgeAt, type ResolvedGraph } from '../resolved/graph.ts'
import { compareEdges } from '../walk.ts'

export interface Changes<T> {
  /** Of things whose key stays and whose contents don't, the old one goes and the new one comes. */
  readonly gone: readonly T[]
  readonly come: readonly T[]
}

export interface GraphDifference {
  readonly entities: Changes<CodeEntity>
  readonly edges: Changes<CodeEdge>
  readonly hyperedges: Changes<Hyperedge>
}

/** What makes the one of the other. */
export function difference(before: ResolvedGraph, after: ResolvedGraph): GraphDifference {
  return {
    entities: changes(before.entities, after.entities, byId),
    edges: changes(edgesOf(before), edgesOf(after), compareEdges),
    hyperedges: changes(before.hyperedges, after.hyperedges, byId),
  }
}

export function sizeOf({ entities, edges, hyperedges }: GraphDifference): number {
  return [entities, edges, hyperedges].reduce((sum, { gone, come }) => sum + gone.length + come.length, 0)
}

function edgesOf(graph: ResolvedGraph): CodeEdge[] {
  return Array.from(graph.from, (_, position) => edgeAt(graph, position))
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return compareText(a.id, b.id)
}

/** Both in the order of `compare`: one pass. */
function changes<T>(before: readonly T[], after: readonly T[], compare: (a: T, b: T) => number): Changes<T> {
  const gone: T[] = []
  const come: T[] = []
  for (let old = 0, now = 0; old < before.length || now < after.length;) {
    const [a, b] = [before[old], after[now]]
    const order = a === undefined ? 1 : b === undefined ? -1 : compare(a, b)
    if (order <= 0) old += 1
    if (order >= 0) now += 1
    if (a !== undefined && b !== undefined && order === 0 && isSame(a, b)) continue
    if (a !== undefined && order <= 0) gone.push(a)
    if (b !== undefined && order >= 0) come.push(b)
  }
  return { gone, come }
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
