/** What an ingest job asks for; its handlers are the memory service's, so these stand beside the orchestrator's effects. */
import { Type, type Static, type TSchema } from 'typebox'

const jobEffectSchemas = {
  /** -> `job.admitted`, once no earlier job of the repository is unfinished; asked again until then. */
  awaitLane: Type.Object({ job: Type.String(), repo: Type.String() }),
  /** Deletes a file's memories with their idempotency keys (INGEST-RULE-1, INGEST-RULE-2) -> `file.purged`. */
  purgeFile: Type.Object({ job: Type.String(), repo: Type.String(), file: Type.String() }),
  /** Stores one item of the request under its idempotency key -> `item.stored` | `item.failed`. */
  storeItem: Type.Object({ job: Type.String(), repo: Type.String(), index: Type.Integer(), attempt: Type.Integer() }),
  withdrawEffects: Type.Object({ types: Type.Array(Type.String()) }),
} satisfies Record<string, TSchema>

type JobEffectType = keyof typeof jobEffectSchemas
/** Worked out once for each, not at every call that names one (see EffectParams). */
type ParamsByEffect = { readonly [T in JobEffectType]: Static<(typeof jobEffectSchemas)[T]> }
type JobEffectParams<T extends JobEffectType> = ParamsByEffect[T]
export type JobEffect = {
  [T in JobEffectType]: { readonly type: T; readonly params: JobEffectParams<T> }
}[JobEffectType]

export function jobEffect<T extends JobEffectType>(type: T, params: JobEffectParams<T>): JobEffect {
  return { type, params } as JobEffect
}
