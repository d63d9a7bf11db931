/** An ingest job as callers see it: of its actor while it lives, of its row once it has ended. */
import { Type, type Static } from 'typebox'
import type { ActorAddress } from '../../machines/definition.ts'
import type { ActorView } from '../../runtime/runtime.ts'

export const jobStatuses = ['queued', 'running', 'succeeded', 'failed'] as const
export type JobStatus = (typeof jobStatuses)[number]

const Moment = Type.Union([Type.String({ format: 'date-time' }), Type.Null()])

const JobError = Type.Object({
  index: Type.Integer({
    description: 'Index of the item in the request. -1: a file that the service could not purge.',
  }),
  idempotency_key: Type.Union([Type.String(), Type.Null()]),
  message: Type.String(),
  attempts: Type.Integer(),
})

export const JobBody = Type.Object({
  id: Type.String(),
  repo: Type.String(),
  status: Type.Enum([...jobStatuses]),
  total: Type.Integer(),
  done: Type.Integer({ description: 'Items that are stored, including those that were stored before.' }),
  failed: Type.Integer(),
  skipped: Type.Integer({
    description: 'Items whose idempotency key already had the same content. New metadata is merged.',
  }),
  purged: Type.Integer({ description: 'Earlier memories that the job deleted.' }),
  created_at: Type.String({ format: 'date-time' }),
  started_at: Moment,
  finished_at: Moment,
  reason: Type.Optional(Type.String({ description: '`cancelled`, or `items-failed`.' })),
  errors: Type.Array(JobError, { description: 'The first 100 errors.' }),
  overwritten: Type.Optional(
    Type.Array(Type.Object({ index: Type.Integer(), keys: Type.Array(Type.String()) }), {
      description:
        'Once the job has ended: items whose text another item brought too, with other values of these keys of metadata. One memory stands for both and has the later values. The first 100.',
    }),
  ),
})
export type JobBody = Static<typeof JobBody>

export function jobAddress(id: string): `ingest-job:${string}` {
  return `ingest-job:${id}`
}

export function jobIdOf(address: ActorAddress): string {
  return address.slice('ingest-job:'.length)
}

function statusOf(path: string): JobStatus {
  const [state] = path.split('.')
  return jobStatuses.find((status) => status === state) ?? 'queued'
}

function moment(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

/** `keyOf` gives the idempotency key of an item. */
export function jobView(
  actor: ActorView<'ingest-job'>,
  createdAt: number,
  keyOf: (index: number) => string | null = () => null,
): JobBody {
  const { context } = actor
  return {
    id: actor.id,
    repo: context.repo,
    status: statusOf(actor.path),
    total: context.total,
    done: context.stored,
    failed: context.failed,
    skipped: context.skipped,
    purged: context.purged,
    created_at: new Date(createdAt).toISOString(),
    started_at: moment(context.startedAt),
    finished_at: moment(context.finishedAt),
    ...(context.reason === '' ? {} : { reason: context.reason }),
    errors: context.errors.map(({ index, message, attempts }) => ({
      index,
      idempotency_key: keyOf(index),
      message,
      attempts,
    })),
  }
}
