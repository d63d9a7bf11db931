/** Steps of the real machines alone, by the place in the tables and sources where each is decided. */
import type { ActorKind, MachineDefinition } from '../../../machines/definition.ts'
import { allMachines } from '../../../machines/registry.ts'
import { alphabets } from '../alone/alphabet.ts'
import { live } from '../alone/life.ts'
import { metInWorlds } from '../alone/met.ts'
import { inMachine, stepOf, type Resting, type Step } from '../alone/steps.ts'
import { leavesOf } from '../rows/draft.ts'
import { StateKeys } from '../state-key.ts'
import { aroundOf, placesOf } from './places.ts'
import { countNoMore, decided } from './points.ts'

export interface Known {
  readonly kind: ActorKind
  readonly from: Resting
  readonly event: Step['event']
}

/** Of each sort of step at a place, and in all. Steps of a Task are many, and each takes ten times as long. */
const mostOfSort = { task: 6, others: 100 } as const
/** What a conjunct asks is seldom seen in what a step comes to. */
const mostOfSortAtPoint = 60
const mostAtPlace = 500

/** Of a Task alone: what comes later shows no mutant that these do not. */
const mostStepsOfTask = 20_000

export class Corpus {
  readonly #places = new Map<string, Map<string, Known[]>>()
  readonly #texts = new WeakMap<Known, string>()
  steps = 0

  explore(kinds: ReadonlySet<ActorKind>, times: number): void {
    const keys = new StateKeys()
    const met = metInWorlds()
    decided()
    for (const definition of allMachines) {
      if (!kinds.has(definition.kind)) continue
      const from = met.get(definition.kind) ?? []
      live(definition, keys, (step, at) => this.#keep(definition, step, at), {
        times,
        from,
        ...(definition.kind === 'task' ? { most: mostStepsOfTask } : {}),
      })
    }
    countNoMore()
  }

  #keep({ kind }: MachineDefinition, step: Step, from: Resting): void {
    this.steps += 1
    const known: Known = { kind, from, event: step.event }
    const sort = sortOf(step)
    for (const place of placesOf(step)) this.#know(place, place.endsWith(' moves') ? moveOf(step, place) : sort, known)
    for (const point of decided()) this.#know(`point ${point}`, sort, known)
  }

  #know(place: string, sort: string, known: Known): void {
    const sorts = this.#places.get(place) ?? new Map<string, Known[]>()
    this.#places.set(place, sorts)
    const all = sorts.get(sort) ?? []
    const ofTask = place.startsWith('point ') ? mostOfSortAtPoint : mostOfSort.task
    if (all.length >= (known.kind === 'task' ? ofTask : mostOfSort.others) || sorts.size > mostAtPlace) return
    all.push(known)
    sorts.set(sort, all)
  }

  stepsAt(place: string): readonly Known[] {
    return aroundOf(place).flatMap((one) => [...(this.#places.get(one)?.values() ?? [])].flat())
  }

  /** What the real machine does in such a step, as text. */
  real(known: Known): string {
    const text = this.#texts.get(known) ?? textOf(retake(known, allMachines))
    this.#texts.set(known, text)
    return text
  }
}

/** The same step by other machines. */
export function retake({ kind, from, event }: Known, definitions: readonly MachineDefinition[]): Step {
  const definition = definitions.find((one) => one.kind === kind)!
  return stepOf(definition, alphabets[kind].id, inMachine(definition, from), event, (effects) =>
    effects.filter(({ type }) => type !== 'mutant.dropped'),
  )
}

export function textOf({ after, effects, left }: Step): string {
  const timers = left.timers.map(({ id, delayMs }) => [id, delayMs])
  return JSON.stringify([after.value, after.status, after.context, effects, timers])
}

/** Steps that begin and end alike are of one sort. */
function sortOf({ before, after, event, effects }: Step): string {
  const asked = effects.map(({ type, params }) => (type === 'deliver' ? namesOf(params) : type))
  const moved = before ? changed(before.context as object, after.context as object) : ''
  const { stage } = (before?.context ?? {}) as { readonly stage?: { readonly reason?: string | null } }
  return [event.type, leavesOf(before?.value ?? ''), stage?.reason ?? '', leavesOf(after.value), asked, moved].join(' ')
}

/** What a state's inner ones did, whatever its neighbours did meanwhile. */
function moveOf({ before, after, event }: Step, place: string): string {
  const outer = place.slice(place.indexOf('.') + 1, -' moves'.length)
  const inner = (value: unknown): readonly string[] => leavesOf(value).filter((leaf) => leaf.startsWith(outer))
  return [event.type, inner(before?.value ?? ''), inner(after.value)].join(' ')
}

function namesOf(params: object): string {
  const { to, event } = params as { readonly to: string; readonly event: { readonly type: string } }
  return `${to.slice(0, to.indexOf(':'))} ${event.type}`
}

type Fields = Readonly<Record<string, unknown>>

/** A part of a Task's context is said by its own fields. */
function changed(before: object, after: object): string {
  return Object.entries(after as Fields)
    .filter(([name, value]) => name !== 'at' && (before as Fields)[name] !== value)
    .flatMap(([name, value]) =>
      isPart(name) ? [changed((before as Fields)[name] as object, value as object)] : [name],
    )
    .join(',')
}

function isPart(name: string): boolean {
  return ['stage', 'forge', 'pod', 'turn', 'journal'].includes(name)
}
