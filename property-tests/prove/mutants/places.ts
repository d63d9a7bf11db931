/** Where in the tables a step was decided: states with their events, timers, and what was entered and left. */
import { getInitialSnapshot } from 'xstate'
import { allMachines } from '../../../machines/registry.ts'
import { kindOf, type Moment } from '../../machines/world/trace.ts'

/** Every state of a snapshot, inner ones too: `alive.busy` is `alive` as well. */
function statesIn(value: unknown, path: string): readonly string[] {
  if (typeof value === 'string') return [path, path === '' ? value : `${path}.${value}`]
  return [
    path,
    ...Object.entries(value as Record<string, unknown>).flatMap(([name, inner]) =>
      statesIn(inner, path === '' ? name : `${path}.${name}`),
    ),
  ]
}

export function placesOf(moment: Moment): readonly string[] {
  if (moment.kind !== 'stepped') return []
  const { actor, before, after, event, timers } = moment
  const kind = kindOf(actor)
  const named = (value: unknown): readonly string[] =>
    statesIn(value, '').map((path) => (path === '' ? kind : `${kind}.${path}`))
  const from = named(before ? before.value : beginningOf(kind))
  const delay = delayOf(event.type)
  return [
    ...from.map((path) => (delay === undefined ? `${path} on ${event.type}` : `${path} after ${delay}`)),
    ...named(after.value),
    ...from,
    ...leftIn(from, named(after.value)),
    ...movedIn(from, named(after.value)),
    ...timers.map((id) => `${kind} arms ${delayOf(id)}`),
  ]
}

const regions = /^(issueScan|brainstorm|documentation|upgrade|budget)$/

/** `xstate.after.<delay>.<state>`; a delay of one region of several has its name before it. */
function delayOf(type: string): string | undefined {
  if (!type.startsWith('xstate.after.')) return undefined
  const [, , name = '', second = ''] = type.split('.')
  return regions.test(name) ? `${name}.${second}` : name
}

const beginnings = new Map<string, unknown>()

/** Where a machine is before its first event. */
function beginningOf(kind: string): unknown {
  if (!beginnings.has(kind)) {
    const { machine } = allMachines.find((one) => one.kind === kind)!
    beginnings.set(kind, getInitialSnapshot(machine, { id: 'default/x' }).value)
  }
  return beginnings.get(kind)
}

/** Where a row without an event may have been taken. */
function leftIn(from: readonly string[], to: readonly string[]): readonly string[] {
  return from.filter((path) => !to.includes(path)).map((path) => `${path} always`)
}

/** Where a state may have been passed that nobody rests in. */
function movedIn(from: readonly string[], to: readonly string[]): readonly string[] {
  return from.filter((path) => !to.includes(path)).map((path) => `${outerOf(path)} moves`)
}

function outerOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('.')))
}

/**
 * A place and where a mutant of it may show as well: a row without an event also where its state is entered, or passed,
 * and what is done on entry where nobody rests in the state.
 */
export function aroundOf(place: string): readonly string[] {
  if (!place.includes(' ')) return [place, `${outerOf(place)} moves`]
  const state = place.replace(/ (always|on |after ).*$/, '').replace(/ (entry|exit)$/, '')
  if (!place.endsWith(' always')) return [place]
  return [place, state, outerOf(state), `${outerOf(state)} moves`]
}
