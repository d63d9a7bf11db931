/** What is worked out about a code graph as a whole: importance, communities, bridges (CODE-GRAPH, docs/contract/knowledge.md). */
import { Type } from 'typebox'
import type { HttpApp } from '../../http/app.ts'
import { Problem } from '../../http/problems/problem.ts'
import { Analyst } from '../code-graph/analytics/analyst.ts'
import { filterOf, filterQuery, includeQuery, limitOf, limitQuery, repoQuery, withoutOf } from '../code-graph/query.ts'
import * as body from '../code-graph/schema.ts'
import { askWhole, bridgeList, communityList, communityMembers, important } from '../code-graph/whole-graph.ts'
import type { MemoryDeps } from '../deps.ts'

const config = { problems: [404] } as const
const tags = ['code graph']

export function codeGraphWholeRoutes(app: HttpApp, deps: MemoryDeps): void {
  const analyst = new Analyst()
  app.addHook('onClose', async () => analyst.close())
  importantRoute(app, deps, analyst)
  communityRoutes(app, deps, analyst)
  bridgesRoute(app, deps, analyst)
}

function importantRoute(app: HttpApp, { graph }: MemoryDeps, analyst: Analyst): void {
  const querystring = Type.Object({
    ...repoQuery,
    ...filterQuery,
    ...includeQuery,
    ...limitQuery,
    by: Type.Optional(
      Type.Union([Type.Literal('degree'), Type.Literal('betweenness')], { description: 'Default: degree.' }),
    ),
  })
  const item = Type.Object({ entity: body.Entity, score: Type.Number() })
  const schema = {
    querystring,
    response: {
      200: body.boundedAnswer(item, {
        by: Type.String(),
        method: Type.Union([Type.Literal('exact'), Type.Literal('sampled')]),
        k: Type.Optional(Type.Integer({ description: 'How many nodes the paths were counted from.' })),
        seed: Type.Optional(Type.Integer({ description: 'The seed that chose these nodes.' })),
      }),
    },
    tags,
    summary: 'The most central entities of the own code',
  }
  app.get('/code-graph/important', { schema, config }, ({ query }) =>
    askWhole(graph, query.repo, (view) =>
      important(analyst, view, {
        by: query.by ?? 'degree',
        filter: filterOf(query),
        without: withoutOf(query),
        limit: limitOf(query),
      }),
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
      community: Type.Integer({
        minimum: 0,
        description: 'Its number in the answer of `communities` with the same filter.',
      }),
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
    separates: Type.Integer({ description: 'How many entities the smaller part has without this edge.' }),
  })
  const schema = {
    querystring: Type.Object({ ...repoQuery, ...filterQuery, ...includeQuery, ...limitQuery }),
    response: { 200: body.boundedAnswer(item) },
    tags,
    summary: 'Edges whose removal would disconnect the graph, largest separation first',
    description: 'The answer leaves out relations of place (contains, declares, ...) unless `relations` names them.',
  }
  app.get('/code-graph/bridges', { schema, config }, ({ query }) =>
    askWhole(graph, query.repo, (view) =>
      bridgeList(analyst, view, { filter: filterOf(query), without: withoutOf(query), limit: limitOf(query) }),
    ),
  )
}
