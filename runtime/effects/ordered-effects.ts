/** Ordered effects of one actor, in journal order: one at a time, and none overtakes another that waits for its retry. */
import type { ActorAddress } from '../../machines/definition.ts'

interface Ordered {
  readonly effect: { readonly actor: ActorAddress; readonly seq: number; readonly idx: number }
}

interface Lane<E> {
  first: E
  readonly rest: E[]
}

export class Lanes<E extends Ordered> {
  readonly #lanes = new Map<ActorAddress, Lane<E>>()

  /**
   * `isFirst`: its turn has come. `displaced`: an earlier effect came back (redelivered, read from the store) and
   * `canWait` said that the one whose turn it was can still step back.
   */
  enter(entry: E, canWait: (first: E) => boolean): { readonly isFirst: boolean; readonly displaced?: E } {
    const { actor } = entry.effect
    const lane = this.#lanes.get(actor)
    if (!lane) {
      this.#lanes.set(actor, { first: entry, rest: [] })
      return { isFirst: true }
    }
    const { first, rest } = lane
    if (isBefore(entry, first) && canWait(first)) {
      lane.first = entry
      rest.unshift(first)
      return { isFirst: true, displaced: first }
    }
    let position = rest.length
    while (position > 0 && isBefore(entry, rest[position - 1]!)) position--
    rest.splice(position, 0, entry)
    return { isFirst: false }
  }

  /** The one whose turn has come by that. */
  leave(entry: E): E | undefined {
    const { actor } = entry.effect
    const lane = this.#lanes.get(actor)
    if (!lane) return undefined
    if (lane.first !== entry) {
      const position = lane.rest.indexOf(entry)
      if (position >= 0) lane.rest.splice(position, 1)
      return undefined
    }
    const next = lane.rest.shift()
    if (next) lane.first = next
    else this.#lanes.delete(actor)
    return next
  }
}

function isBefore({ effect: a }: Ordered, { effect: b }: Ordered): boolean {
  return a.seq < b.seq || (a.seq === b.seq && a.idx < b.idx)
}
