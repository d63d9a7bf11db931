/**
 * XState's pure transition with a memory: the states of a world differ in a few actors, so almost every step was taken
 * before. Equal snapshots become one object, which makes looking a step up cheap.
 */
import { transition, type AnyMachineSnapshot, type AnyStateMachine } from 'xstate'
import type { MachineEvent } from '../../machines/definition.ts'
import type { Pace } from '../machines/world/actors.ts'

type Taken = ReturnType<Pace['transition']>

export class Remembered implements Pace {
  readonly time = 'stands'
  readonly #machines = new WeakMap<AnyStateMachine, Map<string, AnyMachineSnapshot>>()
  readonly #canonical = new WeakMap<AnyMachineSnapshot, AnyMachineSnapshot>()
  readonly #steps = new WeakMap<AnyMachineSnapshot, Map<string, Taken>>()
  readonly #texts = new WeakMap<MachineEvent, string>()
  /** Steps that XState itself took. */
  taken = 0

  readonly transition = (machine: AnyStateMachine, snapshot: AnyMachineSnapshot, event: MachineEvent): Taken => {
    const from = this.#only(machine, snapshot)
    const steps = this.#stepsOf(from)
    const text = this.#textOf(event)
    const known = steps.get(text)
    if (known) return known
    this.taken += 1
    const [next, actions] = transition(machine, from, event) as unknown as Taken
    const step: Taken = [this.#only(machine, next), actions]
    steps.set(text, step)
    return step
  }

  #stepsOf(snapshot: AnyMachineSnapshot): Map<string, Taken> {
    const known = this.#steps.get(snapshot) ?? new Map<string, Taken>()
    this.#steps.set(snapshot, known)
    return known
  }

  #textOf(event: MachineEvent): string {
    const text = this.#texts.get(event) ?? JSON.stringify(event)
    this.#texts.set(event, text)
    return text
  }

  #only(machine: AnyStateMachine, snapshot: AnyMachineSnapshot): AnyMachineSnapshot {
    const known = this.#canonical.get(snapshot)
    if (known) return known
    const all = this.#machines.get(machine) ?? new Map<string, AnyMachineSnapshot>()
    this.#machines.set(machine, all)
    const text = JSON.stringify([snapshot.value, snapshot.status, snapshot.context])
    const only = all.get(text) ?? snapshot
    all.set(text, only)
    this.#canonical.set(snapshot, only)
    return only
  }
}
