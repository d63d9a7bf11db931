/** The parameters that questions have in common (CODE-QUERY, docs/contract/knowledge.md; GRAPH-RULE-2). */
import { Type, type Static } from 'typebox'
import { clampLimit } from '../../http/problems/list.ts'
import { Problem } from '../../http/problems/problem.ts'
import type { CodeEntity, Tier } from '../graph/model.ts'
import type { EdgeFilter, GraphStore, GraphView, HopBudget } from '../graph/port.ts'
import { aside, type Aside } from './own-code.ts'
import { entityId, repoName, text } from './schema.ts'

const oneTier = '(EXTRACTED|INFERRED|AMBIGUOUS)'
const oneAside = `(${aside.join('|')})`
const names = '^[^,\\u0000\\ud800-\\udfff]+(,[^,\\u0000\\ud800-\\udfff]+)*$'

export const repoQuery = { repo: repoName } as const

export const limitQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, description: 'At most this many items: 1 to 500, default 100.' })),
} as const

export const filterQuery = {
  min_confidence: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'Only edges with at least this confidence.' }),
  ),
  tier: Type.Optional(
    Type.String({ pattern: `^${oneTier}(,${oneTier})*$`, description: 'Only edges of these tiers, comma-separated.' }),
  ),
  relations: Type.Optional(
    Type.String({ pattern: names, maxLength: 2048, description: 'Only these relations, comma-separated.' }),
  ),
} as const

export const includeQuery = {
  include: Type.Optional(
    Type.String({
      pattern: `^${oneAside}(,${oneAside})*$`,
      description: 'What the answer leaves out unless named, comma-separated: externals, tests.',
    }),
  ),
} as const

export const depthQuery = {
  depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 4, description: 'How many hops (default 1).' })),
} as const

export const hopsQuery = {
  max_hops: Type.Optional(
    Type.String({
      pattern: `^${oneTier}:\\d{1,2}(,${oneTier}:\\d{1,2})*$`,
      description: 'The most edges of each tier in one path, such as EXTRACTED:6,INFERRED:2,AMBIGUOUS:0.',
    }),
  ),
} as const

export const selectorQuery = { ...repoQuery, id: entityId } as const

export const relationQuery = { relation: Type.Optional(text(128, 'Only this relation.')) } as const

const FilterQuery = Type.Object({ ...filterQuery, ...relationQuery })
type FilterQuery = Static<typeof FilterQuery>

/** `standing` are the relations of a question that has its own, unless the caller names some. */
export function filterOf(query: FilterQuery, standing?: readonly string[]): EdgeFilter {
  const named = [...(query.relations?.split(',') ?? []), ...(query.relation === undefined ? [] : [query.relation])]
  const relations = named.length > 0 ? named : standing
  return {
    ...(relations === undefined ? {} : { relations }),
    ...(query.min_confidence === undefined ? {} : { minConfidence: query.min_confidence }),
    ...(query.tier === undefined ? {} : { tiers: query.tier.split(',') as Tier[] }),
  }
}

export function hopsOf(query: { readonly max_hops?: string }): { readonly maxHops?: HopBudget } {
  if (query.max_hops === undefined) return {}
  const budgets = query.max_hops.split(',').map((each) => each.split(':') as [Tier, string])
  return { maxHops: Object.fromEntries(budgets.map(([tier, hops]) => [tier, Number(hops)])) }
}

export function withoutOf(query: { readonly include?: string }): readonly Aside[] {
  const included = query.include?.split(',') ?? []
  return aside.filter((sort) => !included.includes(sort))
}

export function limitOf(query: { readonly limit?: number }): number {
  return clampLimit(query.limit)
}

/** What an answer was made from. */
export interface MadeFrom {
  readonly commit: string | null
  readonly version: number
}

/** Asks the newest version of a repository's graph; an unknown repository is a 404 (CODE-QUERY-2). */
export async function askGraph<T extends object>(
  graph: GraphStore,
  repo: string,
  ask: (view: GraphView) => Promise<T>,
): Promise<T & MadeFrom> {
  const answer = await graph.read(repo, async (view) => ({
    ...(await ask(view)),
    commit: view.head.commit,
    version: view.head.version,
  }))
  if (answer === undefined) throw unknownRepo(repo)
  return answer
}

export function unknownRepo(repo: string): Problem {
  return new Problem('not-found', `${repo} has no code graph: push one with statewright code-graph push`)
}

export async function requireEntity(view: GraphView, id: string): Promise<CodeEntity> {
  const entity = await view.entity(id)
  if (entity === undefined) throw new Problem('not-found', `${view.head.repo} has no entity ${id}`)
  return entity
}
