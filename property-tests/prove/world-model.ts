/** A world as the explorer sees it: how it begins, what may happen next, what holds, and what is asked of its future. */
import type { Actors } from '../machines/world/actors.ts'
import type { ActorKind } from '../../machines/definition.ts'
import { kindOf, type Moment, type Stepped } from '../machines/world/trace.ts'
import type { World } from '../machines/world/world.ts'
import type { History } from './history.ts'
import type { Past } from './past.ts'
import type { StateKeys } from './state-key.ts'

/** By its number in docs/laws.md; by a name where the tables say it and no law of theirs has a number. */
export type LawName = number | string

/** Whatever real machines live in, together with what surrounds them. */
export interface Living<W> {
  readonly actors: Actors
  readonly fork: () => W
}

export interface Move<W = World> {
  readonly says: string
  /** 0: what is next by itself. */
  readonly cost: 0 | 1
  readonly act: (world: W) => void
}

export interface Seen<W = World, G = History> {
  readonly moment: Moment
  readonly world: W
  /** Before the moment, and after it. */
  readonly past: G
  readonly history: G
}

/** Of a world, what a trace tells too: a law that asks for no more is judged over every history (`../machines/laws.ts`). */
export interface Around {
  readonly actors: Pick<Actors, 'snapshot' | 'snapshots' | 'channels' | 'mail'>
}

export interface FiniteLaw<W = World, G = History> {
  readonly law: LawName
  readonly says: string
  readonly breaches: (seen: Seen<W, G>) => readonly string[]
}

export function onStep<W = Around, G = History>(
  kind: ActorKind,
  judge: (step: Stepped, seen: Seen<W, G>) => readonly string[],
): FiniteLaw<W, G>['breaches'] {
  return (seen) =>
    seen.moment.kind === 'stepped' && kindOf(seen.moment.actor) === kind ? judge(seen.moment, seen) : []
}

/** Asked once for each thing that `about` names. */
export interface Future<W = World> {
  readonly law: LawName
  readonly says: string
  readonly about: (world: W, keys: StateKeys) => string
  readonly judge: (world: W) => readonly string[]
}

export interface WorldModel<W extends Living<W> = World, G = History> {
  readonly name: string
  readonly says: string
  readonly begin: () => W
  /** What is next by itself comes first. */
  readonly moves: (world: W) => readonly Move<W>[]
  /** What comes after it is not looked at. */
  readonly isOver: (world: W) => boolean
  /** Acts on the way to where the search begins: each when the straight way has come to it. */
  readonly lead: readonly Lead<W>[]
  readonly past: Past<G>
  readonly laws: readonly FiniteLaw<W, G>[]
  readonly futures: readonly Future<W>[]
  /** Text that two moments share exactly if they are the same state. */
  readonly keyOf: (world: W, history: G, keys: StateKeys) => string
}

export interface Lead<W = World> {
  readonly says: string
  readonly when: (world: W) => boolean
  readonly act: (world: W) => void
}
