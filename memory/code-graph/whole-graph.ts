/** Questions about a graph as a whole, in the words of the answers. */
import { Problem } from '../../http/problems/problem.ts'
import type { CodeEdge, CodeEntity } from '../graph/model.ts'
import { tiers } from '../graph/model.ts'
import type { EdgeFilter, GraphArrays, GraphStore, GraphView } from '../graph/port.ts'
import { OvertakenError, type Analyst } from './analytics/analyst.ts'
import { askGraph, type MadeFrom } from './query.ts'
import type { Aside } from './own-code.ts'
import { isStructural } from './relations.ts'

/** One seed for all: an answer is the same for everyone who asks about a version. */
const seed = 1

/** Pushes that may overtake an analysis before its asker is told to come again. */
const mostAttempts = 5

/** Like `askGraph`, for what takes a while: an answer about a version that was replaced meanwhile is made anew. */
export async function askWhole<T extends object>(
  graph: GraphStore,
  repo: string,
  ask: (view: GraphView) => Promise<T>,
): Promise<T & MadeFrom> {
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    try {
      const answer = await askGraph(graph, repo, ask)
      if ((await graph.head(repo))?.version === answer.version) return answer
    } catch (error) {
      if (!(error instanceof OvertakenError)) throw error
    }
  }
  throw new Problem('not-ready', `new pushes of ${repo} arrive faster than the service can analyse them: retry later`, {
    headers: { 'retry-after': '5' },
  })
}

export interface Importance {
  readonly by: 'degree' | 'betweenness'
  readonly filter: EdgeFilter
  readonly without: readonly Aside[]
  readonly limit: number
}

export interface Ranking {
  readonly items: readonly { readonly entity: CodeEntity; readonly score: number }[]
  readonly truncated: boolean
  readonly by: string
  readonly method: 'exact' | 'sampled'
  /** Of `betweenness`: how many nodes ways were counted from, and what chose them. */
  readonly k?: number
  readonly seed?: number
}

export async function important(analyst: Analyst, view: GraphView, asked: Importance): Promise<Ranking> {
  const { by, filter, without, limit } = asked
  const { result, places, arrays } = await analyst.ask(view, { kind: by, filter, without, seed })
  const items = best(result.scores, limit).flatMap((node) => {
    const entity = arrays.entities[places[node] ?? 0]
    return entity === undefined ? [] : [{ entity, score: result.scores[node] ?? 0 }]
  })
  return {
    items,
    truncated: places.length > limit,
    by,
    ...('method' in result ? { method: result.method, k: result.k, seed: result.seed } : { method: 'exact' }),
  }
}

/** Places of the highest scores; equals in the order of ids. */
function best(scores: Int32Array | Float64Array, limit: number): number[] {
  return Array.from(scores.keys())
    .toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b)
    .slice(0, limit)
}

export interface CommunityItem {
  readonly id: number
  readonly size: number
  readonly label: string
  readonly top: readonly CodeEntity[]
}

const topOfCommunity = 5

export interface CommunityList {
  readonly items: readonly CommunityItem[]
  readonly truncated: boolean
  readonly count: number
  readonly modularity: number
  readonly method: 'louvain'
  readonly seed: number
}

export async function communityList(
  analyst: Analyst,
  view: GraphView,
  { filter, limit }: { readonly filter: EdgeFilter; readonly limit: number },
): Promise<CommunityList> {
  const { result, arrays } = await analyst.ask(view, { kind: 'communities', filter, seed })
  const { result: degree } = await analyst.ask(view, { kind: 'degree', filter, seed })
  const members = membersOf(result.communityOf, Math.min(limit, result.count))
  const items: CommunityItem[] = []
  for (const [id, nodes] of members.entries()) {
    const top = await view.entities(central(nodes, degree.scores, topOfCommunity).map((node) => arrays.ids[node] ?? ''))
    items.push({ id, size: nodes.length, label: labelOf(top), top })
  }
  const { count, modularity } = result
  return { items, truncated: count > limit, count, modularity, method: 'louvain', seed }
}

export interface CommunityMembers {
  readonly id: number
  readonly size: number
  readonly label: string
  readonly items: readonly CodeEntity[]
  readonly truncated: boolean
}

/** Most connected members first; undefined: there is no such community. */
export async function communityMembers(
  analyst: Analyst,
  view: GraphView,
  { community, filter, limit }: { readonly community: number; readonly filter: EdgeFilter; readonly limit: number },
): Promise<CommunityMembers | undefined> {
  const { result, arrays } = await analyst.ask(view, { kind: 'communities', filter, seed })
  if (community >= result.count) return undefined
  const { result: degree } = await analyst.ask(view, { kind: 'degree', filter, seed })
  const nodes = Array.from(result.communityOf.keys()).filter((node) => result.communityOf[node] === community)
  const order = central(nodes, degree.scores, Math.max(limit, topOfCommunity))
  const items = await view.entities(order.map((node) => arrays.ids[node] ?? ''))
  const label = labelOf(items.slice(0, topOfCommunity))
  return { id: community, size: nodes.length, label, items: items.slice(0, limit), truncated: nodes.length > limit }
}

function membersOf(communityOf: Int32Array, count: number): number[][] {
  const members = Array.from({ length: count }, (): number[] => [])
  communityOf.forEach((community, node) => members[community]?.push(node))
  return members
}

function central(nodes: readonly number[], degrees: Int32Array, most: number): number[] {
  return nodes.toSorted((a, b) => (degrees[b] ?? 0) - (degrees[a] ?? 0) || a - b).slice(0, most)
}

/** The folder that its central members share, else the most central one's name. */
function labelOf(top: readonly CodeEntity[]): string {
  const [first, ...others] = top.map(({ file }) => file?.split('/').slice(0, -1) ?? [])
  const name = top[0]?.name ?? ''
  if (first === undefined) return name
  const differs = (at: number): boolean => others.some((folders) => folders[at] !== first[at])
  const shared = first.findIndex((_, at) => differs(at))
  const folder = (shared === -1 ? first : first.slice(0, shared)).join('/')
  return folder === '' ? name : `${folder}: ${name}`
}

export interface BridgeList {
  readonly items: readonly (CodeEdge & { readonly separates: number })[]
  readonly truncated: boolean
}

/** Of the graph as a whole; relations that only say where something stands are no answer, unless the caller names relations. */
export async function bridgeList(
  analyst: Analyst,
  view: GraphView,
  { filter, without, limit }: Pick<Importance, 'filter' | 'without' | 'limit'>,
): Promise<BridgeList> {
  const { result, positions, arrays } = await analyst.ask(view, { kind: 'bridges', filter, without, seed })
  const isPlace = arrays.relations.map((name) => filter.relations === undefined && isStructural(name))
  const shown = Array.from(result.edges.keys()).filter((at) => {
    const edge = positions[result.edges[at] ?? 0] ?? 0
    return isPlace[arrays.relation[edge] ?? 0] !== true
  })
  const items = shown.slice(0, limit).map((at) => ({
    ...edgeOf(arrays, positions[result.edges[at] ?? 0] ?? 0),
    separates: result.parts[at] ?? 0,
  }))
  return { items, truncated: shown.length > limit }
}

function edgeOf({ ids, relations, from, to, relation, confidence, tier }: GraphArrays, edge: number): CodeEdge {
  return {
    from: ids[from[edge] ?? 0] ?? '',
    to: ids[to[edge] ?? 0] ?? '',
    relation: relations[relation[edge] ?? 0] ?? '',
    confidence: confidence[edge] ?? 0,
    tier: tiers[tier[edge] ?? 0] ?? 'EXTRACTED',
  }
}
