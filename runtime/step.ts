/**
 * One step of one actor, pure: the same snapshot and event give the same outcome, now and at replay (R11).
 * Time comes on the event, nothing is performed; what the machine asks for is returned as data.
 */
import { createActor, initialTransition, transition } from 'xstate'
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate'
import type { JsonObject, MachineDefinition, MachineEvent, MachineInput } from '../machines/definition.ts'
import { messageOf } from './errors.ts'
import type { Effect } from './runtime.ts'
import { statePath } from './state-path.ts'
import { sortActions } from './step-actions.ts'
import type { Action, TimerSet } from './step-actions.ts'

export interface Step {
  readonly fault?: undefined
  /** XState's persisted snapshot as plain JSON. */
  readonly snapshot: JsonObject
  /** The same as text: what is stored, and what replay compares byte by byte. */
  readonly body: string
  readonly value: unknown
  readonly path: string
  readonly status: 'active' | 'done'
  readonly effects: readonly Effect[]
  readonly timersSet: readonly TimerSet[]
  readonly timersCancelled: readonly string[]
  /** False when no state had a transition for the event, or its guards all said no. */
  readonly handled: boolean
}

/** `snapshot`: the actor cannot be loaded by this code. `event`: this event made a guard or an action throw. */
export interface StepFault {
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
  persisted: JsonObject | undefined,
  event: MachineEvent,
  input: MachineInput,
): StepOutcome {
  const loaded = load(definition.machine, persisted, input)
  if ('fault' in loaded) return loaded
  try {
    return take(definition.machine, loaded, event)
  } catch (error) {
    return { fault: 'event', message: messageOf(error) }
  }
}

/** What a stored snapshot says, or why this code cannot read it. */
export function inspectSnapshot(
  definition: MachineDefinition,
  persisted: JsonObject,
  input: MachineInput,
): StepOutcome {
  const loaded = load(definition.machine, persisted, input)
  return 'fault' in loaded ? loaded : outcome(loaded.snapshot, [], false)
}

interface Loaded {
  readonly snapshot: AnyMachineSnapshot
  readonly actions: readonly Action[]
}

function load(machine: AnyStateMachine, persisted: JsonObject | undefined, input: MachineInput): Loaded | StepFault {
  try {
    if (persisted === undefined) {
      const [snapshot, actions] = initialTransition(machine, input)
      return checked({ snapshot, actions }, 'event')
    }
    const snapshot = createActor(machine, { snapshot: persisted as never, input }).getSnapshot() as AnyMachineSnapshot
    return checked({ snapshot, actions: [] }, 'snapshot')
  } catch (error) {
    return { fault: persisted === undefined ? 'event' : 'snapshot', message: messageOf(error) }
  }
}

function checked(loaded: Loaded, fault: StepFault['fault']): Loaded | StepFault {
  const { status, error } = loaded.snapshot as { readonly status: string; readonly error: unknown }
  return status === 'error' || status === 'stopped'
    ? { fault, message: `the snapshot is ${status}: ${messageOf(error)}` }
    : loaded
}

function take(machine: AnyStateMachine, loaded: Loaded, event: MachineEvent): StepOutcome {
  const { snapshot } = loaded
  if (snapshot.status === 'done') {
    const final = outcome(snapshot, loaded.actions, false)
    return 'fault' in final && final.fault
      ? final
      : { ...(final as Step), effects: [...(final as Step).effects, finalAnswer] }
  }
  const handled = machine.getTransitionData(snapshot, event).length > 0
  const [next, actions] = transition(machine, snapshot, event)
  const after = checked({ snapshot: next, actions: [...loaded.actions, ...actions] }, 'event')
  return 'fault' in after ? after : outcome(after.snapshot, after.actions, handled)
}

function outcome(snapshot: AnyMachineSnapshot, actions: readonly Action[], handled: boolean): StepOutcome {
  const body = JSON.stringify(snapshot.machine.getPersistedSnapshot(snapshot))
  const plain = JSON.parse(body) as JsonObject
  return {
    snapshot: plain,
    body,
    value: plain['value'],
    path: statePath(plain['value']),
    status: snapshot.status === 'done' ? 'done' : 'active',
    ...sortActions(actions),
    handled,
  }
}
