/** An operator takes a Task out of work until `task.retry` lets it go on: nothing else does (PARK-14). */
import type { EventOf } from '../decide.ts'
import { answer } from './answers.ts'
import type { Change } from './chart.ts'
import type { TaskContext } from './context.ts'
import type { TaskEvent } from './events.ts'
import { closedBy } from './folds.ts'
import { ownStage, resumedStage, type ResumedStage } from './queries.ts'

/** Where a retry leads from a park. */
export function retriedStage(context: TaskContext): ResumedStage {
  return context.stage.reason === 'approval-revoked' ? ownStage(context) : resumedStage(context)
}

/** A park's own reason is gone then, so what it says of the way back is kept as the stage. The newest reason stands. */
export function hold(context: TaskContext, { by, reason }: EventOf<TaskEvent, 'task.hold'>): Change {
  const parkedFrom = context.stage.class === 'parked' ? { parkedFrom: retriedStage(context) } : {}
  return {
    context: { stage: { reason: 'held', detail: closedBy(by, reason), ...parkedFrom } },
    effects: [answer({ status: 200, body: { accepted: true, task: { stage: 'awaiting-human' } } })],
  }
}
