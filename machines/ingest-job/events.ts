import { Type, type Static } from 'typebox'
import { At, EffectFailed } from '../event.ts'

/** Items that belong to one file, in the order of the request; `purges`: the file's earlier memories go first (S1, reconcile). */
export const FileGroup = Type.Object({
  file: Type.Union([Type.String(), Type.Null()]),
  purges: Type.Boolean(),
  items: Type.Integer({ minimum: 0 }),
})
export type FileGroup = Static<typeof FileGroup>

const itemOutcomes = ['stored', 'duplicated', 'partial_success', 'skipped'] as const

export const IngestJobEvent = Type.Union([
  Type.Object({ type: Type.Literal('job.created'), ...At, repo: Type.String(), groups: Type.Array(FileGroup) }),
  /** No earlier job of its repository is unfinished. */
  Type.Object({ type: Type.Literal('job.admitted'), ...At }),
  Type.Object({ type: Type.Literal('job.cancelled'), ...At }),
  Type.Object({ type: Type.Literal('file.purged'), ...At, file: Type.String(), memories: Type.Integer() }),
  Type.Object({
    type: Type.Literal('item.stored'),
    ...At,
    index: Type.Integer(),
    outcome: Type.Unsafe<(typeof itemOutcomes)[number]>(Type.Union(itemOutcomes.map((one) => Type.Literal(one)))),
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
