/** Where in the tables a step was decided: states with their events, timers, and what was entered and left. */
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
  const from = before ? named(before.value) : [kind]
  const [, delay] = /^xstate\.after\.([^.]+)\./.exec(event.type) ?? []
  return [
    ...from.map((path) => (delay === undefined ? `${path} on ${event.type}` : `${path} after ${delay}`)),
    ...named(after.value),
    ...from,
    ...leftIn(from, named(after.value)),
    ...timers.map((id) => `${kind} arms ${id.split('.')[2]}`),
  ]
}

/** Where a row without an event may have been taken. */
function leftIn(from: readonly string[], to: readonly string[]): readonly string[] {
  return from.filter((path) => !to.includes(path)).map((path) => `${path} always`)
}
