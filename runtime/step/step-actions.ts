import type { JsonObject } from '../../machines/definition.ts'
import { plain } from './plain.ts'
import type { Effect } from '../runtime.ts'

/** What XState hands out for an action: its type and its resolved params. */
export interface Action {
  readonly type: string
  readonly params?: unknown
}

/** A delayed event of the machine's own: XState's `after`, or `raise` with a delay. */
export interface TimerSet {
  readonly id: string
  readonly delayMs: number
  readonly event: JsonObject & { readonly type: string }
}

interface SortedActions {
  readonly effects: readonly Effect[]
  readonly timersSet: readonly TimerSet[]
  readonly timersCancelled: readonly string[]
}

interface RaiseParams {
  readonly event: TimerSet['event']
  readonly id?: string
  readonly delay?: number
}

/**
 * Splits actions into effects and timers. Of several orders to one timer the last stands: a state left and entered
 * again has its timer set anew. `children` of XState's own kinds have no place in a pure machine and are a fault.
 */
export function sortActions(actions: readonly Action[]): SortedActions {
  const effects: Effect[] = []
  let timers: Map<string, TimerSet | undefined> | undefined
  for (const action of actions) {
    if (action.type === 'xstate.raise') raise(action.params as RaiseParams, (timers ??= new Map()))
    else if (action.type === 'xstate.cancel')
      (timers ??= new Map()).set((action.params as { readonly sendId: string }).sendId, undefined)
    else effects.push(asEffect(action))
  }
  if (!timers) return { effects, timersSet: [], timersCancelled: [] }
  const orders = [...timers]
  return {
    effects,
    timersSet: orders.flatMap(([, timer]) => timer ?? []),
    timersCancelled: orders.flatMap(([id, timer]) => (timer ? [] : [id])),
  }
}

/** Without a delay XState has taken the event within the same step already. */
function raise(params: RaiseParams, timers: Map<string, TimerSet | undefined>): void {
  if (params.delay === undefined) return
  const id = params.id ?? `raise.${params.event.type}`
  timers.delete(id)
  timers.set(id, { id, delayMs: params.delay, event: plain(params.event) as TimerSet['event'] })
}

function asEffect(action: Action): Effect {
  if (action.type.startsWith('xstate.') || action.type === '(anonymous)') {
    throw new Error(`action ${action.type} is not data: machines name their effects and start nothing`)
  }
  return { type: action.type, params: plain(action.params ?? {}) as JsonObject }
}
