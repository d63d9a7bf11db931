/** One machine alone: its pure step, with the timers that are armed before and after it. */
import { initialTransition, transition, type AnyMachineSnapshot, type AnyStateMachine } from 'xstate'
import type { ActorAddress, ActorKind, MachineDefinition, MachineEvent } from '../../../machines/definition.ts'
import { sortActions, type Action, type TimerSet } from '../../../runtime/step/step-actions.ts'
import type { Effect } from '../../../runtime/runtime.ts'
import type { Stepped } from '../../machines/world/trace.ts'

/** An actor at rest. */
export interface Resting {
  readonly snapshot: AnyMachineSnapshot | undefined
  readonly timers: readonly TimerSet[]
  readonly at: number
}

export interface Step extends Stepped {
  readonly left: Resting
  /** Of the timers that this step armed. */
  readonly armed: readonly TimerSet[]
}

/** A snapshot goes by the table that it was made by: another one must make its own. */
export function inMachine({ machine }: Pick<MachineDefinition, 'machine'>, from: Resting): Resting {
  if (!from.snapshot || from.snapshot.machine === machine) return from
  const { value, context } = from.snapshot
  return { ...from, snapshot: machine.resolveState({ value, context }) }
}

type Taken = readonly [AnyMachineSnapshot, readonly Action[]]

function taken(machine: AnyStateMachine, id: string, from: AnyMachineSnapshot | undefined, event: MachineEvent): Taken {
  const [first, begun] = from ? [from, []] : (initialTransition(machine, { id }) as unknown as Taken)
  const [next, actions] = transition(machine, first, event) as unknown as Taken
  return [next, [...begun, ...actions]]
}

export function stepOf(
  { kind, machine }: Pick<MachineDefinition, 'kind' | 'machine'>,
  id: string,
  { snapshot, timers, at }: Resting,
  event: MachineEvent,
  tamper: (effects: readonly Effect[]) => readonly Effect[] = (effects) => effects,
): Step {
  const [after, actions] = taken(machine, id, snapshot, event)
  const { effects, timersSet, timersCancelled } = sortActions(actions)
  const gone = new Set([...timersCancelled, ...timersSet.map((timer) => timer.id), firedBy(event)])
  const armed = [...timers.filter((timer) => !gone.has(timer.id)), ...timersSet]
  return {
    kind: 'stepped',
    actor: addressOf(kind, id),
    event,
    causedBy: 'people',
    before: snapshot,
    after,
    effects: tamper(effects),
    outstanding: [],
    timers: armed.map((timer) => timer.id),
    seq: 0,
    left: { snapshot: after, timers: armed, at: Math.max(at, event.at) },
    armed: timersSet,
  }
}

function addressOf(kind: ActorKind, id: string): ActorAddress {
  return `${kind}:${id}`
}

/** A timer that fires is armed no more: its event has its name. */
function firedBy(event: MachineEvent): string {
  return event.type
}
