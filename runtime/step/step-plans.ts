/**
 * Which states a transition leaves and enters, and which actions that makes in which order, follows from the active
 * states and the transition alone. So it is worked out once for each pair and kept as a plan; a step then asks XState's
 * guards, takes the plan and resolves its actions. What XState does beyond that for each step (sets of nodes, copies of
 * snapshots, values made of nodes) was more than half of what Node did for one.
 *
 * Plans are for the common case only: one transition, nothing raised within the step, no final state, no eventless
 * transition that follows. Everything else, an error included, is left to XState from the beginning: a step is pure. A
 * plan is kept only if it gave what XState gave when it was made; property tests hold both to each other.
 */
import type { AnyActorScope, AnyMachineSnapshot, AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate'
import type { MachineEvent } from '../../machines/definition.ts'
import type { Action } from './step-actions.ts'

/** What XState calls an action, a guard, and what stands for it in the machine: no types of it are public. */
type Named = string | ((...given: never[]) => unknown) | { readonly type: string; readonly params?: unknown }

interface Builtin {
  readonly type: string
  readonly assignment?: unknown
  readonly execute?: unknown
  resolve(
    scope: AnyActorScope,
    snapshot: AnyMachineSnapshot,
    args: object,
    params: unknown,
    action: unknown,
    extra: { readonly internalQueue: unknown[] },
  ): readonly [snapshot: AnyMachineSnapshot, params: unknown, actions: readonly Named[] | undefined]
}

/** Active states, in document order; one for each set of them, so that it is found by its identity. */
interface Configuration {
  readonly nodes: AnyStateNode[]
  readonly value: unknown
  readonly tags: Set<string>
  /** Of its eventless transitions; undefined: XState evaluates them. */
  readonly guards: readonly Named[] | undefined
  readonly plans: Map<AnyTransitionDefinition, Plan>
}

interface Plan {
  readonly actions: readonly Named[]
  readonly next: Configuration
}

interface Planned {
  readonly snapshot: AnyMachineSnapshot
  readonly actions: readonly Action[]
  readonly handled: boolean
}

/** Regions multiply: what a machine has beyond so many sets of active states goes without plans. */
const mostConfigurations = 10_000
const resolvable = new Set(['xstate.enqueueActions', 'xstate.raise', 'xstate.cancel'])
const unplanned = Symbol('unplanned')

export class StepPlans {
  readonly #machine: AnyStateMachine
  readonly #scope: AnyActorScope
  readonly #isPlannable: boolean
  readonly #byNodes = new WeakMap<readonly AnyStateNode[], Configuration>()
  readonly #byIds = new Map<string, Configuration>()

  constructor(machine: AnyStateMachine, scope: AnyActorScope) {
    this.#machine = machine
    this.#scope = scope
    this.#isPlannable = isPlannable(machine.root)
  }

  /** The same snapshot with the one array that stands for its active states. */
  canonical(snapshot: AnyMachineSnapshot): AnyMachineSnapshot {
    if (!this.#isPlannable || this.#byNodes.has(snapshot._nodes)) return snapshot
    const ids = snapshot._nodes.map(({ order }) => order).join()
    const known = this.#byIds.get(ids)
    if (known) return { ...snapshot, _nodes: known.nodes }
    if (this.#byIds.size >= mostConfigurations) return snapshot
    const { _nodes: nodes, value, tags } = snapshot
    const configuration: Configuration = {
      nodes,
      value,
      tags,
      guards: guardsOf(nodes),
      plans: new Map(),
    }
    this.#byIds.set(ids, configuration)
    this.#byNodes.set(nodes, configuration)
    return snapshot
  }

  /** Undefined: ask XState. */
  take(before: AnyMachineSnapshot, event: MachineEvent): Planned | undefined {
    const configuration = this.#byNodes.get(before._nodes)
    if (!configuration?.guards || before.status !== 'active' || !isOrdinary(event.type)) return undefined
    try {
      const transitions = this.#machine.getTransitionData(before, event)
      if (transitions.length === 0) return this.#rested(before, configuration, event, [], false)
      const plan = transitions.length === 1 ? configuration.plans.get(transitions[0]!) : undefined
      return plan && this.#carriedOut(plan, before, event)
    } catch {
      // XState throws it again, or not.
      return undefined
    }
  }

  /** `given` is what XState made of it in `microsteps`. */
  learn(before: AnyMachineSnapshot, event: MachineEvent, given: Planned, microsteps: number): void {
    const configuration = this.#byNodes.get(before._nodes)
    const next = this.#byNodes.get(given.snapshot._nodes)
    if (!configuration?.guards || !next?.guards || microsteps !== 1 || !isOrdinary(event.type)) return
    if (before.status !== 'active' || given.snapshot.status !== 'active') return
    const [transition, ...others] = this.#machine.getTransitionData(before, event)
    if (!transition || others.length > 0 || configuration.plans.has(transition)) return
    const actions = actionsOf(transition, configuration.nodes, next.nodes)
    if (!actions) return
    configuration.plans.set(transition, { actions, next })
    const planned = this.take(before, event)
    if (!planned || !isSame(planned, given)) configuration.plans.delete(transition)
  }

  #carriedOut(plan: Plan, before: AnyMachineSnapshot, event: MachineEvent): Planned | undefined {
    const run = new Run(before, event, this.#scope)
    if (!run.resolve(plan.actions)) return undefined
    const { nodes: _nodes, value, tags } = plan.next
    const after = { ...before, context: run.context, _nodes, value, tags } as AnyMachineSnapshot
    return this.#rested(after, plan.next, event, run.taken, true)
  }

  /** Undefined when something follows by itself. */
  #rested(
    snapshot: AnyMachineSnapshot,
    { guards }: Configuration,
    event: MachineEvent,
    actions: readonly Action[],
    handled: boolean,
  ): Planned | undefined {
    if (!guards) return undefined
    for (const guard of guards) if (holds(guard, snapshot, event) !== false) return undefined
    return { snapshot, actions, handled }
  }
}

/** One step's actions, as XState resolves them one after the other. */
class Run {
  readonly #before: AnyMachineSnapshot
  readonly #event: MachineEvent
  readonly #scope: AnyActorScope
  readonly #queue: unknown[] = []
  readonly taken: Action[] = []
  context: unknown

  constructor(before: AnyMachineSnapshot, event: MachineEvent, scope: AnyActorScope) {
    this.#before = before
    this.#event = event
    this.#scope = scope
    this.context = before.context
  }

  /** False: this is not for a plan. */
  resolve(actions: readonly Named[]): boolean {
    for (const action of actions) {
      const isInline = typeof action === 'function'
      const { actions: known } = this.#before.machine.implementations
      const resolved = (isInline ? action : known[typeof action === 'string' ? action : action.type]) as unknown
      const params = paramsOf(action, this.context, this.#event)
      if (!isBuiltin(resolved)) this.taken.push({ type: nameOf(action), params })
      else if (!this.#builtin(resolved, params)) return false
    }
    return true
  }

  #builtin(action: Builtin, params: unknown): boolean {
    const { self, system } = this.#scope
    const args = { context: this.context, event: this.#event, self, system }
    if (action.type === 'xstate.assign') {
      this.context = assigned(action.assignment, { ...args, spawn: unsupported }, params)
      return true
    }
    if (!resolvable.has(action.type)) return false
    const snapshot = { ...this.#before, context: this.context } as AnyMachineSnapshot
    const extra = { internalQueue: this.#queue }
    const [, resolvedParams, more] = action.resolve(this.#scope, snapshot, args, params, action, extra)
    if (this.#queue.length > 0) return false
    if ('execute' in action) this.taken.push({ type: action.type, params: resolvedParams })
    return more === undefined || this.resolve(more)
  }
}

function assigned(
  assignment: unknown,
  args: { readonly context: unknown; readonly spawn: unknown },
  params: unknown,
): unknown {
  if (typeof assignment === 'function') return { ...(args.context as object), ...assignment(args, params) }
  const changes: Record<string, unknown> = {}
  for (const [key, change] of Object.entries(assignment as object)) {
    changes[key] = typeof change === 'function' ? change(args, params) : change
  }
  return { ...(args.context as object), ...changes }
}

function unsupported(): never {
  throw new Error('no machine starts another')
}

function isBuiltin(action: unknown): action is Builtin {
  return (typeof action === 'function' || (typeof action === 'object' && action !== null)) && 'resolve' in action
}

function nameOf(action: Named): string {
  if (typeof action === 'string') return action
  return typeof action === 'object' ? action.type : action.name || '(anonymous)'
}

function paramsOf(action: Named, context: unknown, event: MachineEvent): unknown {
  if (typeof action !== 'object' || !('params' in action)) return undefined
  return typeof action.params === 'function' ? action.params({ context, event }) : action.params
}

/** `unplanned`: a guard of XState's own, which looks at states. */
function holds(guard: Named, snapshot: AnyMachineSnapshot, event: MachineEvent): boolean | typeof unplanned {
  const { guards } = snapshot.machine.implementations
  const resolved = (
    typeof guard === 'function' ? guard : guards[typeof guard === 'string' ? guard : guard.type]
  ) as unknown
  if (typeof resolved !== 'function' || 'check' in resolved) return unplanned
  const { context } = snapshot
  return Boolean(resolved({ context, event }, paramsOf(guard, context, event)))
}

/** Events of XState's own are more than their name; those of `after` are not. */
function isOrdinary(type: string): boolean {
  return !type.startsWith('xstate.') || type.startsWith('xstate.after.')
}

/** History and invoked actors make more of a transition than states and actions. */
function isPlannable(node: AnyStateNode): boolean {
  return node.type !== 'history' && node.invoke.length === 0 && Object.values(node.states).every(isPlannable)
}

/** Undefined when one of them has no guard: it is never at rest. */
function guardsOf(nodes: readonly AnyStateNode[]): readonly Named[] | undefined {
  const guards = nodes.flatMap((node) => (node.always ?? []).map(({ guard }) => guard as Named | undefined))
  return guards.every((guard) => guard !== undefined) ? guards : undefined
}

/** Undefined: no plan. SCXML's exit and entry sets of one transition, as XState orders their actions. */
function actionsOf(
  transition: AnyTransitionDefinition,
  before: readonly AnyStateNode[],
  after: readonly AnyStateNode[],
): readonly Named[] | undefined {
  if (!transition.target?.length) return before === after ? (transition.actions as readonly Named[]) : undefined
  const domain = domainOf(transition)
  if (!domain) return undefined
  const isExited = (node: AnyStateNode): boolean =>
    isBelow(node, domain) || (transition.reenter && node === transition.source && node === domain)
  const exited = before.filter(isExited).toReversed()
  const entered = after.filter((node) => isExited(node) || !before.includes(node))
  if (entered.some((node) => node.type === 'final' || node.initial?.actions.length > 0)) return undefined
  return [
    ...exited.flatMap(({ exit }) => exit),
    ...transition.actions,
    ...entered.flatMap(({ entry }) => entry),
  ] as Named[]
}

/** The innermost state that is neither left nor entered. */
function domainOf({ source, target = [], reenter }: AnyTransitionDefinition): AnyStateNode | undefined {
  if (!reenter && target.every((node) => node === source || isBelow(node, source))) return source
  const touched = [...target, source]
  for (let node = target[0]?.parent; node; node = node.parent) {
    if (touched.every((one) => isBelow(one, node as AnyStateNode))) return node
  }
  return reenter ? undefined : source.machine.root
}

function isBelow(node: AnyStateNode, ancestor: AnyStateNode): boolean {
  for (let above = node.parent; above; above = above.parent) if (above === ancestor) return true
  return false
}

function isSame(one: Planned, other: Planned): boolean {
  return one.handled === other.handled && comparable(one) === comparable(other)
}

function comparable({ snapshot, actions }: Planned): string {
  const { value, context } = snapshot
  return JSON.stringify([value, context, actions.map(({ type, params }) => [type, params])])
}
