/** Entities of the retrieval engine's graph (ENTITIES, docs/contract/knowledge.md; MEMORY-RULE-7 for PATCH). */
import { Type, type Static } from 'typebox'
import type { HttpApp } from '../../http/app.ts'
import { acceptJsonAs } from '../../http/problems/body.ts'
import { clampLimit, decodeCursor } from '../../http/problems/list.ts'
import { plainName } from '../../http/problems/plain-input.ts'
import { Problem, invalidInput } from '../../http/problems/problem.ts'
import type { MemoryDeps } from '../deps.ts'
import {
  findEntity,
  patchEntity,
  searchEntities,
  type EntityCursor,
  type EntityRow,
} from '../engine/knowledge/entities.ts'
import { refuseSecrets } from '../memories/refuse-secrets.ts'
import { answering } from './answering.ts'
import { listQuery, page, pageOf } from './pages.ts'

export const Entity = Type.Object({
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  type: Type.String(),
  description: Type.String(),
  metadata: Type.Record(Type.String(), Type.String()),
  degree: Type.Integer({ minimum: 0, description: 'How many edges touch it.' }),
})
export type Entity = Static<typeof Entity>

const noNul = '^[^\\u0000]*$'
const Patch = Type.Object(
  {
    metadata: Type.Optional(
      Type.Union([
        Type.Record(Type.String(), Type.Union([Type.String({ maxLength: 4096, pattern: noNul }), Type.Null()]), {
          maxProperties: 64,
          propertyNames: { type: 'string', minLength: 1, maxLength: 64, pattern: plainName },
        }),
        Type.Null(),
      ]),
    ),
    description: Type.Optional(Type.Union([Type.String({ maxLength: 16_384, pattern: noNul }), Type.Null()])),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    description: 'A JSON merge patch (RFC 7396): null removes a key and its whole value.',
  },
)

const Params = Type.Object({ id: Type.String({ maxLength: 256 }) })
const Cursor = Type.Object({
  fit: Type.Integer({ minimum: 0, maximum: 2 }),
  memories: Type.Integer({ minimum: 0, maximum: 2_147_483_647 }),
  id: Type.String({ format: 'uuid', pattern: '^[0-9a-fA-F-]{36}$' }),
})
const mostKeys = 64

export function entitiesRoutes(app: HttpApp, deps: MemoryDeps): void {
  const { sql, engine } = deps
  app.get(
    '/entities',
    {
      config: { problems: [502, 504] },
      schema: {
        summary: 'Search entities by name',
        tags: ['entities'],
        querystring: Type.Object({
          q: Type.Optional(
            Type.String({
              maxLength: 512,
              pattern: noNul,
              description: 'Part of the name. Without it the service lists all.',
            }),
          ),
          ...listQuery,
        }),
        response: { 200: pageOf(Entity) },
      },
    },
    (request) =>
      answering(async () => {
        const { q = '', limit: asked, cursor } = request.query
        const limit = clampLimit(asked)
        const after: EntityCursor | undefined = cursor === undefined ? undefined : decodeCursor(Cursor, cursor)
        if (after === undefined) await engine.learnEntities(q, limit)
        const rows = await searchEntities(sql, q, limit + 1, after)
        return page(rows, { limit, keyOf: ({ fit, memories, id }) => ({ fit, memories, id }), show: entityBody })
      }),
  )
  app.get(
    '/entities/:id',
    {
      config: { problems: [404] },
      schema: { summary: 'One entity', tags: ['entities'], params: Params, response: { 200: Entity } },
    },
    async (request) => entityBody(await known(deps, request.params.id)),
  )
  void app.register(async (scope) => {
    acceptJsonAs(scope, mergePatch)
    patchRoute(scope, deps)
  })
}

/** RFC 7396, the type of what the body is in any case. */
const mergePatch = 'application/merge-patch+json'

function patchRoute(app: HttpApp, deps: MemoryDeps): void {
  const { sql } = deps
  app.patch(
    '/entities/:id',
    {
      config: { problems: [404] },
      schema: {
        summary: 'Change an entity',
        tags: ['entities'],
        consumes: ['application/json', mergePatch],
        params: Params,
        body: Patch,
        response: { 200: Entity },
      },
    },
    async (request) => {
      const startedAt = deps.clock.now()
      const { id } = request.params
      refuseSecrets(request.body)
      await sql.tx(async (tx) => {
        const entity = await known({ sql: tx }, id, tx)
        const { metadata, description } = request.body
        const merged = metadata === undefined ? undefined : mergedMetadata(entity.metadata, metadata)
        await patchEntity(tx, id, {
          ...(merged === undefined ? {} : { metadata: merged }),
          ...(description === undefined ? {} : { description: description ?? '' }),
        })
      })
      deps.logAction(request, { action: 'entity.patched', resourceId: id, startedAt })
      return entityBody(await known(deps, id))
    },
  )
}

/** The row is locked where a transaction is given: two patches at once are both in what is left. */
async function known(
  { sql }: { readonly sql: Pick<MemoryDeps['sql'], 'query' | 'exec'> },
  id: string,
  lock?: Pick<MemoryDeps['sql'], 'query'>,
): Promise<EntityRow> {
  await lock?.query('select from knowledge_entity where id::text = $1 for update', [id.toLowerCase()])
  const entity = await findEntity(sql, id)
  if (!entity) throw new Problem('not-found', 'there is no such entity')
  return entity
}

function mergedMetadata(
  before: Readonly<Record<string, string>>,
  patch: Readonly<Record<string, string | null>> | null,
): Record<string, string> {
  const merged = Object.entries({ ...before, ...patch }).filter((pair): pair is [string, string] => pair[1] !== null)
  const kept = patch === null ? [] : merged
  if (kept.length > mostKeys) throw invalidInput([{ path: '/metadata', message: `leaves more than ${mostKeys} keys` }])
  return Object.fromEntries(kept)
}

function entityBody({ id, name, type, description, metadata, degree }: EntityRow): Entity {
  return { id, name, type, description, metadata, degree }
}
