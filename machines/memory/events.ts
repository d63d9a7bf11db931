import { Type, type Static } from 'typebox'
import { At, EffectFailed } from '../event.ts'

/** How much of a Repository the memory holds. */
export const Indexed = Type.Object({
  /** The newest commit that it holds whole; empty: none yet. */
  commit: Type.String(),
  /** Files, commits and issues that it lacks. */
  due: Type.Integer({ minimum: 0 }),
  /** Why the newest step could not go on, for people; empty: it could. */
  trouble: Type.String(),
})
export type Indexed = Static<typeof Indexed>

const Run = { run: Type.String({ description: 'the step that is answered' }) }

export const MemoryEvent = Type.Union([
  /** The Project or one of its Repositories was applied; `fills`: whether its memory fills itself. */
  Type.Object({ type: Type.Literal('memory.configured'), ...At, fills: Type.Boolean() }),
  /** It may lack something: a default branch moved, or an issue became hidden. */
  Type.Object({ type: Type.Literal('memory.outdated'), ...At, repository: Type.String() }),
  /** A step is over: how each Repository stands now. */
  Type.Object({
    type: Type.Literal('memory.filled'),
    ...At,
    ...Run,
    repositories: Type.Record(Type.String(), Indexed),
  }),
  /** The step did nothing: the Project is paused or not ready. */
  Type.Object({ type: Type.Literal('memory.held'), ...At, ...Run, reason: Type.String() }),
  EffectFailed,
])
export type MemoryEvent = Static<typeof MemoryEvent>
