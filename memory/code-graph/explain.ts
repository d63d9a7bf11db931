import type { CodeEdge, CodeEntity, Tier } from '../graph/model.ts'
import type { GraphView, Reached } from '../graph/port.ts'
import { requireEntity } from './query.ts'

interface RelationSummary {
  readonly relation: string
  readonly count: number
  readonly by_tier: Readonly<Partial<Record<Tier, number>>>
  /** The surest of them, with the entity at the other end. */
  readonly examples: readonly { readonly entity: CodeEntity; readonly edge: CodeEdge }[]
}

interface Side {
  readonly total: number
  /** More edges than are counted here. */
  readonly truncated: boolean
  readonly relations: readonly RelationSummary[]
}

export interface Explanation {
  readonly entity: CodeEntity
  readonly summary: string
  readonly in: Side
  readonly out: Side
}

/** Edges that are looked at: an entity with more is summed up by these. */
const mostEdges = 10_000
const examplesPerRelation = 5

/** What goes in and out of an entity, a line for each relation. */
export async function explain(view: GraphView, id: string): Promise<Explanation> {
  const entity = await requireEntity(view, id)
  const found = await view.edges({ of: id, limit: mostEdges })
  const ends = found.items.toReversed()
  const out = side(
    ends.filter(({ edge }) => edge.from === id).map(({ edge, to }) => ({ entity: to, edge })),
    found.truncated,
  )
  const into = side(
    ends.filter(({ edge }) => edge.to === id).map(({ edge, from }) => ({ entity: from, edge })),
    found.truncated,
  )
  return { entity, summary: sentence(entity, into, out), in: into, out }
}

function side(edges: readonly Omit<Reached, 'distance'>[], truncated: boolean): Side {
  const relations = [...Map.groupBy(edges, ({ edge }) => edge.relation)].map(([relation, own]) => ({
    relation,
    count: own.length,
    by_tier: tierCounts(own.map(({ edge }) => edge.tier)),
    examples: own.slice(0, examplesPerRelation),
  }))
  relations.sort((a, b) => b.count - a.count || (a.relation < b.relation ? -1 : 1))
  return { total: edges.length, truncated, relations }
}

function tierCounts(given: readonly Tier[]): Partial<Record<Tier, number>> {
  return Object.fromEntries([...Map.groupBy(given, (tier) => tier)].map(([tier, all]) => [tier, all.length]))
}

function sentence(entity: CodeEntity, into: Side, out: Side): string {
  const position =
    entity.file === undefined ? '' : ` in ${entity.file}${entity.line === undefined ? '' : `:${entity.line}`}`
  const sideText = (one: Side): string =>
    one.relations.map(({ relation, count }) => `${relation} ${count}`).join(', ') || 'none'
  return `${entity.type} ${entity.name}${position}; in: ${sideText(into)}; out: ${sideText(out)}`
}
