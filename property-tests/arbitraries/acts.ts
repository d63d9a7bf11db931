/** Commands of a history: what somebody does, in words that print themselves. */
import fc from 'fast-check'
import type { Subject } from '../machines/world/forge.ts'
import type { World } from '../machines/world/world.ts'

type Act = (world: World) => void
export type Model = Record<string, never>

class Said implements fc.Command<Model, World> {
  readonly #says: string
  readonly #act: Act

  constructor(says: string, act: Act) {
    this.#says = says
    this.#act = act
  }

  check(): boolean {
    return true
  }

  run(_model: Model, world: World): void {
    world.actors.pass(1000)
    this.#act(world)
  }

  toString(): string {
    return this.#says
  }
}

export type Weighted = fc.WeightedArbitrary<Said>

export const nothing = fc.constant('')
/** Of mail, effects and timers: mostly the oldest. */
export const few = fc.constantFrom(0, 0, 0, 1, 1, 2, 3)

const which = fc.nat(7)

export function on<T>(things: readonly T[], index: number, act: (thing: T) => void): void {
  const thing = things[index % Math.max(1, things.length)]
  if (thing !== undefined) act(thing)
}

/** `varied` is what differs from one such act to another; the index chooses whom it is done to. */
export function saying<V>(
  weight: number,
  varied: fc.Arbitrary<V>,
  says: (varied: V, index: number) => string,
  act: (world: World, varied: V, index: number) => void,
): Weighted {
  const said = fc
    .tuple(varied, which)
    .map(([one, index]) => new Said(says(one, index), (world) => act(world, one, index)))
  return { weight, arbitrary: said }
}

/** Its webhook comes, and its actor takes it before anybody else takes anything. */
export function hear({ forge, actors }: World, subject: Subject): void {
  forge.tell(subject)
  const channel = `mirror>${forge.actorOf(subject)}`
  while (actors.channels.includes(channel)) actors.deliver(channel)
}
