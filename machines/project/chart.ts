/** The vocabulary of the Project's table: rows by name, and what the names mean. */
import type { EventOf } from '../decide.ts'
import type { ProjectContext } from './context.ts'
import type { Guarded, on } from './decide.ts'
import type { ProjectEvent } from './events.ts'

export type Guards = Readonly<Record<string, (args: Guarded) => boolean>>
export type Actions = Readonly<Record<string, ReturnType<typeof on>>>
type Delays = Readonly<Record<string, number | ((args: { readonly context: ProjectContext }) => number)>>

export interface Row {
  readonly guard?: string
  readonly target?: string
  readonly reenter?: boolean
  readonly actions?: string | readonly string[]
}

export interface State {
  readonly id?: string
  readonly meta: { readonly owner: string; readonly reason: string; readonly unblocks: string }
  readonly initial?: string
  readonly entry?: string
  readonly on?: Readonly<Record<string, Row | readonly Row[]>>
  readonly always?: Row | readonly Row[]
  readonly after?: Readonly<Record<string, Row>>
  readonly states?: Readonly<Record<string, State>>
}

/** A part of the machine: a region and what its names mean. */
export interface Part {
  readonly region: State
  readonly actions: Actions
  readonly guards: Guards
  readonly delays: Delays
}

export function meta(owner: string, reason: string, unblocks: string): State['meta'] {
  return { owner, reason, unblocks }
}

export function is<T extends ProjectEvent['type']>(event: ProjectEvent, type: T): event is EventOf<ProjectEvent, T> {
  return event.type === type
}
