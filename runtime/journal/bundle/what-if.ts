/**
 * What the tables of this code would have made of a recorded journal: every event is folded, also behind the first one
 * that is decided otherwise. From there on the journal is what a world did that had heard other decisions, so the end
 * is what these events lead to, and the first difference is what to look at.
 */
import type { Known } from '../restore.ts'
import { samePath } from '../../step/state-path.ts'
import type { Step } from '../../step/step.ts'
import { foldBundle } from './fold.ts'
import type { ActorBundle, BundledEvent } from './schema.ts'

interface Turn {
  readonly seq: number
  readonly event: string
  readonly recorded: string
  readonly decided: string
}

export interface WhatIf {
  readonly address: string
  readonly steps: number
  /** The first event that leads to another state. */
  readonly first?: Turn
  readonly recordedEnd: string
  readonly decidedEnd: string
  readonly endsDifferently: boolean
  /** This code cannot fold the journal to its end, and why. */
  readonly fault?: string
}

type Foldable = Pick<ActorBundle, 'address' | 'path' | 'baselines' | 'snapshot' | 'events'>

export function whatIf(known: Known, bundle: Foldable): WhatIf {
  const { address, path: recordedEnd, events } = bundle
  let first: Turn | undefined
  const compare = (row: BundledEvent, made: Step): undefined => {
    if (first === undefined && !samePath(row.path, made.path))
      first = { seq: row.seq, event: row.event.type, recorded: row.path, decided: made.path }
  }
  const { steps, last, difference } = foldBundle(known, withoutLaterGround(bundle), compare)
  const decidedEnd = last?.path ?? recordedEnd
  const endsDifferently = difference !== undefined || (events.length > 0 && !samePath(recordedEnd, decidedEnd))
  return {
    address,
    steps,
    ...(first === undefined ? {} : { first }),
    recordedEnd,
    decidedEnd,
    endsDifferently,
    ...(difference === undefined ? {} : { fault: difference }),
  }
}

/** Where other code went on from its own snapshot, this code goes on from what it decided itself. */
function withoutLaterGround(bundle: Foldable): Foldable {
  const begins = bundle.events[0]?.seq ?? Infinity
  return { ...bundle, baselines: bundle.baselines.filter(({ seq }) => seq < begins) }
}
