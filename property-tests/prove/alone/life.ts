/**
 * What one machine comes to when it is told anything at any time, breadth first: of each sort of state only so many, so
 * that deep ones are met too.
 */
import type { ActorKind, MachineDefinition, MachineEvent } from '../../../machines/definition.ts'
import { leavesOf } from '../rows/draft.ts'
import type { StateKeys } from '../state-key.ts'
import { alphabets } from './alphabet.ts'
import type { TimelessEvent, Walk } from './walk.ts'
import { mostOf, sortsOf } from './sorts.ts'
import { isEndless, resting } from './rest.ts'
import { inMachine, stepOf, type Resting, type Step } from './steps.ts'

const beginning = 1_800_000_000_000
const second = 1000
const longNight = 30 * 3_600_000
/** What waits ages, and days end. */
const ageing: ReadonlySet<ActorKind> = new Set(['queue', 'ledger', 'model-key', 'memory', 'memory-stack', 'project'])

/** Their counts decide, and a key of the worlds takes a count for a name. */
const counting: ReadonlySet<ActorKind> = new Set(['ingest-job'])

export interface Life {
  readonly kind: ActorKind
  readonly states: number
  readonly steps: number
}

/** States that are kept of each sort (`sorts.ts`). */
class Quota {
  readonly #counts = new Map<string, number>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  takes(sorts: readonly string[]): boolean {
    if (sorts.every((sort) => (this.#counts.get(sort) ?? 0) >= this.#most)) return false
    for (const sort of sorts) this.#counts.set(sort, (this.#counts.get(sort) ?? 0) + 1)
    return true
  }
}

interface Beginnings {
  /** How many states of each sort are kept: so many times those of an ordinary life. */
  readonly times?: number
  /** At most so many steps beyond its walks, oldest and newest states by turns: what takes many steps to come to is met as well. */
  readonly most?: number
  /** States that were met elsewhere, to go on from. */
  readonly from?: readonly Resting[]
}

function eventsAt({ kind }: MachineDefinition, { snapshot, timers, at }: Resting): readonly MachineEvent[] {
  const { births, words } = alphabets[kind]
  const told: readonly TimelessEvent[] = snapshot ? words(snapshot.context as object) : births
  const now = told.map((one): MachineEvent => ({ ...one, at: at + second }))
  const late = snapshot && ageing.has(kind) ? told.slice(0, 6).map((one) => ({ ...one, at: at + longNight })) : []
  return [...now, ...late, ...timers.map(({ event, delayMs }) => ({ ...event, at: at + Math.max(second, delayMs) }))]
}

/** By the law of rest: a step that breaks it has no end to look at. */
function taken(definition: MachineDefinition, id: string, from: Resting, event: MachineEvent): Step {
  try {
    return stepOf(definition, id, from, event)
  } catch (error) {
    if (!isEndless(error)) throw error
    const where = from.snapshot ? leavesOf(from.snapshot.value).join(' and ') : 'its beginning'
    throw new Error(`${definition.kind} at ${where} on ${event.type}: it never comes to rest`, { cause: error })
  }
}

/** The states on a walk. */
export function walked(
  definition: MachineDefinition,
  { way }: Walk,
  onStep: (step: Step, from: Resting) => void = () => {},
): readonly Resting[] {
  const { id } = alphabets[definition.kind]
  let from: Resting = { snapshot: undefined, timers: [], at: beginning }
  return way.map((word) => {
    const step = taken(definition, id, from, toldOf(word(from.snapshot?.context ?? {}), from))
    onStep(step, from)
    from = step.left
    return from
  })
}

function toldOf(told: TimelessEvent, { timers, at }: Resting): MachineEvent {
  if (told.type !== 'timer') return { ...told, at: at + second }
  const { event, delayMs } = timers.find(({ id }) => id.startsWith(`xstate.after.${String(told['name'])}.`))!
  return { ...event, at: at + Math.max(second, delayMs) }
}

export function live(
  real: MachineDefinition,
  keys: StateKeys,
  onStep: (step: Step, from: Resting) => void,
  { times = 1, most = Infinity, from: met = [] }: Beginnings = {},
): Life {
  const definition = resting(real)
  const { kind } = definition
  const { id } = alphabets[kind]
  const seen = new Set<string>()
  const quota = new Quota(mostOf(kind) * times)
  const waiting: Resting[] = [{ snapshot: undefined, timers: [], at: beginning }]
  const meet = (one: Resting): void => {
    if (!one.snapshot || one.snapshot.status === 'done') return
    const sorts = counting.has(kind) ? sortsOf(kind, one.snapshot) : []
    const timers = one.timers.map((timer) => timer.id).toSorted()
    const name = [keys.ofActor(`${kind}:${id}`, one.snapshot), ...timers, ...sorts].join(' ')
    if (seen.has(name) || !quota.takes(sortsOf(kind, one.snapshot))) return
    seen.add(name)
    waiting.push(one)
  }
  const expand = (from: Resting): number => {
    const events = eventsAt(definition, from)
    for (const event of events) {
      const step = taken(definition, id, from, event)
      onStep(step, from)
      meet(step.left)
    }
    return events.length
  }
  let steps = 0
  for (const one of met) meet(inMachine(definition, one))
  for (const walk of alphabets[kind].walks ?? []) steps += expand(walked(definition, walk, onStep).at(-1)!)
  const next = (): Resting | undefined =>
    most < Infinity && waiting.length % 2 === 0 ? waiting.pop() : waiting.shift()
  const last = steps + most
  for (let from = next(); from && steps < last; from = next()) steps += expand(from)
  return { kind, states: seen.size, steps }
}
