/** One change to one row of a table, for every row of every machine of the registry. */
import type { AnyStateMachine } from 'xstate'
import type { MachineDefinition } from '../../../machines/definition.ts'
import { allMachines } from '../../../machines/registry.ts'
import { resting } from '../alone/rest.ts'

export interface TableMutant {
  readonly machine: string
  readonly name: string
  readonly sort: 'guard' | 'target' | 'action' | 'timer'
  /** Where it makes a difference: the state, and the event that its row is for. */
  readonly place: string
  /** All machines, this one changed. */
  readonly definitions: () => readonly MachineDefinition[]
}

interface Part {
  [key: string]: unknown
}

type Change = (table: Part) => void

interface Found {
  readonly name: string
  readonly place: string
  readonly sort: TableMutant['sort']
  readonly change: Change
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)]))
}

function at(table: Part, path: readonly (string | number)[]): Part {
  return path.reduce<Part>((part, key) => part[key] as Part, table)
}

type Guards = Readonly<Record<string, (args: never, params: never) => boolean>>

/** A guard is a function, a name, or nothing. */
function negated(guard: unknown, guards: Guards): unknown {
  const holds = typeof guard === 'string' ? guards[guard] : (guard as Guards[string])
  return (args: never, params: never): boolean => !holds?.(args, params)
}

/** A row stands alone, in a list, or is only the name of its target. */
function rowsIn(rows: unknown): readonly { readonly path: readonly (string | number)[]; readonly row: Part }[] {
  if (Array.isArray(rows))
    return rows.map((row: unknown, index) => ({
      path: [index],
      row: typeof row === 'string' ? { target: row } : (row as Part),
    }))
  return [{ path: [], row: typeof rows === 'string' ? { target: rows } : ((rows ?? {}) as Part) }]
}

function inRow(
  name: string,
  place: string,
  path: readonly (string | number)[],
  row: Part,
  guards: Guards,
): readonly Found[] {
  const found: Found[] = []
  const set = (sort: Found['sort'], says: string, key: string, value: unknown): void => {
    const change = (table: Part): void => {
      const parent = at(table, path.slice(0, -1))
      parent[path.at(-1)!] = { ...row, [key]: value }
    }
    found.push({ name: `${name}: ${says}`, place, sort, change })
  }
  if (row['guard'] !== undefined) {
    set('guard', 'guard negated', 'guard', negated(row['guard'], guards))
    set('guard', 'guard true', 'guard', undefined)
    set('guard', 'guard false', 'guard', () => false)
  }
  if (row['target'] !== undefined) set('target', `target ${String(row['target'])} dropped`, 'target', undefined)
  const actions = [row['actions'] ?? []].flat()
  for (const index of actions.keys()) set('action', `action ${index} dropped`, 'actions', actions.toSpliced(index, 1))
  return found
}

function inRows(
  name: string,
  place: string,
  path: readonly (string | number)[],
  rows: unknown,
  guards: Guards,
): readonly Found[] {
  return rowsIn(rows).flatMap(({ path: inner, row }) =>
    inRow(`${name}${inner.length > 0 ? ` ${String(inner[0])}` : ''}`, place, [...path, ...inner], row, guards),
  )
}

function inActions(name: string, path: readonly string[], part: Part): readonly Found[] {
  return ['entry', 'exit'].flatMap((when) => {
    const actions = [part[when] ?? []].flat()
    return actions.map((_action, index) => ({
      name: `${name} ${when}: action ${index} dropped`,
      place: name,
      sort: 'action' as const,
      change: (table: Part): void => {
        at(table, path)[when] = actions.toSpliced(index, 1)
      },
    }))
  })
}

function inTimers(name: string, path: readonly string[], part: Part, guards: Guards): readonly Found[] {
  return Object.entries((part['after'] ?? {}) as Part).flatMap(([delay, rows]) => [
    ...inRows(`${name} after ${delay}`, `${name} after ${delay}`, [...path, 'after', delay], rows, guards),
    {
      name: `${name} after ${delay}: timer dropped`,
      place: name,
      sort: 'timer' as const,
      change: (table: Part): void => {
        delete (at(table, path)['after'] as Part)[delay]
      },
    },
  ])
}

function inState(name: string, path: readonly string[], part: Part, guards: Guards): readonly Found[] {
  const on = Object.entries((part['on'] ?? {}) as Part)
  const states = Object.entries((part['states'] ?? {}) as Record<string, Part>)
  return [
    ...inActions(name, path, part),
    ...on.flatMap(([event, rows]) =>
      inRows(`${name} on ${event}`, `${name} on ${event}`, [...path, 'on', event], rows, guards),
    ),
    ...(part['always'] === undefined
      ? []
      : inRows(`${name} always`, `${name} always`, [...path, 'always'], part['always'], guards)),
    ...inTimers(name, path, part, guards),
    ...states.flatMap(([inner, state]) => inState(`${name}.${inner}`, [...path, 'states', inner], state, guards)),
  ]
}

type Delay = number | ((args: never) => number)

function doubled(machine: AnyStateMachine, name: string): AnyStateMachine {
  const delay = (machine.implementations.delays as Record<string, Delay>)[name]!
  const twice = typeof delay === 'number' ? delay * 2 : (args: never): number => delay(args) * 2
  return machine.provide({ delays: { [name]: twice } } as never)
}

function instead(changed: MachineDefinition): readonly MachineDefinition[] {
  return allMachines.map((definition) => (definition.kind === changed.kind ? changed : definition))
}

/** Another machine that is the same: what it does is not remembered as the real one's. */
export function sameAgain(kind: string): readonly MachineDefinition[] {
  return allMachines.map((definition) =>
    kind === definition.kind || kind === 'rules' ? resting(definition) : definition,
  )
}

export function tableMutants(): readonly TableMutant[] {
  return allMachines.flatMap((definition) => {
    const { kind, machine } = definition
    const guards = machine.implementations.guards as Guards
    const rows = inState(kind, [], machine.config as Part, guards).map(({ name, place, sort, change }) => ({
      machine: kind,
      name,
      place,
      sort,
      definitions: () => {
        const table = copy(machine.config) as Part
        change(table)
        return instead(resting(definition, table))
      },
    }))
    const delays = Object.keys(machine.implementations.delays).map((name) => ({
      machine: kind,
      name: `${kind} delay ${name}: doubled`,
      place: `${kind} arms ${name}`,
      sort: 'timer' as const,
      definitions: () => instead(resting({ ...definition, machine: doubled(machine, name) })),
    }))
    return [...rows, ...delays]
  })
}
