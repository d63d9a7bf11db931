/**
 * XState's own transition without what `transition()` builds anew at every call: an actor and a system that nothing
 * runs in (9.5 us of 14; measured). The scope is made once per machine. `live-machine.test.ts` and the property tests
 * hold it to `transition()` itself.
 *
 * A snapshot that stays in memory must be the one that its persisted text gives: the same states in the same order,
 * because order decides in which order regions act. So states stand in document order after every step, loaded or not.
 */
import { createActor } from 'xstate'
import type { AnyActorScope, AnyMachineSnapshot, AnyStateMachine, AnyStateNode, InspectionEvent } from 'xstate'
import type { JsonObject, MachineEvent, MachineInput } from '../../machines/definition.ts'
import { plainFrozen } from './plain.ts'
import type { Action } from './step-actions.ts'
import { StepPlans } from './step-plans.ts'

export interface Taken {
  readonly snapshot: AnyMachineSnapshot
  readonly actions: readonly Action[]
  /** False when no state had a transition for the event, or its guards all said no. */
  readonly handled: boolean
}

const machines = {
  planned: new WeakMap<AnyStateMachine, LiveMachine>(),
  plain: new WeakMap<AnyStateMachine, LiveMachine>(),
}

/** Without plans each step is XState's own: the same step, taken in more time. */
export function liveMachine(machine: AnyStateMachine, plans = true): LiveMachine {
  const all = plans ? machines.planned : machines.plain
  const known = all.get(machine) ?? new LiveMachine(machine, plans)
  all.set(machine, known)
  return known
}

class LiveMachine {
  readonly #machine: AnyStateMachine
  readonly #scope: AnyActorScope
  /** Without regions there is one order only. */
  readonly #hasOrder: boolean
  #actions: Action[] = []
  /** Transitions that the event itself enabled; undefined until the first microstep of a step has been seen. */
  #enabled: number | undefined
  #microsteps = 0
  readonly #plans: StepPlans | undefined

  constructor(machine: AnyStateMachine, plans: boolean) {
    this.#machine = machine
    this.#hasOrder = hasRegions(machine.root)
    const self = createActor(machine, { inspect: (event) => this.#seen(event) })
    this.#scope = {
      self,
      system: self.system,
      id: '',
      sessionId: '',
      logger: nothing,
      defer: nothing,
      emit: nothing,
      stopChild: nothing,
      actionExecutor: (action) => void this.#actions.push(action),
    }
    this.#plans = plans ? new StepPlans(machine, this.#scope) : undefined
  }

  initial(input: MachineInput): Taken {
    return this.#take(undefined, () => this.#machine.getInitialSnapshot(this.#scope, input))
  }

  transition(before: AnyMachineSnapshot, event: MachineEvent): Taken {
    const planned = this.#plans?.take(before, event)
    if (planned) return { ...planned, snapshot: plainContext(planned.snapshot, before) }
    const taken = this.#take(before, () => this.#machine.transition(before, event, this.#scope))
    this.#plans?.learn(before, event, taken, this.#microsteps)
    return taken
  }

  /** Throws where the machine has no such state. */
  load(persisted: JsonObject): AnyMachineSnapshot {
    const snapshot = this.#machine.restoreSnapshot(persisted as never, this.#scope)
    return this.#settled(snapshot, undefined)
  }

  #take(before: AnyMachineSnapshot | undefined, run: () => AnyMachineSnapshot): Taken {
    this.#actions = []
    this.#enabled = undefined
    this.#microsteps = 0
    const snapshot = this.#settled(run(), before)
    return { snapshot, actions: this.#actions, handled: (this.#enabled ?? 0) > 0 }
  }

  #seen(event: InspectionEvent): void {
    if (event.type !== '@xstate.microstep') return
    this.#enabled ??= event._transitions.length
    this.#microsteps += 1
  }

  #settled(snapshot: AnyMachineSnapshot, before: AnyMachineSnapshot | undefined): AnyMachineSnapshot {
    if (snapshot === before) return snapshot
    const settled = this.#hasOrder && snapshot._nodes !== before?._nodes ? this.#ordered(snapshot) : snapshot
    const plain = plainContext(settled, before)
    return this.#plans?.canonical(plain) ?? plain
  }

  #ordered(snapshot: AnyMachineSnapshot): AnyMachineSnapshot {
    const histories = Object.values<readonly AnyStateNode[]>(snapshot.historyValue)
    if (inOrder(snapshot._nodes) && histories.every(inOrder)) return snapshot
    return {
      ...snapshot,
      _nodes: snapshot._nodes.toSorted(byOrder),
      value: orderedValue(this.#machine.root, snapshot.value),
      historyValue: Object.fromEntries(
        Object.entries<AnyStateNode[]>(snapshot.historyValue).map(([id, nodes]) => [id, nodes.toSorted(byOrder)]),
      ),
    }
  }
}

function plainContext(snapshot: AnyMachineSnapshot, before: AnyMachineSnapshot | undefined): AnyMachineSnapshot {
  const context = plainFrozen(snapshot.context, before?.context)
  return context === snapshot.context ? snapshot : { ...snapshot, context }
}

function nothing(): void {}

function hasRegions(node: AnyStateNode): boolean {
  return node.type === 'parallel' || Object.values(node.states).some(hasRegions)
}

function byOrder(a: AnyStateNode, b: AnyStateNode): number {
  return a.order - b.order
}

function inOrder(nodes: readonly AnyStateNode[]): boolean {
  for (let index = 1; index < nodes.length; index++) {
    if (nodes[index - 1]!.order > nodes[index]!.order) return false
  }
  return true
}

function orderedValue(node: AnyStateNode, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const regions = value as Readonly<Record<string, unknown>>
  const entries = Object.keys(node.states).flatMap((key) => {
    const child = node.states[key]
    return key in regions && child ? [[key, orderedValue(child, regions[key])]] : []
  })
  return Object.fromEntries(entries) as unknown
}

/** The snapshot as text: what is stored, and what a replay compares byte by byte. */
export function bodyOf(snapshot: AnyMachineSnapshot): string {
  return JSON.stringify(snapshot.machine.getPersistedSnapshot(snapshot))
}

/** The same as data: what a stored snapshot is parsed to. */
export function persistedOf(snapshot: AnyMachineSnapshot): JsonObject {
  return JSON.parse(bodyOf(snapshot)) as JsonObject
}
