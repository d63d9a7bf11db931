/** Typed, directed edges between entities (EDGES, docs/contract/knowledge.md). They live in our rows, whatever the engine holds. */
import { Type, type Static } from 'typebox'
import type { HttpApp } from '../../http/app.ts'
import { clampLimit, decodeCursor } from '../../http/problems/list.ts'
import { plainName } from '../../http/problems/plain-input.ts'
import { Problem } from '../../http/problems/problem.ts'
import type { MemoryDeps } from '../deps.ts'
import { assertEdge, deleteEdge, listEdges, type EdgeRow } from '../engine/knowledge/edges.ts'
import { Metadata } from '../memories/memory.ts'
import { refuseSecrets } from '../memories/refuse-secrets.ts'
import { listQuery, page, pageOf } from './pages.ts'

export const Edge = Type.Object({
  id: Type.String({ format: 'uuid' }),
  from: Type.String({ format: 'uuid' }),
  to: Type.String({ format: 'uuid' }),
  relation: Type.String(),
  description: Type.String(),
  weight: Type.Number({ minimum: 0, description: 'How often memories state this edge. 1 if only a caller wrote it.' }),
  tier: Type.Enum(['EXTRACTED', 'INFERRED', 'AMBIGUOUS'], {
    description:
      '`EXTRACTED`: a caller or a text states the edge. `INFERRED`: the two are close to each other in texts.',
  }),
  metadata: Type.Record(Type.String(), Type.String()),
})
export type Edge = Static<typeof Edge>

const name = '^[^\\u0000\\ud800-\\udfff]*[^\\s\\u0000\\ud800-\\udfff][^\\u0000\\ud800-\\udfff]*$'
const Relation = Type.String({ minLength: 1, maxLength: 256, pattern: name })
const Id = Type.String({ maxLength: 256, pattern: plainName })

const NewEdge = Type.Object(
  {
    from: Id,
    to: Id,
    relation: Relation,
    description: Type.Optional(Type.String({ maxLength: 16_384, pattern: '^[^\\u0000]*$' })),
    metadata: Type.Optional(Metadata),
  },
  { additionalProperties: false },
)

const Cursor = Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' })

export function edgesRoutes(app: HttpApp, deps: MemoryDeps): void {
  const { sql, clock } = deps
  app.get(
    '/edges',
    {
      schema: {
        summary: 'List edges',
        tags: ['entities'],
        querystring: Type.Object({
          from: Type.Optional(Id),
          to: Type.Optional(Id),
          relation: Type.Optional(Relation),
          ...listQuery,
        }),
        response: { 200: pageOf(Edge) },
      },
    },
    async (request) => {
      const { limit: asked, cursor, ...filter } = request.query
      const limit = clampLimit(asked)
      const after = cursor === undefined ? undefined : decodeCursor(Cursor, cursor)
      const rows = await listEdges(sql, filter, limit + 1, after)
      return page(rows, { limit, keyOf: ({ id }) => id, show: (edge: EdgeRow) => edge })
    },
  )
  app.post(
    '/edges',
    {
      config: { problems: [404] },
      schema: {
        summary: 'Assert an edge',
        description:
          'If the edge exists, the service answers 200 with it. A new description replaces the stored one. New metadata is merged into the stored metadata.',
        tags: ['entities'],
        body: NewEdge,
        response: { 200: Edge, 201: Edge },
      },
    },
    async (request, reply) => {
      const startedAt = clock.now()
      const { description = '', metadata = {}, ...ends } = request.body
      refuseSecrets(request.body)
      const done = await sql.tx((tx) => assertEdge(tx, { ...ends, description, metadata }))
      if (!done) throw new Problem('not-found', 'one end of the edge is not an entity')
      deps.logAction(request, { action: 'edge.asserted', resourceId: done.edge.id, startedAt })
      return reply.code(done.isNew ? 201 : 200).send(done.edge)
    },
  )
  app.delete(
    '/edges/:id',
    {
      config: { problems: [404] },
      schema: {
        summary: 'Delete an edge',
        description: 'If memories stated the edge, it returns when a memory states it again.',
        tags: ['entities'],
        params: Type.Object({ id: Id }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const startedAt = clock.now()
      const { id } = request.params
      if (!(await deleteEdge(sql, id))) throw new Problem('not-found', 'there is no such edge')
      deps.logAction(request, { action: 'edge.deleted', resourceId: id, startedAt })
      return reply.code(204).send(null)
    },
  )
}
