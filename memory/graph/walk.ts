/**
 * Shortest ways by levels, with a budget of hops for each tier. Whoever has the edges gives those of a whole level at
 * once: an array in memory, or a database in one round trip. A way is worth going on with when no shorter or equal way
 * to the same node has used as little of every budget (the states of a resource-constrained shortest path).
 */
import type { CodeEdge, Tier } from './model.ts'
import type { HopBudget } from './port.ts'
import { compareText } from './resolved/fold.ts'

export interface Hop {
  /** The node that was asked about, and the one at the other end. */
  readonly at: string
  readonly next: string
  readonly edge: CodeEdge
}

export type HopsOf = (nodes: readonly string[]) => Promise<readonly Hop[]>

export interface Walk {
  readonly from: readonly string[]
  readonly depth: number
  readonly maxHops?: HopBudget
  /** Ends the walk with the level that reaches it. */
  readonly target?: string
  /** Ends the walk with the level that brings this many nodes. */
  readonly enough?: number
}

export interface Step {
  readonly node: string
  readonly distance: number
  /** Absent at the start. */
  readonly edge?: CodeEdge
  readonly before?: Step
}

interface State extends Step {
  readonly spent: Readonly<Record<Tier, number>>
}

const unspent: State['spent'] = { EXTRACTED: 0, INFERRED: 0, AMBIGUOUS: 0 }

/** The first way to each node but the starts, by distance, then id. */
export async function walk(query: Walk, hopsOf: HopsOf): Promise<readonly Step[]> {
  const states = new Map<string, State[]>()
  const found: Step[] = []
  let level: State[] = query.from.map((node) => ({ node, distance: 0, spent: unspent }))
  for (const state of level) states.set(state.node, [state])
  const starts = new Set(query.from)
  for (let distance = 1; distance <= query.depth && level.length > 0; distance++) {
    const hops = await hopsOf([...new Set(level.map((state) => state.node))].toSorted(compareText))
    const arrivals = arrivalsOf(level, hops, query.maxHops ?? {}, distance)
    const fresh = new Map<string, State>()
    level = []
    for (const arrival of arrivals.toSorted(byEdge)) {
      const known = states.get(arrival.node)
      if (known === undefined) states.set(arrival.node, [arrival])
      else if (known.some((earlier) => isNoDearer(earlier, arrival, query.maxHops ?? {}))) continue
      else known.push(arrival)
      if (known === undefined && !starts.has(arrival.node)) fresh.set(arrival.node, arrival)
      level.push(arrival)
    }
    found.push(...[...fresh.values()].toSorted((a, b) => compareText(a.node, b.node)))
    if (query.target !== undefined && fresh.has(query.target)) break
    if (query.enough !== undefined && found.length >= query.enough) break
  }
  return found
}

function arrivalsOf(level: readonly State[], hops: readonly Hop[], budget: HopBudget, distance: number): State[] {
  const byNode = Map.groupBy(hops, (hop) => hop.at)
  return level.flatMap((before) =>
    (byNode.get(before.node) ?? [])
      .filter(({ edge }) => before.spent[edge.tier] < (budget[edge.tier] ?? Infinity))
      .map(({ next, edge }) => ({
        node: next,
        distance,
        edge,
        before,
        spent: { ...before.spent, [edge.tier]: before.spent[edge.tier] + 1 },
      })),
  )
}

function isNoDearer(earlier: State, later: State, budget: HopBudget): boolean {
  return (Object.keys(budget) as Tier[]).every((tier) => earlier.spent[tier] <= later.spent[tier])
}

function byEdge(a: Step, b: Step): number {
  return a.edge === undefined || b.edge === undefined ? 0 : compareEdges(a.edge, b.edge)
}

export function compareEdges(a: CodeEdge, b: CodeEdge): number {
  return compareText(a.from, b.from) || compareText(a.to, b.to) || compareText(a.relation, b.relation)
}
