import { Type, type Static } from 'typebox'
import { At, EffectFailed } from '../event.ts'

/**
 * Items that belong together, in the order of the request; `purges`: the earlier memories of `file` go first
 * (INGEST-10, INGEST-11). A file per group is not asked for: an event has a size, a request has 32 MiB. `*` is every file of the
 * request that brings no items; a file that brings some may be purged by whoever stores the first of them.
 */
export const FileGroup = Type.Object({
  file: Type.Union([Type.String(), Type.Null()]),
  purges: Type.Boolean(),
  items: Type.Integer({ minimum: 0 }),
})
export type FileGroup = Static<typeof FileGroup>

const itemOutcomes = ['stored', 'duplicated', 'partial_success', 'skipped'] as const

export const IngestJobEvent = Type.Union([
  Type.Object({
    type: Type.Literal('job.created'),
    ...At,
    repo: Type.String(),
    groups: Type.Array(FileGroup),
    /** How long one try of an item may take, 60 seconds unless told. */
    itemTimeoutMs: Type.Optional(Type.Integer({ minimum: 1 })),
  }),
  /** No earlier job of its repository is unfinished. */
  Type.Object({ type: Type.Literal('job.admitted'), ...At }),
  Type.Object({ type: Type.Literal('job.cancelled'), ...At }),
  Type.Object({ type: Type.Literal('file.purged'), ...At, file: Type.String(), memories: Type.Integer() }),
  Type.Object({
    type: Type.Literal('item.stored'),
    ...At,
    index: Type.Integer(),
    outcome: Type.Unsafe<(typeof itemOutcomes)[number]>(Type.Union(itemOutcomes.map((one) => Type.Literal(one)))),
    /** Earlier memories of its file that went with it. */
    purged: Type.Optional(Type.Integer()),
  }),
  Type.Object({
    type: Type.Literal('item.failed'),
    ...At,
    index: Type.Integer(),
    attempt: Type.Integer(),
    message: Type.String(),
  }),
  EffectFailed,
])
export type IngestJobEvent = Static<typeof IngestJobEvent>
