import type { CodeEntity, Hyperedge } from '../model.ts'
import type { Bounded, EdgeFilter, GraphHead, GraphPath, GraphView, PathQuery, ReachQuery, Reached } from '../port.ts'
import { walk, type Hop, type HopsOf, type Step } from '../walk.ts'
import { edgesOf } from './edges.ts'
import { neighboursOf, passes } from './filter.ts'
import { edgeAt, entityAt, type ResolvedGraph } from './graph.ts'
import { reach } from './reach.ts'
import { bounded, search } from './search.ts'
import { shortestPath } from './shortest-path.ts'
import { sizesOf } from './sizes.ts'

/** The answers of a graph in memory; those about other repositories are for whoever holds them. */
export function resolvedView(head: GraphHead, graph: ResolvedGraph, crossRepo: GraphView['crossRepo']): GraphView {
  return {
    head,
    crossRepo,
    entity: async (id) => entityOf(graph, id),
    entities: async (ids) => ids.flatMap((id) => entityOf(graph, id) ?? []),
    search: async (query) => search(graph, query),
    reach: (query) => reached(graph, query),
    path: (query) => path(graph, query),
    edges: async (query) => edgesOf(graph, query),
    sizes: async () => sizesOf(graph),
    hyperedge: async (id) => graph.hyperedges.find((each) => each.id === id),
    hyperedges: async (query) => hyperedges(graph, query),
    arrays: async () => graph,
  }
}

function entityOf(graph: ResolvedGraph, id: string): CodeEntity | undefined {
  const position = graph.positionOf.get(id)
  return position === undefined ? undefined : graph.entities[position]
}

async function reached(graph: ResolvedGraph, query: ReachQuery): Promise<Bounded<Reached>> {
  const from = positions(graph, query.from)
  if (query.maxHops !== undefined) {
    const steps = await walk({ ...query, enough: query.limit + 1 }, hopsIn(graph, query))
    return bounded(
      steps.map((step) => atStep(graph, step)),
      query.limit,
    )
  }
  const { items, truncated } = bounded(reach(graph, { ...query, from }, query.limit + 1), query.limit)
  return {
    items: items.map(({ node, edge, distance }) => ({
      entity: entityAt(graph, node),
      edge: edgeAt(graph, edge),
      distance,
    })),
    truncated,
  }
}

function positions(graph: ResolvedGraph, ids: readonly string[]): number[] {
  return ids.flatMap((id) => graph.positionOf.get(id) ?? [])
}

function atStep(graph: ResolvedGraph, step: Step): Reached {
  const [entity, edge] = [entityOf(graph, step.node), step.edge]
  if (entity === undefined || edge === undefined) throw new RangeError(`${step.node} is not in the graph`)
  return { entity, edge, distance: step.distance }
}

async function path(graph: ResolvedGraph, query: PathQuery): Promise<GraphPath | undefined> {
  const [from, to] = positions(graph, [query.from, query.to])
  if (from === undefined || to === undefined) return undefined
  if (query.maxHops !== undefined && from !== to) return budgetedPath(graph, query)
  const found = shortestPath(graph, { ...query, from, to })
  return (
    found && {
      entities: found.nodes.map((node) => entityAt(graph, node)),
      edges: found.edges.map((edge) => edgeAt(graph, edge)),
    }
  )
}

async function budgetedPath(graph: ResolvedGraph, query: PathQuery): Promise<GraphPath | undefined> {
  const steps = await walk(
    { ...query, from: [query.from], depth: query.maxDepth, target: query.to },
    hopsIn(graph, query),
  )
  const last = steps.find((step) => step.node === query.to)
  if (last === undefined) return undefined
  const way = wayTo(last)
  return {
    entities: way.flatMap((step) => entityOf(graph, step.node) ?? []),
    edges: way.flatMap((step) => step.edge ?? []),
  }
}

/** From the start to the step. */
export function wayTo(last: Step): Step[] {
  const way: Step[] = []
  for (let step: Step | undefined = last; step !== undefined; step = step.before) way.unshift(step)
  return way
}

function hopsIn(graph: ResolvedGraph, query: EdgeFilter & Pick<ReachQuery, 'direction'>): HopsOf {
  const each = neighboursOf(graph, query.direction, passes(graph, query))
  return async (nodes) => {
    const hops: Hop[] = []
    for (const at of nodes)
      each(graph.positionOf.get(at) ?? -1, (next, edge) =>
        hops.push({ at, next: graph.ids[next] ?? '', edge: edgeAt(graph, edge) }),
      )
    return hops
  }
}

function hyperedges(
  graph: ResolvedGraph,
  query: { readonly member?: string; readonly limit: number } & EdgeFilter,
): Bounded<Hyperedge> {
  const found = graph.hyperedges.filter(
    (each) => (query.member === undefined || each.members.includes(query.member)) && meets(each, query),
  )
  return bounded(found, query.limit)
}

/** What a filter says, of a single edge or hyperedge. */
function meets(
  edge: { readonly relation: string; readonly confidence: number; readonly tier: Hyperedge['tier'] },
  { relations, minConfidence = 0, tiers }: EdgeFilter,
): boolean {
  return (
    (relations?.includes(edge.relation) ?? true) &&
    (tiers?.includes(edge.tier) ?? true) &&
    edge.confidence >= minConfidence
  )
}
