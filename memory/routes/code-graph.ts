/** Ways, summaries and lists of a code graph (CODE-GRAPH, docs/contract/knowledge.md); pushes and analytics stand beside this file. */
import { Type } from 'typebox'
import type { HttpApp } from '../../http/app.ts'
import { Problem } from '../../http/problems/problem.ts'
import { explain } from '../code-graph/explain.ts'
import {
  askGraph,
  filterOf,
  filterQuery,
  hopsOf,
  hopsQuery,
  limitOf,
  limitQuery,
  relationQuery,
  repoQuery,
  requireEntity,
  selectorQuery,
} from '../code-graph/query.ts'
import * as body from '../code-graph/schema.ts'
import type { MemoryDeps } from '../deps.ts'
import { codeGraphPushRoutes } from './code-graph-push.ts'
import { codeGraphWholeRoutes } from './code-graph-whole.ts'

const config = { problems: [404] } as const
const tags = ['code graph']

/** Below this an edge counts as ambiguous, whatever its tier (GRAPH-RULE-3). */
const ambiguousBelow = 0.5
const deepestPath = 12

export function codeGraphRoutes(app: HttpApp, deps: MemoryDeps): void {
  codeGraphPushRoutes(app, deps)
  pathRoute(app, deps)
  relatedRoute(app, deps)
  explainRoute(app, deps)
  statsRoute(app, deps)
  ambiguousRoute(app, deps)
  hyperedgeRoutes(app, deps)
  codeGraphWholeRoutes(app, deps)
}

function pathRoute(app: HttpApp, { graph }: MemoryDeps): void {
  const querystring = Type.Object({
    ...repoQuery,
    ...filterQuery,
    ...hopsQuery,
    from: body.entityId,
    to: body.entityId,
    max_depth: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: deepestPath,
        description: `At most this many hops (default ${deepestPath}).`,
      }),
    ),
    direction: Type.Optional(
      Type.Union([Type.Literal('out'), Type.Literal('in'), Type.Literal('both')], {
        description: 'Either way (both, the default), along the edges (out), or against them (in).',
      }),
    ),
  })
  const schema = {
    querystring,
    response: { 200: body.PathAnswer },
    tags,
    summary: 'A shortest path between two entities',
  }
  app.get('/code-graph/path', { schema, config }, ({ query }) =>
    askGraph(graph, query.repo, async (view) => {
      const { from, to, max_depth: maxDepth = deepestPath, direction = 'both' } = query
      for (const id of [from, to]) await requireEntity(view, id)
      const found = await view.path({ ...filterOf(query), ...hopsOf(query), from, to, maxDepth, direction })
      if (found === undefined) throw new Problem('no-path', `there is no path of at most ${maxDepth} hops`)
      return { path: found.entities, edges: found.edges, length: found.edges.length }
    }),
  )
}

function relatedRoute(app: HttpApp, { graph }: MemoryDeps): void {
  const querystring = Type.Object({
    ...selectorQuery,
    ...filterQuery,
    ...hopsQuery,
    ...limitQuery,
    max_depth: Type.Optional(Type.Integer({ minimum: 1, maximum: deepestPath })),
  })
  const schema = {
    querystring,
    response: { 200: body.TraversalAnswer },
    tags,
    summary: 'Entities related to one by any path, nearest first',
  }
  app.get('/code-graph/related', { schema, config }, ({ query }) =>
    askGraph(graph, query.repo, async (view) => {
      await requireEntity(view, query.id)
      const asked = { from: [query.id], direction: 'both', limit: limitOf(query) } as const
      return view.reach({ ...filterOf(query), ...hopsOf(query), ...asked, depth: query.max_depth ?? deepestPath })
    }),
  )
}

const RelationSummary = Type.Object({
  relation: Type.String(),
  count: Type.Integer(),
  by_tier: Type.Record(Type.String(), Type.Integer()),
  examples: Type.Array(Type.Object({ entity: body.Entity, edge: body.Edge })),
})
const Side = Type.Object({ total: Type.Integer(), truncated: Type.Boolean(), relations: Type.Array(RelationSummary) })

function explainRoute(app: HttpApp, { graph }: MemoryDeps): void {
  const schema = {
    querystring: Type.Object(selectorQuery),
    response: { 200: body.answer({ entity: body.Entity, summary: Type.String(), in: Side, out: Side }) },
    tags,
    summary: 'A summary of the edges in and out of an entity',
  }
  app.get('/code-graph/explain', { schema, config }, ({ query }) =>
    askGraph(graph, query.repo, (view) => explain(view, query.id)),
  )
}

const counts = Type.Record(Type.String(), Type.Integer())

function statsRoute(app: HttpApp, { graph }: MemoryDeps): void {
  const schema = {
    querystring: Type.Object(repoQuery),
    response: {
      200: body.answer({
        nodes: Type.Integer(),
        edges: Type.Integer(),
        density: Type.Number({
          description:
            'Share of the ordered pairs of two nodes that an edge leads from and to; parallel edges count once, loops not.',
        }),
        hyperedges: Type.Integer(),
        by_type: counts,
        by_relation: counts,
        by_tier: counts,
      }),
    },
    tags,
    summary: 'Size of the graph',
  }
  app.get('/code-graph/stats', { schema, config }, ({ query }) =>
    askGraph(graph, query.repo, async (view) => {
      const { nodes, edges, pairs, hyperedges, byType, byRelation, byTier } = await view.sizes()
      const density = nodes < 2 ? 0 : pairs / (nodes * (nodes - 1))
      return { nodes, edges, density, hyperedges, by_type: byType, by_relation: byRelation, by_tier: byTier }
    }),
  )
}

function ambiguousRoute(app: HttpApp, { graph }: MemoryDeps): void {
  const schema = {
    querystring: Type.Object({ ...repoQuery, ...filterQuery, ...limitQuery }),
    response: { 200: body.EdgesAnswer },
    tags,
    summary: 'Edges that are ambiguous or of low confidence, lowest confidence first',
  }
  app.get('/code-graph/ambiguous', { schema, config }, ({ query }) =>
    askGraph(graph, query.repo, async (view) => {
      const either = { tier: 'AMBIGUOUS', lessThan: ambiguousBelow } as const
      const { items, truncated } = await view.edges({ ...filterOf(query), either, limit: limitOf(query) })
      return { items: items.map(({ edge, from, to }) => ({ ...edge, from_entity: from, to_entity: to })), truncated }
    }),
  )
}

function hyperedgeRoutes(app: HttpApp, { graph }: MemoryDeps): void {
  const querystring = Type.Object({
    ...repoQuery,
    ...filterQuery,
    ...relationQuery,
    ...limitQuery,
    id: Type.Optional(body.entityId),
  })
  const list = {
    querystring,
    response: { 200: body.HyperedgesAnswer },
    tags,
    summary: 'Hyperedges of an entity, or all',
  }
  app.get('/code-graph/hyperedges', { schema: list, config }, ({ query }) =>
    askGraph(graph, query.repo, async (view) => {
      if (query.id !== undefined) await requireEntity(view, query.id)
      const of = query.id === undefined ? {} : { member: query.id }
      return view.hyperedges({ ...filterOf(query), ...of, limit: limitOf(query) })
    }),
  )
  const one = {
    querystring: Type.Object({ ...repoQuery, id: body.entityId }),
    response: { 200: body.HyperedgeAnswer },
    tags,
    summary: 'One hyperedge',
  }
  app.get('/code-graph/hyperedge', { schema: one, config }, ({ query }) =>
    askGraph(graph, query.repo, async (view) => {
      const found = await view.hyperedge(query.id)
      if (found === undefined) throw new Problem('not-found', `${query.repo} has no hyperedge ${query.id}`)
      return found
    }),
  )
}
