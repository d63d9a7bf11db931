/** How the Project decides: by what time it is, and by what is scheduled. */
import { decideBy, inTime, type Around } from '../decide.ts'
import type { Decision } from '../emit.ts'
import { observedBy, sinceOf } from './conditions.ts'
import { runOf, type ProjectContext, type Scheduled } from './context.ts'
import type { BlockName, ProjectEvent } from './events.ts'

export type Does = Decision<ProjectContext>

export interface Guarded {
  readonly context: ProjectContext
  readonly event: ProjectEvent
}

/** What the status needs of every step: which resources were observed, and since when each condition is what it is. */
const shown: Around<ProjectContext, ProjectEvent, Does> = (context, event, own) => {
  const does = inTime(context, event, own)
  const patch = { ...does.context, ...observedBy(context, event) }
  return { ...does, context: { ...patch, since: sinceOf(context, { ...context, ...patch }) } }
}

export const { on, always } = decideBy<ProjectContext, ProjectEvent>(shown)

/** A decision about what is scheduled; without any there is nothing to decide. */
export function planned(decide: (context: ProjectContext, scheduled: Scheduled) => Does): ReturnType<typeof on> {
  return always((context) => (context.scheduled === null ? {} : decide(context, context.scheduled)))
}

/** An answer to the run that stands, and to no earlier one. */
export function answers(context: ProjectContext, name: BlockName, run: string | undefined): boolean {
  return run === runOf(context, name)
}
