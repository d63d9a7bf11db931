/**
 * XState's own transition of the Task without the actor, the system and the first snapshot that `transition()` builds
 * anew at each call: a search makes hundreds, and two thirds of each were these.
 */
import { createActor, type AnyActorScope, type SnapshotFrom } from 'xstate'
import { taskMachine } from '../../task/machine.ts'

export type TaskSnapshot = SnapshotFrom<typeof taskMachine>

interface Asked {
  readonly params?: unknown
}

let asked: Asked[] = []
const self = createActor(taskMachine, { input: { id: '' } })
const scope = {
  self,
  system: self.system,
  id: '',
  sessionId: '',
  logger: nothing,
  defer: nothing,
  emit: nothing,
  stopChild: nothing,
  actionExecutor: (action: Asked) => void asked.push(action),
} as AnyActorScope

function nothing(): void {}

export function taskTransition(
  before: TaskSnapshot,
  event: { readonly type: string; readonly at?: number },
): readonly [TaskSnapshot, readonly Asked[]] {
  asked = []
  const snapshot = taskMachine.transition(before, event as never, scope as never)
  return [snapshot, asked]
}
