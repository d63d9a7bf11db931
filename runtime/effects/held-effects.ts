import type { ActorAddress } from '../../machines/definition.ts'
import type { Target } from './targets.ts'

/** One effect in memory, as it is found: by its key, by its actor, and counted for its target. */
export interface Held {
  readonly key: string
  readonly actor: ActorAddress
  readonly target: Target | undefined
  /** Where it stands among its actor's; written here only. */
  slot: number
}

/** The effects that memory holds. Adding, finding and removing one costs the same however many there are. */
export class HeldEffects<Entry extends Held> {
  readonly #byKey = new Map<string, Entry>()
  readonly #byActor = new Map<ActorAddress, Entry[]>()
  readonly #perTarget = new Map<Target, number>()

  get size(): number {
    return this.#byKey.size
  }

  all(): Iterable<Entry> {
    return this.#byKey.values()
  }

  find(key: string): Entry | undefined {
    return this.#byKey.get(key)
  }

  /** A copy: entries may leave while it is gone through. */
  ofActor(actor: ActorAddress): readonly Entry[] {
    return [...(this.#byActor.get(actor) ?? [])]
  }

  countOf(target: Target): number {
    return this.#perTarget.get(target) ?? 0
  }

  add(entry: Entry): void {
    const { key, actor, target } = entry
    const own = this.#byActor.get(actor)
    entry.slot = own?.length ?? 0
    if (own) own.push(entry)
    else this.#byActor.set(actor, [entry])
    this.#byKey.set(key, entry)
    if (target) this.#perTarget.set(target, this.countOf(target) + 1)
  }

  remove(entry: Entry): void {
    this.#byKey.delete(entry.key)
    this.#leaveActor(entry)
    const { target } = entry
    if (!target) return
    const left = this.countOf(target) - 1
    if (left > 0) this.#perTarget.set(target, left)
    else this.#perTarget.delete(target)
  }

  /** The last of the actor's takes the place of the one that goes. */
  #leaveActor({ actor, slot }: Entry): void {
    const own = this.#byActor.get(actor)
    const last = own?.pop()
    if (!own || !last) return
    if (own.length === 0) this.#byActor.delete(actor)
    if (last.slot === slot) return
    own[slot] = last
    last.slot = slot
  }
}
