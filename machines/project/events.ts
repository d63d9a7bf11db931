import { Type, type Static } from 'typebox'
import { At, EffectFailed } from '../event.ts'

export const ProjectEvent = Type.Union([
  /** The Project or one of its Repositories was applied. */
  Type.Object({
    type: Type.Literal('project.applied'),
    ...At,
    generation: Type.Integer(),
    maxConcurrentAgents: Type.Integer(),
    capacity: Type.Integer(),
    alertCapacity: Type.Integer(),
  }),
  Type.Object({
    type: Type.Literal('project.checked'),
    ...At,
    generation: Type.Integer(),
    ready: Type.Boolean(),
    reason: Type.String(),
    message: Type.String(),
  }),
  Type.Object({ type: Type.Literal('project.resynced'), ...At }),
  Type.Object({ type: Type.Literal('project.deleted'), ...At }),
  EffectFailed,
])
export type ProjectEvent = Static<typeof ProjectEvent>
