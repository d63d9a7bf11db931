import { transition } from 'xstate'
import type { AnyMachineSnapshot } from 'xstate'
import { ringMachine } from '../contenders/machine.ts'
import type { RingEvent } from '../contenders/machine.ts'
import { initialSnapshot } from './tables.ts'

type Persisted = { readonly value: unknown; readonly context: unknown }

export function restored(persisted: unknown = initialSnapshot): AnyMachineSnapshot {
  const { value, context } = persisted as Persisted
  return ringMachine.resolveState({ value, context } as never) as AnyMachineSnapshot
}

export interface BaselineStep {
  readonly next: AnyMachineSnapshot
  readonly body: string
  readonly effects: string
}

/** What one writes without a runtime: step, persist whole, keep the effects. */
export function stepped(snapshot: AnyMachineSnapshot, event: RingEvent): BaselineStep {
  const [next, actions] = transition(ringMachine, snapshot as never, event)
  const effects = actions.filter(({ type }) => type === 'perform').map(({ type, params }) => ({ type, params }))
  return {
    next: next as AnyMachineSnapshot,
    body: JSON.stringify(ringMachine.getPersistedSnapshot(next)),
    effects: JSON.stringify(effects),
  }
}
