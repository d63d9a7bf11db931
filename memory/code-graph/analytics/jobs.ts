import { adjacency } from '../../graph/resolved/adjacency.ts'
import { betweenness, type Betweenness } from './betweenness.ts'
import { bridges, type Bridges } from './bridges.ts'
import { communities, type Communities } from '../../communities/communities.ts'
import { linkedGraph, type EdgeList } from '../../communities/links.ts'

/** What is worked out about a graph as a whole, in a thread of its own. */
export interface JobResults {
  readonly degree: { readonly scores: Int32Array }
  readonly betweenness: Betweenness
  readonly communities: Communities
  readonly bridges: Bridges
}

export type JobKind = keyof JobResults

export interface Job {
  readonly kind: JobKind
  readonly edges: EdgeList
  readonly seed: number
}

const jobs: { readonly [K in JobKind]: (edges: EdgeList, seed: number) => JobResults[K] } = {
  degree: (edges) => ({ scores: degrees(edges) }),
  betweenness: (edges, seed) => betweenness(linkedGraph(edges), seed),
  communities: (edges, seed) => communities(linkedGraph(edges), seed),
  bridges: (edges) => bridges(linkedGraph(edges)),
}

export function work({ kind, edges, seed }: Job): JobResults[JobKind] {
  return jobs[kind](edges, seed)
}

/** Edges at each node; one to itself counts at both of its ends. */
function degrees({ nodes, from, to }: EdgeList): Int32Array {
  const [out, into] = [adjacency(nodes, from).starts, adjacency(nodes, to).starts]
  return Int32Array.from({ length: nodes }, (_, node) => {
    const count = (starts: Int32Array): number => (starts[node + 1] ?? 0) - (starts[node] ?? 0)
    return count(out) + count(into)
  })
}
