import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { HttpApp } from '../../http/app.ts'
import { clampLimit, decodeCursor } from '../../http/problems/list.ts'
import { Problem } from '../../http/problems/problem.ts'
import type { MemoryDeps } from '../deps.ts'
import { JobBody, jobAddress, jobStatuses, type JobStatus } from '../ingest/job-view.ts'
import { findJobRow, type JobRow } from '../ingest/jobs.ts'
import { listJobs, viewOfRow } from '../ingest/views.ts'
import { RepoName } from '../memories/memory.ts'
import { progressOf } from '../ingest/progress.ts'
import { listQuery, page, pageOf } from './pages.ts'

const tags = ['ingest']
const ById = Type.Object({ id: Type.String({ minLength: 1, maxLength: 128 }) })

/** A job's place in their order, as the store counts them. */
const JobCursor = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

export function ingestJobsRoutes(app: HttpApp, deps: MemoryDeps): void {
  app.get(
    '/ingest-jobs',
    {
      schema: {
        tags,
        summary: 'Ingest jobs, newest first',
        querystring: Type.Object({
          repo: Type.Optional(RepoName),
          status: Type.Optional(Type.Enum([...jobStatuses])),
          ...listQuery,
        }),
        response: { 200: pageOf(JobBody) },
      },
    },
    async (request) => {
      const { repo, status, limit, cursor } = request.query
      const before = cursor === undefined ? undefined : decodeCursor(JobCursor, cursor)
      const most = clampLimit(limit)
      const found = await listJobs(deps, { repo, status: status as JobStatus | undefined, before, limit: most })
      return page(found, { limit: most, keyOf: ({ number }) => number, show: ({ view }) => view })
    },
  )

  app.get(
    '/ingest-jobs/:id',
    {
      config: { problems: [404] },
      schema: { tags, summary: 'An ingest job', params: ById, response: { 200: JobBody } },
    },
    async (request) => viewOfRow(deps, await knownJob(deps, request.params.id)),
  )

  app.delete(
    '/ingest-jobs/:id',
    {
      config: { problems: [404, 409] },
      schema: {
        tags,
        summary: 'Cancel an ingest job',
        description:
          'The service drops items that did not begin. The others stay. The job ends `failed` with `reason` `cancelled`.',
        params: ById,
        response: { 202: JobBody },
      },
    },
    async (request, reply) => {
      const startedAt = deps.clock.now()
      const row = await knownJob(deps, request.params.id)
      const view = await cancel(deps, row, startedAt)
      deps.logAction(request, { action: 'ingest.cancel', resourceId: row.id, startedAt })
      return reply.code(202).send(view)
    },
  )

  app.get(
    '/ingest-jobs/:id/events',
    {
      config: { problems: [404] },
      schema: {
        tags,
        summary: "An ingest job's progress",
        description:
          'Server-sent events. `progress` carries the job after a change, at most four times a second. `end` carries the job and closes the stream.',
        produces: ['text/event-stream'],
        params: ById,
        response: { 200: { content: { 'text/event-stream': { schema: Type.String() } } } },
      },
    },
    async (request, reply) => {
      const row = await knownJob(deps, request.params.id)
      const events = progressOf(deps, row.id, closing.signal)
      return reply
        .type('text/event-stream; charset=utf-8')
        .header('cache-control', 'no-store')
        .header('x-accel-buffering', 'no')
        .send(Readable.from(events) as never)
    },
  )

  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())
}

/** Throws 409 for one that has ended, also while this was on its way. */
async function cancel(deps: MemoryDeps, row: JobRow, at: number): Promise<JobBody> {
  await deps.ingest.begin(row)
  const before = await viewOfRow(deps, row)
  if (before.finished_at === null)
    await deps.runtime.deliver({ to: jobAddress(row.id), key: 'cancelled', event: { type: 'job.cancelled', at } })
  const view = await viewOfRow(deps, (await findJobRow(deps.sql, row.id)) ?? row)
  if (before.finished_at !== null || view.reason !== 'cancelled')
    throw new Problem('conflict', `the job has ended: ${view.status}`)
  return view
}

async function knownJob({ sql }: MemoryDeps, id: string): Promise<JobRow> {
  const row = await findJobRow(sql, id)
  if (!row) throw new Problem('not-found', 'there is no such ingest job')
  return row
}
