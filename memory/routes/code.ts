/** The code graph by entity: search, and steps along edges (CODE-GRAPH, docs/contract/knowledge.md). */
import { Type } from 'typebox'
import type { HttpApp } from '../../http/app.ts'
import { decodeCursor, encodeCursor } from '../../http/problems/list.ts'
import { invalidInput, Problem } from '../../http/problems/problem.ts'
import type { MemoryDeps } from '../deps.ts'
import {
  askGraph,
  depthQuery,
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
import { calls, dependencies, imports } from '../code-graph/relations.ts'
import { resourceGraph } from '../code-graph/resource-graph.ts'
import { CrossRepoAnswer, EntitiesAnswer, EntityAnswer, TraversalAnswer, entityId, text } from '../code-graph/schema.ts'

/** A traversal with relations of its own. */
interface Traversal {
  readonly path: string
  readonly summary: string
  readonly relations: readonly string[]
  readonly direction: 'in' | 'out'
}

const traversals: readonly Traversal[] = [
  { path: '/code/callers', summary: 'Who calls an entity', relations: calls, direction: 'in' },
  { path: '/code/callees', summary: 'What an entity calls', relations: calls, direction: 'out' },
  { path: '/code/dependents', summary: 'What depends on an entity', relations: dependencies, direction: 'in' },
  { path: '/code/dependencies', summary: 'What an entity depends on', relations: dependencies, direction: 'out' },
]

const config = { problems: [404] } as const
const tags = ['code']

export function codeRoutes(app: HttpApp, deps: MemoryDeps): void {
  searchRoute(app, deps)
  entityRoute(app, deps)
  neighborsRoute(app, deps)
  for (const traversal of traversals) traversalRoute(app, deps, traversal)
  resourceGraphRoute(app, deps)
  fileImportsRoute(app, deps)
  crossRepoRoute(app, deps)
}

function searchRoute(app: HttpApp, { graph }: MemoryDeps): void {
  const querystring = Type.Object({
    ...repoQuery,
    ...limitQuery,
    q: Type.Optional(text(1024, 'Part of a name or an id. Without it the service lists all, in the order of ids.')),
    type: Type.Optional(text(128)),
    cursor: Type.Optional(
      Type.String({ maxLength: 4096, description: 'The `next_cursor` of the page before; without q.' }),
    ),
  })
  const schema = { querystring, response: { 200: EntitiesAnswer }, tags, summary: 'Search code entities' }
  app.get('/code/entities', { schema, config }, ({ query }) => {
    if (query.cursor !== undefined && query.q !== undefined)
      throw invalidInput([{ in: 'query', path: '/cursor', message: 'is not allowed with q: those come best first' }])
    const after = query.cursor === undefined ? {} : { after: decodeCursor(entityId, query.cursor) }
    const { q, type } = query
    const asked = { ...(q === undefined ? {} : { q }), ...(type === undefined ? {} : { type }), ...after }
    return askGraph(graph, query.repo, async (view) => {
      const { items, truncated } = await view.search({ ...asked, limit: limitOf(query) })
      const last = q === undefined && truncated ? items.at(-1) : undefined
      return { items, truncated, ...(last === undefined ? {} : { next_cursor: encodeCursor(last.id) }) }
    })
  })
}

function entityRoute(app: HttpApp, { graph }: MemoryDeps): void {
  const schema = {
    querystring: Type.Object(selectorQuery),
    response: { 200: EntityAnswer },
    tags,
    summary: 'One code entity',
  }
  app.get('/code/entity', { schema, config }, ({ query }) =>
    askGraph(graph, query.repo, (view) => requireEntity(view, query.id)),
  )
}

const stepsQuery = { ...selectorQuery, ...depthQuery, ...filterQuery, ...hopsQuery, ...limitQuery } as const

function neighborsRoute(app: HttpApp, { graph }: MemoryDeps): void {
  const querystring = Type.Object({
    ...stepsQuery,
    ...relationQuery,
    direction: Type.Optional(
      Type.Union([Type.Literal('in'), Type.Literal('out'), Type.Literal('both')], { description: 'Default: both.' }),
    ),
  })
  const schema = { querystring, response: { 200: TraversalAnswer }, tags, summary: 'Neighbours of an entity' }
  app.get('/code/neighbors', { schema, config }, ({ query }) =>
    askGraph(graph, query.repo, async (view) => {
      await requireEntity(view, query.id)
      const { direction = 'both', depth = 1 } = query
      const asked = { from: [query.id], direction, depth, limit: limitOf(query) }
      return view.reach({ ...filterOf(query), ...hopsOf(query), ...asked })
    }),
  )
}

function traversalRoute(app: HttpApp, { graph }: MemoryDeps, traversal: Traversal): void {
  const { direction, relations, summary } = traversal
  const description = `Along ${relations.join(', ')}, unless \`relations\` names others.`
  const querystring = Type.Object(stepsQuery)
  const schema = { querystring, response: { 200: TraversalAnswer }, tags, summary, description }
  app.get(traversal.path, { schema, config }, ({ query }) =>
    askGraph(graph, query.repo, async (view) => {
      await requireEntity(view, query.id)
      const asked = { from: [query.id], direction, depth: query.depth ?? 1, limit: limitOf(query) }
      return view.reach({ ...filterOf(query, relations), ...hopsOf(query), ...asked })
    }),
  )
}

function resourceGraphRoute(app: HttpApp, { graph }: MemoryDeps): void {
  const querystring = Type.Object({
    ...selectorQuery,
    ...filterQuery,
    ...limitQuery,
    depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 4, description: 'How many hops (default 4).' })),
  })
  const schema = {
    querystring,
    response: { 200: TraversalAnswer },
    tags,
    summary: 'What a cluster resource owns, directly or through others',
  }
  app.get('/code/resource-graph', { schema, config }, ({ query }) =>
    askGraph(graph, query.repo, async (view) => {
      await requireEntity(view, query.id)
      return resourceGraph(view, {
        root: query.id,
        depth: query.depth ?? 4,
        limit: limitOf(query),
        filter: filterOf(query),
      })
    }),
  )
}

function fileImportsRoute(app: HttpApp, { graph }: MemoryDeps): void {
  const querystring = Type.Object({
    ...repoQuery,
    ...filterQuery,
    ...limitQuery,
    path: text(4096, 'A path in the repository, or the id of the entity of a file.'),
  })
  const schema = { querystring, response: { 200: TraversalAnswer }, tags, summary: 'What a file imports' }
  app.get('/code/file-imports', { schema, config }, ({ query }) =>
    askGraph(graph, query.repo, async (view) => {
      const filter = filterOf(query, imports)
      const limit = limitOf(query)
      const named = await view.entity(query.path)
      const file = named?.file ?? query.path
      const isKnown = named !== undefined || (await view.search({ file, limit: 1 })).items.length > 0
      if (!isKnown) throw new Problem('not-found', `${query.repo} has no file ${query.path}`)
      const { items, truncated } = await view.edges({ ...filter, fromFile: file, limit })
      // What stands for a file need not say so by a path of its own.
      if (items.length === 0 && named !== undefined)
        return view.reach({ ...filter, from: [named.id], direction: 'out', depth: 1, limit })
      return { items: items.map(({ edge, to }) => ({ entity: to, edge, distance: 1 })), truncated }
    }),
  )
}

function crossRepoRoute(app: HttpApp, { graph }: MemoryDeps): void {
  const querystring = Type.Object({ ...selectorQuery, ...filterQuery, ...limitQuery })
  const schema = {
    querystring,
    response: { 200: CrossRepoAnswer },
    tags,
    summary: 'Links between an entity and other repositories',
    description:
      'By ids that are external in one repository and declared in the other, or external in both: a package that both use.',
  }
  app.get('/code/cross-repo', { schema, config }, ({ query }) =>
    askGraph(graph, query.repo, async (view) => {
      await requireEntity(view, query.id)
      const { items, truncated } = await view.crossRepo(query.id, { ...filterOf(query), limit: limitOf(query) })
      return { items: items.map((link) => ({ ...link, distance: 1 })), truncated }
    }),
  )
}
