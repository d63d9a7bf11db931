import type { FastifyRequest } from 'fastify'
import { Type, type Static } from 'typebox'
import type { HttpApp } from '../../http/app.ts'
import { invalidInput, Problem } from '../../http/problems/problem.ts'
import { sleep } from '../../runtime/clock.ts'
import { acceptBulk, BulkRequest } from '../ingest/accept.ts'
import { JobBody } from '../ingest/job-view.ts'
import { viewOfRow } from '../ingest/views.ts'
import { streamBodies } from '../json-stream/stream-bodies.ts'
import type { MemoryDeps } from '../deps.ts'
import { deleteMemories } from '../memories/delete-memories.ts'
import { findMemory } from '../memories/find-memory.ts'
import { memoryIdentity } from '../memories/identity.ts'
import {
  Content,
  IdempotencyKey,
  maxContentCharacters,
  MemoryBody,
  memoryBody,
  Metadata,
  type MemoryRow,
} from '../memories/memory.ts'
import { refuseSecrets } from '../memories/refuse-secrets.ts'
import { storeMemory, type Stored } from '../memories/store-memory.ts'

const given = { metadata: Type.Optional(Metadata), idempotency_key: Type.Optional(IdempotencyKey) }

/** What is checked; exactly one of the two names of the text is checked after it. */
const CreateBody = Type.Object(
  { text: Type.Optional(Content), content: Type.Optional(Content), ...given },
  { additionalProperties: false },
)

/** The same, as one schema. */
const DocumentedCreateBody = Type.Unsafe(
  Type.Union([
    Type.Object({ text: Content, ...given }, { additionalProperties: false }),
    Type.Object({ content: Content, ...given }, { additionalProperties: false }),
  ]),
)

const Created = Type.Intersect([MemoryBody, Type.Object({ duplicate: Type.Optional(Type.Literal(true)) })])

const ById = Type.Object({ id: Type.String({ minLength: 1, maxLength: 128 }) })

const tags = ['memories']
/** A text of the most characters, each of them escaped. */
const createBodyLimit = 8 * maxContentCharacters
/** How long an answer waits for the engine, which without a model is there at once: what was stored is then found. */
const readyWithinMs = 250

export function memoriesRoutes(app: HttpApp, deps: MemoryDeps): void {
  app.post(
    '/memories',
    {
      bodyLimit: createBodyLimit,
      config: { documentedBody: DocumentedCreateBody },
      schema: {
        tags,
        summary: 'Store a memory',
        description:
          'If a memory has the same content and metadata, the service answers 200 with its id and `duplicate`. `status` is `processing` until the engine finds the memory.',
        body: CreateBody,
        response: { 200: Created, 201: Created },
      },
    },
    async (request, reply) => {
      const startedAt = deps.clock.now()
      const { how, row, replaced } = await create(deps, request.body)
      const { id } = row
      logReplaced(deps, request, replaced, startedAt)
      deps.logAction(request, {
        action: 'memory.create',
        resourceId: id,
        startedAt,
        more: { duplicate: how !== 'new' },
      })
      const shown = memoryBody(await settled(deps, row))
      if (how !== 'new') return reply.send({ ...shown, duplicate: true })
      return reply.code(201).header('location', `/memories/${id}`).send(shown)
    },
  )

  app.get(
    '/memories/:id',
    {
      config: { problems: [404] },
      schema: { tags, summary: 'A memory', params: ById, response: { 200: MemoryBody } },
    },
    async (request) => {
      const row = await findMemory(deps.sql, request.params.id)
      if (!row) throw new Problem('not-found', 'there is no such memory')
      return memoryBody(row)
    },
  )

  app.delete(
    '/memories/:id',
    {
      config: { problems: [404] },
      schema: {
        tags,
        summary: 'Delete a memory',
        description: 'No answer shows the memory from now on. Its idempotency key is free again.',
        params: ById,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const startedAt = deps.clock.now()
      const { id } = request.params
      const gone = await deps.sql.tx((tx) => deleteMemories(tx, { ids: [id] }, deps.clock.now()))
      if (gone.length === 0) throw new Problem('not-found', 'there is no such memory')
      deps.feed.wake()
      deps.logAction(request, { action: 'memory.delete', resourceId: id, startedAt })
      return reply.code(204).send(null)
    },
  )

  streamBodies(app, (scope) => bulkRoute(scope, deps))
}

function bulkRoute(app: HttpApp, deps: MemoryDeps): void {
  app.post(
    '/memories::bulk',
    {
      config: { documentedBody: BulkRequest },
      schema: {
        tags,
        summary: 'Ingest many memories',
        description:
          'At most 32 MiB after decoding. The service accepts gzip. A bare array of items belongs to no repository. Poll the job or follow its events.',
        response: { 202: JobBody },
      },
    },
    async (request, reply) => {
      const startedAt = deps.clock.now()
      const row = await acceptBulk(deps.sql, request, deps.ids.next(), startedAt)
      await deps.ingest.begin(row)
      const { id, repo, total } = row
      deps.logAction(request, { action: 'memory.bulk', resourceId: id, startedAt, more: { repo, items: total } })
      return reply
        .code(202)
        .header('location', `/ingest-jobs/${id}`)
        .send(await viewOfRow(deps, row))
    },
  )
}

async function create(deps: MemoryDeps, body: Static<typeof CreateBody>): Promise<Stored> {
  const { text, content = text, metadata = {}, idempotency_key: key } = body
  if (content === undefined) throw invalidInput([{ path: '/text', message: 'is required' }])
  if (text !== undefined && body.content !== undefined)
    throw invalidInput([{ path: '/content', message: 'is another name of text: send only one of the two' }])
  refuseSecrets(body)
  const repo = metadata['repo'] ?? ''
  const draft = {
    id: deps.ids.next(),
    identity: memoryIdentity(content, metadata),
    content,
    metadata,
    repo,
    file: metadata['file'] || null,
    key: key === undefined ? undefined : { repo, text: key },
    job: null,
  }
  const stored = await deps.sql.tx((tx) => storeMemory(tx, draft, deps.clock.now()))
  if (stored.replaced.length > 0) deps.feed.wake()
  return stored
}

function logReplaced(deps: MemoryDeps, request: FastifyRequest, ids: readonly string[], startedAt: number): void {
  for (const resourceId of ids)
    deps.logAction(request, { action: 'memory.delete', resourceId, startedAt, more: { reason: 'replaced' } })
}

/**
 * The row as it is once the engine has answered, or as it was stored. The look at the row has its place in the moment
 * too: the engine may have the only session of the store for longer (MEMORIES-19).
 */
async function settled(deps: MemoryDeps, row: MemoryRow): Promise<MemoryRow> {
  if (row.status !== 'processing' || row.job !== null) return row
  const fed = deps.feed.put([row.id]).then(() => findMemory(deps.sql, row.id))
  const found = await Promise.race([fed.catch(() => undefined), sleep(deps.clock, readyWithinMs)])
  return found ?? row
}
