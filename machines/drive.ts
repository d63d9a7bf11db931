/** Drives a machine as the runtime does, without one: for tests of the tables. Pure; keeps the timers that are armed. */
import { initialTransition, transition, type AnyMachineSnapshot, type AnyStateMachine } from 'xstate'

export interface DrivenEffect {
  readonly type: string
  // What a test looks into is the test's business.
  // oxlint-disable-next-line no-explicit-any
  readonly params: any
}

interface Armed {
  readonly id: string
  readonly delay: number
  readonly event: { readonly type: string }
}

export interface Drive {
  /** Delivers an event; `at` defaults to the drive's clock. Returns the effects of this step, in order. */
  send(event: { readonly type: string; readonly [field: string]: unknown }): readonly DrivenEffect[]
  /** Fires the armed timer whose name holds `name`; throws when none is. */
  fire(name: string): readonly DrivenEffect[]
  /** Names and delays of the armed timers. */
  timers(): Readonly<Record<string, number>>
  pass(milliseconds: number): void
  readonly value: unknown
  readonly status: string
  // oxlint-disable-next-line no-explicit-any
  readonly context: any
}

export function drive(machine: AnyStateMachine, id: string, startAt = 1_000_000): Drive {
  let now = startAt
  const armed = new Map<string, Armed>()
  let snapshot: AnyMachineSnapshot
  const keep = (actions: readonly { readonly type: string; readonly params?: unknown }[]): readonly DrivenEffect[] =>
    actions.flatMap((action) => {
      const params = action.params as { id?: string; sendId?: string; delay?: number; event?: { type: string } }
      if (action.type === 'xstate.raise')
        armed.set(params.id ?? '', {
          id: params.id ?? '',
          delay: params.delay ?? 0,
          event: params.event ?? { type: '' },
        })
      else if (action.type === 'xstate.cancel') armed.delete(params.sendId ?? '')
      else return [{ type: action.type, params: JSON.parse(JSON.stringify(params ?? {})) }]
      return []
    })
  const step = (event: { readonly type: string }): readonly DrivenEffect[] => {
    const [next, actions] = transition(machine, snapshot, event)
    snapshot = next as AnyMachineSnapshot
    return keep(actions)
  }
  const dated = (event: { readonly type: string }): { readonly type: string; readonly at: number } => ({
    at: now,
    ...event,
  })
  const [first, actions] = initialTransition(machine, { id })
  snapshot = first as AnyMachineSnapshot
  keep(actions)
  return {
    send: (event) => step(dated(event)),
    fire: (name) => {
      const timer = [...armed.values()].find(({ id: timerId }) => timerId.includes(`.${name}.`))
      if (!timer) throw new Error(`no timer ${name} is armed, only ${[...armed.keys()].join(', ')}`)
      armed.delete(timer.id)
      now += timer.delay
      return step(dated(timer.event))
    },
    timers: () =>
      Object.fromEntries(
        [...armed.values()].map(({ id: timerId, delay }) => [timerId.split('.')[2] ?? timerId, delay]),
      ),
    pass: (milliseconds) => {
      now += milliseconds
    },
    get value() {
      return snapshot.value
    },
    get status() {
      return snapshot.status
    },
    get context() {
      return snapshot.context
    },
  }
}

/** The events that a step sent to others: `<kind>` of the receiver, then the event. */
export function sent(
  effects: readonly DrivenEffect[],
  kind?: string,
): readonly { readonly type: string; readonly [field: string]: unknown }[] {
  return effects
    .filter(({ type, params }) => type === 'deliver' && (kind === undefined || params.to.startsWith(`${kind}:`)))
    .map(({ params }) => params.event)
}

export function types(effects: readonly DrivenEffect[]): readonly string[] {
  return effects.map(({ type, params }) =>
    type === 'deliver' ? `${params.to.split(':')[0]}<${params.event.type}` : type,
  )
}
