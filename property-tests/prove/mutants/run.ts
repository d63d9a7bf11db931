/** Every mutant of the registry, one at a time, from where it first makes a difference. */
import type { Effect } from '../../../runtime/runtime.ts'
import { kindOf, type Moment } from '../../machines/world/trace.ts'
import type { Changed } from '../../machines/world/world.ts'
import type { Bounds } from '../explore.ts'
import { newMemory, prove } from '../prove.ts'
import { worlds, type ProvedWorld } from '../worlds.ts'
import { countNoMore, dropped, passed, points, turnOn } from './points.ts'
import { sameAgain, tableMutants } from './table.ts'

export interface Mutant {
  readonly machine: string
  readonly name: string
  readonly sort: 'guard' | 'target' | 'action' | 'timer' | 'conjunct' | 'effect'
  /** Where it makes a difference: a state with its event, or a switch in the sources. */
  readonly place: string
  readonly point?: number
  readonly changed: () => Changed
}

/** `threw`: an exception is no counterexample, so nobody killed it. `unreached`: no world ever came to its place. */
export type Fate = 'killed' | 'survived' | 'threw' | 'unreached'

export interface Judged {
  readonly machine: string
  readonly name: string
  readonly sort: Mutant['sort']
  readonly fate: Fate
  readonly law?: number
  readonly what?: string
  readonly world?: string
}

function withoutDropped(_actor: unknown, effects: readonly Effect[]): readonly Effect[] {
  return effects.filter(({ type }) => type !== dropped.type)
}

/** A rule belongs to no machine alone. */
function machineOf(path: string): string {
  const [, folder = ''] = path.split('/')
  return folder
}

function sourceMutants(): readonly Mutant[] {
  const seen = new Map<string, number>()
  return points.map(({ path, line, sort, text }, point) => {
    const name = `${path}:${line} ${sort} ${text.length > 80 ? `${text.slice(0, 80)}...` : text}`
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    const machine = machineOf(path)
    return {
      machine,
      name: count === 1 ? name : `${name} (${count})`,
      sort,
      place: `point ${point}`,
      point,
      changed: () => ({ tamper: withoutDropped, definitions: sameAgain(machine) }),
    }
  })
}

export function allMutants(): readonly Mutant[] {
  const ofTables = tableMutants().map(({ definitions, ...mutant }) => ({
    ...mutant,
    changed: () => ({ definitions: definitions() }),
  }))
  return [...ofTables, ...sourceMutants()]
}

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

function placesOf(moment: Moment): readonly string[] {
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

interface Start {
  readonly world: ProvedWorld
  readonly prefix: readonly string[]
}

/** A place is tried from this many worlds that come to it, by the shortest ways. */
const mostStarts = 3

/** Ways of the real machines to each place: from the move before it, mutants go on. */
class Places {
  readonly #starts = new Map<string, readonly Start[]>()

  explore(states: number): void {
    const memory = newMemory()
    passed()
    for (const world of worlds)
      prove(
        world,
        { deviations: 1, states, milliseconds: 60_000 },
        {
          now: () => 0,
          onMove: (moments, path) => {
            for (const moment of moments) for (const place of placesOf(moment)) this.#know(place, world, path)
            for (const point of passed()) this.#know(`point ${point}`, world, path)
          },
        },
        {},
        memory,
      )
    countNoMore()
  }

  #know(place: string, world: ProvedWorld, path: () => readonly string[]): void {
    const known = this.#starts.get(place) ?? []
    if (known.length >= mostStarts || known.some((start) => start.world === world)) return
    this.#starts.set(place, [...known, { world, prefix: path().slice(0, -1) }])
  }

  startsOf(place: string): readonly Start[] {
    return this.#starts.get(place) ?? []
  }
}

export class Runner {
  readonly #places = new Places()
  readonly #memory = newMemory()
  readonly #bounds: Bounds

  /** `states`: for each of the searches that a mutant is given. */
  constructor(states: number, explored: number) {
    this.#bounds = { deviations: 1, states, milliseconds: 60_000 }
    this.#places.explore(explored)
  }

  judge({ machine, name, sort, place, point, changed }: Mutant): Judged {
    const all = this.#places.startsOf(place)
    const starts = all.length > 0 ? all : this.#places.startsOf(place.replace(/ always$/, ''))
    if (starts.length === 0) return { machine, name, sort, fate: 'unreached' }
    turnOn(point ?? -1)
    try {
      return { machine, name, sort, ...this.#fate(starts, changed()) }
    } finally {
      turnOn(-1)
    }
  }

  #fate(starts: readonly Start[], changed: Changed): Pick<Judged, 'fate' | 'law' | 'what' | 'world'> {
    let hasThrown = false
    for (const { world, prefix } of starts) {
      const around = { now: () => 0, stopsAtFirst: true, prefix }
      const found = attempt(() => prove(world, this.#bounds, around, changed, this.#memory).breaches)
      if (found === 'threw') hasThrown = true
      else if (found[0]) return { fate: 'killed', law: found[0].law, what: found[0].what, world: world.name }
    }
    return { fate: hasThrown ? 'threw' : 'survived' }
  }
}

function attempt<T>(act: () => T): T | 'threw' {
  try {
    return act()
  } catch {
    return 'threw'
  }
}
