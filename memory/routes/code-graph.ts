/** The code graph as a whole: pushing it, and what is asked about all of it (S1 "Code graph endpoints"). */
import { Counter, Gauge } from 'prom-client'
import { Type } from 'typebox'
import type { HttpApp } from '../../edges/http/app.ts'
import { Problem } from '../../edges/http/problem.ts'
import { Analyst } from '../code-graph/analytics/analyst.ts'
import { explain } from '../code-graph/explain.ts'
import { readPush } from '../code-graph/push-reader.ts'
import { push } from '../code-graph/push.ts'
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
  unknownRepo,
} from '../code-graph/query.ts'
import * as body from '../code-graph/schema.ts'
import { askWhole, bridgeList, communityList, communityMembers, important } from '../code-graph/whole-graph.ts'
import type { MemoryDeps } from '../deps.ts'
import { maxBulkBytes } from '../json-stream/read-json-body.ts'
import { streamBodies } from '../json-stream/stream-bodies.ts'

const config = { problems: [404] } as const
const tags = ['code graph']

/** Below this an edge counts as ambiguous, whatever its tier (rulings 3.27). */
const ambiguousBelow = 0.5
const deepestPath = 12

export function codeGraphRoutes(app: HttpApp, deps: MemoryDeps): void {
  const analyst = new Analyst()
  app.addHook('onClose', async () => analyst.close())
  countAnswers(deps)
  pushRoute(app, deps)
  missesRoute(app, deps)
  pathRoute(app, deps)
  relatedRoute(app, deps)
  explainRoute(app, deps)
  statsRoute(app, deps)
  ambiguousRoute(app, deps)
  hyperedgeRoutes(app, deps)
  importantRoute(app, deps, analyst)
  communityRoutes(app, deps, analyst)
  bridgesRoute(app, deps, analyst)
}

function countAnswers({ graph, metrics }: MemoryDeps): void {
  new Gauge({
    name: 'memory_code_graph_answers',
    help: 'Questions of code graphs since the start, by what answered them; Postgres does where Neo4j is behind or away.',
    labelNames: ['store'],
    registers: [metrics],
    collect() {
      for (const [store, count] of Object.entries(graph.served())) this.set({ store }, count)
    },
  })
}

function pushRoute(app: HttpApp, { graph, clock, logAction, metrics }: MemoryDeps): void {
  const pushes = new Counter({
    name: 'memory_code_graph_pushes_total',
    help: 'Pushes of code graphs that were taken, by mode; parts of a staged snapshot each count.',
    labelNames: ['mode'],
    registers: [metrics],
  })
  const elements = new Counter({
    name: 'memory_code_graph_pushed_elements_total',
    help: 'Entities, edges and hyperedges that pushes brought.',
    labelNames: ['kind'],
    registers: [metrics],
  })
  const querystring = Type.Object({
    ...repoQuery,
    strict: Type.Optional(Type.Boolean({ description: 'Refuse edges whose confidence is not one of their tier.' })),
  })
  const schema = {
    querystring,
    response: { 200: body.PushAnswer },
    tags,
    summary: 'Push a code graph',
    description:
      'Mode `snapshot` replaces the graph of the repository in one step, mode `files` what came from the listed files. A snapshot beyond 32 MiB comes in parts with one `snapshot_id`, the last with `final`.',
  }
  streamBodies(app, (scope) => {
    scope.post(
      '/code-graph::bulk',
      {
        schema,
        config: { documentedBody: body.PushBody, problems: [409] },
        bodyLimit: maxBulkBytes,
      },
      async (request) => {
        const startedAt = clock.now()
        const { repo, strict = false } = request.query
        const pushed = await readPush(request, { strict })
        const outcome = await push({ graph, repo, pushedAt: startedAt }, pushed)
        const { mode, snapshot_id } = pushed.members
        const counts = {
          files: pushed.files.length,
          entities: pushed.entities.length,
          edges: pushed.edges.length,
          hyperedges: pushed.hyperedges.length,
        }
        pushes.inc({ mode: snapshot_id === undefined ? mode : 'staged' })
        for (const kind of ['entities', 'edges', 'hyperedges'] as const) elements.inc({ kind }, counts[kind])
        const version = outcome.status === 'pushed' ? outcome.head.version : null
        logAction(request, {
          action: 'code_graph.push',
          resourceId: repo,
          startedAt,
          more: { mode, version, ...counts },
        })
        return {
          repo,
          mode,
          ...counts,
          ...(outcome.status === 'pushed' ? { version: outcome.head.version, commit: outcome.head.commit } : {}),
          ...(outcome.status === 'staged' ? { staged: { snapshot_id, parts: outcome.parts } } : {}),
          ...(pushed.offRubric.count === 0 ? {} : { off_rubric: pushed.offRubric }),
        }
      },
    )
  })
}

function missesRoute(app: HttpApp, { graph }: MemoryDeps): void {
  const schema = {
    querystring: Type.Object(repoQuery),
    body: body.MissesBody,
    response: { 200: body.MissesAnswer },
    tags,
    summary: 'Which files are not indexed in this version',
  }
  app.post('/code-graph/semantic-misses', { schema, config, bodyLimit: maxBulkBytes }, async (request) => {
    const files = Array.isArray(request.body) ? request.body : request.body.files
    const misses = await graph.misses(request.query.repo, files)
    if (misses === undefined) throw unknownRepo(request.query.repo)
    return { misses }
  })
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
        description: `How many hops at most; ${deepestPath} unless told.`,
      }),
    ),
    direction: Type.Optional(
      Type.Union([Type.Literal('out'), Type.Literal('in'), Type.Literal('both')], {
        description: 'As edges point (out, unless told), against it, or either way.',
      }),
    ),
  })
  const schema = {
    querystring,
    response: { 200: body.PathAnswer },
    tags,
    summary: 'A shortest way between two entities',
  }
  app.get('/code-graph/path', { schema, config }, ({ query }) =>
    askGraph(graph, query.repo, async (view) => {
      const { from, to, max_depth: maxDepth = deepestPath, direction = 'out' } = query
      for (const id of [from, to]) await requireEntity(view, id)
      const found = await view.path({ ...filterOf(query), ...hopsOf(query), from, to, maxDepth, direction })
      if (found === undefined) throw new Problem('no-path', `no way of at most ${maxDepth} hops`)
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
    summary: 'The edges in and out of an entity, summed up',
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
        density: Type.Number({ description: 'Edges of those that a simple directed graph of these nodes could have.' }),
        hyperedges: Type.Integer(),
        by_type: counts,
        by_relation: counts,
        by_tier: counts,
      }),
    },
    tags,
    summary: 'How large the graph is',
  }
  app.get('/code-graph/stats', { schema, config }, ({ query }) =>
    askGraph(graph, query.repo, async (view) => {
      const { nodes, edges, hyperedges, byType, byRelation, byTier } = await view.sizes()
      const density = nodes < 2 ? 0 : edges / (nodes * (nodes - 1))
      return { nodes, edges, density, hyperedges, by_type: byType, by_relation: byRelation, by_tier: byTier }
    }),
  )
}

function ambiguousRoute(app: HttpApp, { graph }: MemoryDeps): void {
  const schema = {
    querystring: Type.Object({ ...repoQuery, ...filterQuery, ...limitQuery }),
    response: { 200: body.EdgesAnswer },
    tags,
    summary: 'Edges that are ambiguous or of low confidence, least sure first',
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

function importantRoute(app: HttpApp, { graph }: MemoryDeps, analyst: Analyst): void {
  const querystring = Type.Object({
    ...repoQuery,
    ...filterQuery,
    ...limitQuery,
    by: Type.Optional(
      Type.Union([Type.Literal('degree'), Type.Literal('betweenness')], { description: 'degree unless told.' }),
    ),
  })
  const item = Type.Object({ entity: body.Entity, score: Type.Number() })
  const schema = {
    querystring,
    response: {
      200: body.boundedAnswer(item, {
        by: Type.String(),
        method: Type.Union([Type.Literal('exact'), Type.Literal('sampled')]),
        k: Type.Optional(Type.Integer({ description: 'How many nodes ways were counted from.' })),
        seed: Type.Optional(Type.Integer({ description: 'What chose them.' })),
      }),
    },
    tags,
    summary: 'The most central entities',
  }
  app.get('/code-graph/important', { schema, config }, ({ query }) =>
    askWhole(graph, query.repo, (view) =>
      important(analyst, view, { by: query.by ?? 'degree', filter: filterOf(query), limit: limitOf(query) }),
    ),
  )
}

function communityRoutes(app: HttpApp, { graph }: MemoryDeps, analyst: Analyst): void {
  const item = Type.Object({
    id: Type.Integer(),
    size: Type.Integer(),
    label: Type.String(),
    top: Type.Array(body.Entity),
  })
  const list = {
    querystring: Type.Object({ ...repoQuery, ...filterQuery, ...limitQuery }),
    response: {
      200: body.boundedAnswer(item, {
        count: Type.Integer(),
        modularity: Type.Number(),
        method: Type.Literal('louvain'),
        seed: Type.Integer(),
      }),
    },
    tags,
    summary: 'Communities, largest first',
  }
  app.get('/code-graph/communities', { schema: list, config }, ({ query }) =>
    askWhole(graph, query.repo, (view) =>
      communityList(analyst, view, { filter: filterOf(query), limit: limitOf(query) }),
    ),
  )
  const one = {
    querystring: Type.Object({
      ...repoQuery,
      ...filterQuery,
      ...limitQuery,
      community: Type.Integer({ minimum: 0, description: 'As `communities` names it, under the same filter.' }),
    }),
    response: {
      200: body.boundedAnswer(body.Entity, { id: Type.Integer(), size: Type.Integer(), label: Type.String() }),
    },
    tags,
    summary: 'The members of one community, the most connected first',
  }
  app.get('/code-graph/community', { schema: one, config }, ({ query }) =>
    askWhole(graph, query.repo, async (view) => {
      const { community } = query
      const found = await communityMembers(analyst, view, { community, filter: filterOf(query), limit: limitOf(query) })
      if (found === undefined) throw new Problem('not-found', `${query.repo} has no community ${community}`)
      return found
    }),
  )
}

function bridgesRoute(app: HttpApp, { graph }: MemoryDeps, analyst: Analyst): void {
  const item = Type.Object({
    ...body.Edge.properties,
    separates: Type.Integer({ description: 'How many entities the smaller part has without it.' }),
  })
  const schema = {
    querystring: Type.Object({ ...repoQuery, ...filterQuery, ...limitQuery }),
    response: { 200: body.boundedAnswer(item) },
    tags,
    summary: 'Edges whose removal would disconnect the graph, those first that part the most',
    description: 'Relations of place (contains, declares, ...) are left out, unless `relations` names them.',
  }
  app.get('/code-graph/bridges', { schema, config }, ({ query }) =>
    askWhole(graph, query.repo, (view) =>
      bridgeList(analyst, view, { filter: filterOf(query), limit: limitOf(query) }),
    ),
  )
}
