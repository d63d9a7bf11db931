/**
 * Folds the events of a bundle by the machines of this code and says where they first decide otherwise (R11): what
 * `import` and the fixtures do. Each baseline starts a segment, since other code went on from there: its snapshot is
 * upgraded where it is older (R10).
 */
import type { JsonObject, MachineEvent } from '../../../machines/definition.ts'
import { messageOf } from '../../errors.ts'
import { persistedOf } from '../../step/live-machine.ts'
import type { Known } from '../restore.ts'
import { readSnapshot, step } from '../../step/step.ts'
import type { Step, StepOutcome } from '../../step/step.ts'
import { samePath } from '../../step/state-path.ts'
import { upgradeSnapshot } from '../../step/upgrade.ts'
import { firstDifference } from './difference.ts'
import type { ActorBundle, BundledEvent, BundledSnapshot } from './schema.ts'

export interface Folded {
  /** Events that were stepped. */
  readonly steps: number
  /** By sequence number: what this code makes of each event; faults of the journal are not stepped. */
  readonly made: ReadonlyMap<number, Step>
  readonly last: Step | undefined
  readonly difference?: string
}

type Foldable = Pick<ActorBundle, 'address' | 'baselines' | 'snapshot' | 'events'>

/** Where a step differs from what the journal says of it. */
type CompareStep = (row: BundledEvent, made: Step) => string | undefined

export function foldBundle(known: Known, bundle: Foldable, compare: CompareStep = everything): Folded {
  const fold = new Fold(known, bundle, compare)
  try {
    fold.run()
  } catch (error) {
    return fold.result(messageOf(error))
  }
  return fold.result()
}

function everything(row: BundledEvent, made: Step): string | undefined {
  return statesDiffer(row, made) ?? firstDifference(row.effects, made.effects, 'effects')
}

function statesDiffer(row: BundledEvent, made: Step): string | undefined {
  return samePath(row.path, made.path) ? undefined : firstDifference(row.path, made.path, 'state')
}

/** What was decided, whatever texts said: for a journal whose texts are masked. */
export function sameDecisions(row: BundledEvent, made: Step): string | undefined {
  return (
    statesDiffer(row, made) ??
    firstDifference(decided(row as Pick<Step, 'handled' | 'effects'>), decided(made), 'decision')
  )
}

function decided({ handled, effects }: Pick<Step, 'handled' | 'effects'>): object {
  return { handled, effects: effects.map(({ type, params }) => [type, params['to'], params['status']]) }
}

class Fold {
  readonly #known: Known
  readonly #compare: CompareStep
  readonly #bundle: Foldable
  readonly #input: { readonly id: string }
  readonly #made = new Map<number, Step>()
  #current: Step | undefined

  constructor(known: Known, bundle: Foldable, compare: CompareStep) {
    this.#known = known
    this.#compare = compare
    this.#bundle = bundle
    this.#input = { id: bundle.address.slice(bundle.address.indexOf(':') + 1) }
  }

  result(difference?: string): Folded {
    const { size: steps } = this.#made
    return { steps, made: this.#made, last: this.#current, ...(difference === undefined ? {} : { difference }) }
  }

  run(): void {
    const { baselines, snapshot, events } = this.#bundle
    const first = events[0]?.seq ?? Infinity
    if (first > 1) this.#start(groundOf(this.#bundle, first))
    for (const row of events) {
      this.#event(row)
      if (snapshot?.seq === row.seq) this.#compareSnapshot(snapshot)
      for (const baseline of baselines) if (baseline.seq === row.seq) this.#start(baseline)
    }
  }

  #start(ground: BundledSnapshot): void {
    const { definition } = this.#known
    const upgraded = upgradeSnapshot(definition, ground.snapshot as JsonObject, ground.version)
    this.#current = loaded(readSnapshot(definition, upgraded), ground.seq)
  }

  #event(row: BundledEvent): void {
    if (row.fault !== null) return
    const { definition } = this.#known
    const next = loaded(step(definition, this.#current?.snapshot, row.event as MachineEvent, this.#input), row.seq)
    const difference = this.#compare(row, next)
    if (difference !== undefined) throw new Error(`event ${row.seq}, ${row.event.type}: ${difference}`)
    this.#current = next
    this.#made.set(row.seq, next)
  }

  /** A snapshot by other code may say more or less than this code does: then states and effects are compared, no context. */
  #compareSnapshot({ seq, machineHash, snapshot }: BundledSnapshot): void {
    if (machineHash !== this.#known.hash || this.#compare !== everything) return
    const reached = this.#current && persistedOf(this.#current.snapshot)
    const difference = firstDifference(snapshot, reached, 'snapshot')
    if (difference !== undefined) throw new Error(`after event ${seq}: ${difference}`)
  }
}

/** What the first event that is left was stepped from. */
function groundOf({ baselines, snapshot }: Foldable, first: number): BundledSnapshot {
  const ground =
    baselines.findLast(({ seq }) => seq < first) ?? (snapshot && snapshot.seq < first ? snapshot : undefined)
  if (!ground) throw new Error(`nothing says what the actor was before event ${first}`)
  if (ground.seq !== first - 1 && first !== Infinity)
    throw new Error(`events ${ground.seq + 1} to ${first - 1} are missing`)
  return ground
}

function loaded(outcome: StepOutcome, seq: number): Step {
  if (outcome.fault) throw new Error(`at ${seq}: ${outcome.message}`)
  return outcome
}
