/**
 * Every state of one machine that it comes to when it is told anything at any time, breadth first; of each combination
 * of leaf states only so many, so that deep ones are met too. Each step is judged by its row.
 */
import type { ActorKind, MachineDefinition, MachineEvent } from '../../../machines/definition.ts'
import { leavesOf } from '../rows/draft.ts'
import type { StateKeys } from '../state-key.ts'
import { alphabets, type Told } from './alphabet.ts'
import { stepOf, type Resting, type Step } from './steps.ts'

const beginning = 1_800_000_000_000
const second = 1000
const longNight = 30 * 3_600_000
/** What waits ages, and days end. */
const ageing: ReadonlySet<ActorKind> = new Set(['queue', 'ledger', 'project'])

/** A Project is seven regions that know nothing of each other: a state counts by its leaves, each for itself. */
const apart: ReadonlySet<ActorKind> = new Set(['project'])

export interface Life {
  readonly kind: ActorKind
  readonly states: number
  readonly steps: number
}

/** States that are kept for each combination of leaf states: many of machines of few states. */
const kept: Partial<Readonly<Record<ActorKind, number>>> = {
  task: 2,
  pod: 8,
  turn: 8,
  queue: 20,
  ledger: 100,
  issue: 50,
  'merge-request': 50,
  project: 4,
}

class Quota {
  readonly #counts = new Map<string, number>()
  readonly #kind: ActorKind
  readonly #most: number

  constructor(kind: ActorKind, times: number) {
    this.#kind = kind
    this.#most = (kept[kind] ?? 1) * times
  }

  takes(leaves: readonly string[]): boolean {
    const names = apart.has(this.#kind) ? leaves : [leaves.join(' ')]
    if (names.every((name) => (this.#counts.get(name) ?? 0) >= this.#most)) return false
    for (const name of names) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
    return true
  }
}

function eventsAt({ kind }: MachineDefinition, { snapshot, timers, at }: Resting): readonly MachineEvent[] {
  const { births, words } = alphabets[kind]!
  const told: readonly Told[] = snapshot ? words(snapshot.context as object) : births
  const now = told.map((one): MachineEvent => ({ ...one, at: at + second }))
  const late = snapshot && ageing.has(kind) ? told.slice(0, 6).map((one) => ({ ...one, at: at + longNight })) : []
  return [...now, ...late, ...timers.map(({ event, delayMs }) => ({ ...event, at: at + Math.max(second, delayMs) }))]
}

export function live(
  definition: MachineDefinition,
  keys: StateKeys,
  onStep: (step: Step, from: Resting) => void,
  times = 1,
): Life {
  const { kind } = definition
  const { id } = alphabets[kind]!
  const seen = new Set<string>()
  const quota = new Quota(kind, times)
  const waiting: Resting[] = [{ snapshot: undefined, timers: [], at: beginning }]
  let steps = 0
  for (let from = waiting.shift(); from; from = waiting.shift())
    for (const event of eventsAt(definition, from)) {
      const step = stepOf(definition, id, from, event)
      steps += 1
      onStep(step, from)
      if (step.after.status === 'done') continue
      const name = `${keys.ofActor(step.actor, step.after)} ${step.timers.toSorted().join(' ')}`
      if (seen.has(name) || !quota.takes(leavesOf(step.after.value))) continue
      seen.add(name)
      waiting.push(step.left)
    }
  return { kind, states: seen.size, steps }
}
