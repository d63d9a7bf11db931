/**
 * One step of one actor, pure: the same snapshot and event give the same outcome, now and at replay (R11).
 * Time comes on the event, nothing is performed; what the machine asks for is returned as data.
 */
import type { AnyMachineSnapshot } from 'xstate'
import type { JsonObject, MachineDefinition, MachineEvent, MachineInput } from '../../machines/definition.ts'
import { messageOf } from '../errors.ts'
import { liveMachine } from './live-machine.ts'
import type { Taken } from './live-machine.ts'
import type { Effect } from '../runtime.ts'
import { statePath } from './state-path.ts'
import { sortActions } from './step-actions.ts'
import type { TimerSet } from './step-actions.ts'

export interface Step {
  readonly fault?: undefined
  /** Frozen where it is data; `bodyOf` gives its text. */
  readonly snapshot: AnyMachineSnapshot
  readonly path: string
  readonly status: 'active' | 'done'
  readonly effects: readonly Effect[]
  readonly timersSet: readonly TimerSet[]
  readonly timersCancelled: readonly string[]
  /** False when no state had a transition for the event, or its guards all said no. */
  readonly handled: boolean
}

/** `snapshot`: the actor cannot be loaded by this code. `event`: this event made a guard or an action throw. */
interface StepFault {
  readonly fault: 'snapshot' | 'event'
  readonly message: string
}

export type StepOutcome = Step | StepFault

/**
 * A finished actor takes nothing more in, but the caller learns so. XState itself would still run a transition at
 * the root of a done machine.
 */
const finalAnswer: Effect = { type: 'answer', params: { status: 409, body: { code: 'actor-final' } } }

export function step(
  definition: MachineDefinition,
  before: AnyMachineSnapshot | undefined,
  event: MachineEvent,
  input: MachineInput,
  plans = true,
): StepOutcome {
  try {
    const machine = liveMachine(definition.machine, plans)
    const born = before ? undefined : machine.initial(input)
    if (born && isBroken(born.snapshot)) return fault('event', born.snapshot)
    const from = born?.snapshot ?? (before as AnyMachineSnapshot)
    if (from.status === 'done') return finished(from, born)
    const taken = machine.transition(from, event)
    return isBroken(taken.snapshot) ? fault('event', taken.snapshot) : outcome(taken, born)
  } catch (error) {
    return { fault: 'event', message: messageOf(error) }
  }
}

/** What a stored snapshot says, or why this code cannot read it (R10). */
export function readSnapshot(definition: MachineDefinition, persisted: JsonObject): StepOutcome {
  try {
    const snapshot = liveMachine(definition.machine).load(persisted)
    return isBroken(snapshot) ? fault('snapshot', snapshot) : outcome({ snapshot, actions: [], handled: false })
  } catch (error) {
    return { fault: 'snapshot', message: messageOf(error) }
  }
}

function isBroken({ status }: AnyMachineSnapshot): boolean {
  return status === 'error' || status === 'stopped'
}

function fault(kind: StepFault['fault'], snapshot: AnyMachineSnapshot): StepFault {
  return { fault: kind, message: `the snapshot is ${snapshot.status}: ${messageOf(snapshot.error)}` }
}

function finished(snapshot: AnyMachineSnapshot, born: Taken | undefined): Step {
  const last = outcome({ snapshot, actions: born?.actions ?? [], handled: false })
  return { ...last, effects: [...last.effects, finalAnswer] }
}

function outcome({ snapshot, actions, handled }: Taken, born?: Taken): Step {
  const { effects, timersSet, timersCancelled } = sortActions(born ? [...born.actions, ...actions] : actions)
  return {
    snapshot,
    path: statePath(snapshot.value),
    status: snapshot.status === 'done' ? 'done' : 'active',
    effects,
    timersSet,
    timersCancelled,
    handled,
  }
}
