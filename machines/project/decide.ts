/** A decision of the Project as an action: time never runs backwards, whatever an edge's clock does. */
import { perform, type Decision } from '../emit.ts'
import { runOf, type ProjectContext, type Scheduled } from './context.ts'
import type { BlockName, ProjectEvent } from './events.ts'

export type EventOf<T extends ProjectEvent['type']> = Extract<ProjectEvent, { type: T }>
export type Does = Decision<ProjectContext>

export interface Guarded {
  readonly context: ProjectContext
  readonly event: ProjectEvent
}

export function on<T extends ProjectEvent['type']>(
  _type: T,
  decide: (context: ProjectContext, event: EventOf<T>) => Does,
): ReturnType<typeof perform<ProjectContext, ProjectEvent>> {
  return perform<ProjectContext, ProjectEvent>((context, event) => {
    // Timers and eventless moves come with the time of their cause, or with none.
    const now = { ...context, at: Math.max(context.at, event.at ?? 0) }
    const { context: patch, effects } = decide(now, event as EventOf<T>)
    return { context: { at: now.at, ...patch }, ...(effects ? { effects } : {}) }
  })
}

/** Whatever the event was. */
export function always(decide: (context: ProjectContext) => Does): ReturnType<typeof on> {
  return on('project.applied', (context) => decide(context))
}

/** A decision about what is scheduled; without any there is nothing to decide. */
export function planned(decide: (context: ProjectContext, scheduled: Scheduled) => Does): ReturnType<typeof on> {
  return always((context) => (context.scheduled === null ? {} : decide(context, context.scheduled)))
}

/** An answer to the run that stands, and to no earlier one. */
export function answers(context: ProjectContext, name: BlockName, run: string | undefined): boolean {
  return run === runOf(context, name)
}
