/** Builds a machine that differs from a real one in a few rows of its table. */
import { assign, createMachine, type AnyStateMachine } from 'xstate'
import type { ActorKind, MachineDefinition } from '../../machines/definition.ts'
import { machines } from '../../machines/registry.ts'

/** A part of a machine's configuration: plain objects, and functions that stay what they are. */
export interface Part {
  [key: string]: unknown
}

/** All machines, the one of `kind` with its table changed. */
export function withTable(kind: ActorKind, change: (table: Part) => void): readonly MachineDefinition[] {
  return machines.map((definition) =>
    definition.kind === kind ? { ...definition, machine: changed(definition.machine, change) } : definition,
  )
}

function changed(machine: AnyStateMachine, change: (table: Part) => void): AnyStateMachine {
  const table = copy(machine.config) as Part
  change(table)
  return createMachine(table as never).provide(machine.implementations as never)
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)]))
}

/** The state at the path; a path that is no longer there is a mutant that changes nothing. */
export function state(table: Part, path: string): Part {
  return path.split('.').reduce((part, name) => {
    const inner = (part['states'] as Part | undefined)?.[name]
    if (inner === undefined) throw new Error(`no state ${name} in ${path}`)
    return inner as Part
  }, table)
}

export function rowsOn(part: Part, event: string): Part[] {
  const rows = (part['on'] as Part | undefined)?.[event]
  if (rows === undefined) throw new Error(`no row for ${event}`)
  return (Array.isArray(rows) ? rows : [rows]) as Part[]
}

export function setRows(part: Part, event: string, rows: readonly object[]): void {
  part['on'] = { ...(part['on'] as Part | undefined), [event]: rows }
}

export function dropRows(part: Part, event: string): void {
  setRows(part, event, [{}])
}

/** An action that sets these fields of one part of the context. */
export function setsIn(part: string, fields: object): unknown {
  return assign({ [part]: ({ context }: Told) => ({ ...context[part], ...fields }) } as never)
}

interface Told {
  readonly context: Readonly<Record<string, object>>
}

/** After what a row does already. */
export function alsoDo(rows: readonly Part[], action: unknown): void {
  for (const row of rows) row['actions'] = [...[row['actions'] ?? []].flat(), action]
}
