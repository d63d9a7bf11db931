/** The code graph as tools: one argument says which of the memory service's endpoints is meant (TOOL-CODE, docs/contract/tools.md; TOOL-RULE-2). */
import { Type } from 'typebox'
import { misplaced, required } from '../../argument-faults.ts'
import { answers, listAnswer, oneOf, reading, type Tool } from '../tool.ts'

const closed = { additionalProperties: false } as const
const repo = Type.String({ minLength: 1, description: 'Repository name, as repo_list gives it.' })
const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: 'At most this many items.' }))
const entityId = 'Entity id, as code_search gives it'

const contextPaths = {
  entity: 'code/entity',
  neighbors: 'code/neighbors',
  callers: 'code/callers',
  callees: 'code/callees',
  dependents: 'code/dependents',
  dependencies: 'code/dependencies',
  file_imports: 'code/file-imports',
  related: 'code-graph/related',
  cross_repo: 'code/cross-repo',
} as const

const graphPaths = {
  path: 'code-graph/path',
  important: 'code-graph/important',
  stats: 'code-graph/stats',
  ambiguous: 'code-graph/ambiguous',
  communities: 'code-graph/communities',
  hyperedges: 'code-graph/hyperedges',
  bridges: 'code-graph/bridges',
  resource_graph: 'code/resource-graph',
} as const

type Relation = keyof typeof contextPaths
type Operation = keyof typeof graphPaths

export const codeTools: readonly Tool[] = [
  {
    name: 'code_search',
    title: 'Search code entities',
    description:
      'Finds functions, types, files, packages or cluster resources by name and gives their ids. Start here. For text inside files, grep is faster. Example: {"repo": "api", "q": "parseDuration", "type": "function"}.',
    input: Type.Object(
      {
        repo,
        q: Type.String({ minLength: 1, description: 'Part of a name or path.' }),
        type: Type.Optional(Type.String({ description: 'function, class, file, package, resource, ...' })),
        limit,
      },
      closed,
    ),
    output: listAnswer,
    annotations: reading,
    call: (query, backend) => backend.get('memory', 'code/entities', query),
  },
  {
    name: 'code_context',
    title: 'What surrounds a code entity',
    description:
      'One relation of one entity: who calls it, what it calls, what depends on it, what a file imports. Use it before you change something that others use. Example: {"repo": "api", "rel": "callers", "id": "src/duration.ts#parseDuration"}.',
    input: Type.Object(
      {
        repo,
        rel: oneOf(Object.keys(contextPaths) as Relation[], 'Which relation.'),
        id: Type.Optional(Type.String({ minLength: 1, description: `${entityId}; for file_imports also a path.` })),
        depth: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 4,
            description: 'Hops (default 1); not for entity, file_imports, cross_repo.',
          }),
        ),
        relation: Type.Optional(
          Type.String({ description: 'neighbors only: calls, imports, implements, depends-on, ...' }),
        ),
        direction: Type.Optional(oneOf(['out', 'in'], 'neighbors only (default: both).')),
        limit,
      },
      closed,
    ),
    output: answers({ items: Type.Array(Type.Unknown()), truncated: Type.Boolean() }),
    annotations: reading,
    faults: (input) => [
      ...required(input, ['id'], `rel=${String(input['rel'])}`),
      ...(input['rel'] === 'neighbors'
        ? []
        : misplaced(input, ['relation', 'direction'], 'is only allowed with rel=neighbors')),
      ...(['entity', 'file_imports', 'cross_repo'].includes(String(input['rel']))
        ? misplaced(input, ['depth'], `is not allowed with rel=${String(input['rel'])}`)
        : []),
    ],
    call: ({ rel, id, depth, limit: most, ...query }, backend) => {
      const relation = rel as Relation
      const selector = relation === 'file_imports' ? { path: id } : { id }
      // Along any path: without a bound the answer is most of the graph.
      const hops = relation === 'related' ? { max_depth: depth ?? 1 } : { depth }
      const bounds = relation === 'entity' ? {} : { ...hops, limit: most }
      return backend.get('memory', contextPaths[relation], { ...query, ...bounds, ...selector })
    },
  },
  {
    name: 'code_graph',
    title: 'The code graph as a whole',
    description:
      'Questions about a repository as a graph: path between two entities, the most important ones, communities, bridges, a resource graph rooted at id. Not for one entity: that is code_context. Example: {"repo": "api", "op": "path", "from": "a", "to": "b"}.',
    input: Type.Object(
      {
        repo,
        op: oneOf(Object.keys(graphPaths) as Operation[], 'Which question.'),
        from: Type.Optional(Type.String({ minLength: 1, description: 'path only: entity id.' })),
        to: Type.Optional(Type.String({ minLength: 1, description: 'path only: entity id.' })),
        community: Type.Optional(
          Type.Integer({ minimum: 0, description: 'communities only: the members of one community.' }),
        ),
        id: Type.Optional(
          Type.String({ minLength: 1, description: 'hyperedges: one hyperedge; resource_graph: its root.' }),
        ),
        limit,
      },
      closed,
    ),
    output: answers({}),
    annotations: reading,
    faults: (input) => {
      const op = String(input['op'])
      return [
        ...(op === 'path'
          ? required(input, ['from', 'to'], 'op=path')
          : misplaced(input, ['from', 'to'], 'is only allowed with op=path')),
        ...(op === 'resource_graph' ? required(input, ['id'], 'op=resource_graph') : []),
        ...(op === 'communities' ? [] : misplaced(input, ['community'], 'is only allowed with op=communities')),
        ...(['hyperedges', 'resource_graph'].includes(op)
          ? []
          : misplaced(input, ['id'], 'is only allowed with op=hyperedges and op=resource_graph')),
      ]
    },
    call: ({ op, limit: most, ...one }, backend) => {
      const list = { ...one, limit: most }
      if (op === 'communities' && one['community'] !== undefined)
        return backend.get('memory', 'code-graph/community', list)
      if (op === 'hyperedges' && one['id'] !== undefined) return backend.get('memory', 'code-graph/hyperedge', one)
      return backend.get('memory', graphPaths[op as Operation], op === 'path' || op === 'stats' ? one : list)
    },
  },
  {
    name: 'code_explain',
    title: 'Explain a code entity',
    description:
      'A summary of the edges in and out of one entity: its role at a glance. Example: {"repo": "api", "id": "src/duration.ts#parseDuration"}.',
    input: Type.Object({ repo, id: Type.String({ minLength: 1, description: `${entityId}.` }) }, closed),
    output: answers({}),
    annotations: reading,
    call: (query, backend) => backend.get('memory', 'code-graph/explain', query),
  },
]
