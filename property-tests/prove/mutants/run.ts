/** Every mutant of the registry, one at a time, from where it first makes a difference. */
import type { ActorKind } from '../../../machines/definition.ts'
import { allMachines } from '../../../machines/registry.ts'
import type { Effect } from '../../../runtime/runtime.ts'
import type { Changed } from '../../machines/world/world.ts'
import type { Bounds } from '../explore.ts'
import { newMemory, prove } from '../prove.ts'
import { isEndless } from '../alone/rest.ts'
import { againstItsRow } from '../rows/judge.ts'
import { againstTheirRows } from '../rows/rules.ts'
import { misarmed } from '../times.ts'
import type { LawName } from '../world-model.ts'
import { worlds, type ProvedWorld } from '../worlds.ts'
import { Corpus, retake, textOf } from './corpus.ts'
import { placesOf } from './places.ts'
import { countNoMore, decided, dropped, points, turnOn } from './points.ts'
import { reasonFor } from './survivors.ts'
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

/** `threw`: an exception is no counterexample, so nobody killed it. `unreached`: no step ever came to its place. */
export type Fate = 'killed' | 'survived' | 'threw' | 'unreached'

export interface Judged {
  readonly machine: string
  readonly name: string
  readonly sort: Mutant['sort']
  readonly fate: Fate
  /** `rows`: a step is not the one that its row says. `rest`: it has no end. */
  readonly law?: LawName
  readonly what?: string
  readonly world?: string
}

function withoutDropped(_actor: unknown, effects: readonly Effect[]): readonly Effect[] {
  return effects.filter(({ type }) => type !== dropped.type)
}

/** A rule belongs to no machine alone. Names hold no lines: the list of survivors goes by them. */
function machineOf(path: string): string {
  const [, folder = ''] = path.split('/')
  return folder
}

function sourceMutants(): readonly Mutant[] {
  const seen = new Map<string, number>()
  return points.map(({ path, sort, text }, point) => {
    const name = `${path} ${sort} ${text.length > 80 ? `${text.slice(0, 80)}...` : text}`
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

interface Start {
  readonly world: ProvedWorld
  readonly prefix: readonly string[]
}

/** A place is tried from this many worlds that come to it, by the shortest ways. */
const mostStarts = 3

/** Ways of the real machines to each place in the worlds: from the move before it, mutants go on. */
class Places {
  readonly #starts = new Map<string, readonly Start[]>()

  explore(states: number): void {
    const memory = newMemory()
    decided()
    for (const world of worlds)
      prove(
        world,
        { deviations: 1, states, milliseconds: 60_000 },
        {
          now: () => 0,
          onMove: (moments, path) => {
            for (const moment of moments) for (const place of placesOf(moment)) this.#know(place, world, path)
            for (const point of decided()) this.#know(`point ${point}`, world, path)
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

export interface Effort {
  /** States that each search in a world is given; 0: no world is looked at. */
  readonly states: number
  /** States of each world that ways to places are looked for in. */
  readonly explored: number
  /** How many states of each sort a machine alone is met in. */
  readonly times: number
}

type Verdict = Pick<Judged, 'fate' | 'law' | 'what' | 'world'>

/** First its steps alone are held to their rows and deadlines; what differs in none of them lives on in the worlds. */
export class Runner {
  readonly #corpus = new Corpus()
  readonly #memory = newMemory()
  readonly #effort: Effort
  #places: Places | undefined

  constructor(mutants: readonly Mutant[], effort: Effort) {
    this.#effort = effort
    this.#corpus.explore(new Set(mutants.map(({ machine }) => machine as ActorKind)), effort.times)
  }

  get steps(): number {
    return this.#corpus.steps
  }

  judge(mutant: Mutant): Judged {
    const { machine, name, sort, point, changed } = mutant
    turnOn(point ?? -1)
    try {
      const alone = machine === 'rules' ? ofRules() : this.#alone(mutant, changed())
      const isSettled = alone.fate === 'killed' || reasonFor(mutant) !== undefined
      if (isSettled || this.#effort.states === 0) return { machine, name, sort, ...alone }
      const found = this.#inWorlds(mutant, changed())
      return { machine, name, sort, ...(found.fate === 'unreached' ? alone : found) }
    } finally {
      turnOn(-1)
    }
  }

  #alone({ place, point }: Mutant, { definitions = allMachines }: Changed): Verdict {
    let fate: Fate = 'unreached'
    for (const known of this.#corpus.stepsAt(place)) {
      turnOn(-1)
      const real = this.#corpus.real(known)
      turnOn(point ?? -1)
      const step = attempt(() => retake(known, definitions))
      if (step === 'endless') return { fate: 'killed', law: 'rest', what: `${known.kind} on ${known.event.type}` }
      if (step === 'threw') fate = 'threw'
      else {
        if (fate === 'unreached') fate = 'survived'
        if (textOf(step) === real) continue
        turnOn(-1)
        const [row] = againstItsRow(step)
        if (row !== undefined) return { fate: 'killed', law: 'rows', what: row }
        const [late] = misarmed(step.actor, step.armed)
        if (late !== undefined) return { fate: 'killed', law: 14, what: late }
      }
    }
    return { fate }
  }

  #inWorlds({ place, point }: Mutant, changed: Changed): Verdict {
    turnOn(-1)
    const places = (this.#places ??= explored(this.#effort.explored))
    turnOn(point ?? -1)
    const all = places.startsOf(place)
    const starts = all.length > 0 ? all : places.startsOf(place.replace(/ always$/, ''))
    if (starts.length === 0) return { fate: 'unreached' }
    const bounds: Bounds = { deviations: 1, states: this.#effort.states, milliseconds: 60_000 }
    let hasThrown = false
    for (const { world, prefix } of starts) {
      const around = { now: () => 0, stopsAtFirst: true, prefix }
      const found = attempt(() => prove(world, bounds, around, changed, this.#memory).breaches)
      if (found === 'endless') return { fate: 'killed', law: 'rest', what: 'a step has no end', world: world.name }
      if (found === 'threw') hasThrown = true
      else if (found[0]) return { fate: 'killed', law: found[0].law, what: found[0].what, world: world.name }
    }
    return { fate: hasThrown ? 'threw' : 'survived' }
  }
}

/** A rule that all machines share is no machine's step: it has rows of its own. */
function ofRules(): Verdict {
  const broken = attempt(againstTheirRows)
  if (typeof broken === 'string') return { fate: 'threw' }
  return broken[0] === undefined ? { fate: 'survived' } : { fate: 'killed', law: 'rows', what: broken[0] }
}

function explored(states: number): Places {
  const places = new Places()
  places.explore(states)
  return places
}

function attempt<T>(act: () => T): T | 'endless' | 'threw' {
  try {
    return act()
  } catch (error) {
    return isEndless(error) ? 'endless' : 'threw'
  }
}
