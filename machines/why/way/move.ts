import type { Owner } from '../../definition.ts'
import type { Sent } from '../../emit.ts'
import type { TaskEvent } from '../../task/events.ts'

/** One event that a Task may get, who brings it about, and by doing what. */
export interface Move {
  readonly by: Owner
  readonly does: string
  readonly event: Sent<TaskEvent>
}

export function move(by: Owner, does: string, event: Sent<TaskEvent>): Move {
  return { by, does, event }
}
