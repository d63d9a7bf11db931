/** Who holds which shard, as the store says it: read after every statement that could have changed it. */
import type { World } from './world.ts'

/** Shards by number, lives by name. */
export type Holders = ReadonlyMap<number, string>

const changesOwners = /^(acquire|release|create)-shards$|^remove-process$/

export class Ownership {
  readonly #world: World
  readonly #epochs = new Map<number, number>()
  readonly #lifeOf = new Map<string, string>()
  #holders: Holders = new Map()

  constructor(world: World) {
    this.#world = world
  }

  /** A new one at every change: what was taken before says what was. */
  get holders(): Holders {
    return this.#holders
  }

  /** From now on shards taken under this owner's name are this life's. */
  lives(owner: string, life: string): void {
    this.#lifeOf.set(owner, life)
  }

  async look(verb: string, { name }: { readonly name: string }): Promise<void> {
    if (!changesOwners.test(verb)) return
    const { rows } = await this.#world.store.query<{ shard: number; owner: string | null; epoch: number }>(
      'select shard, owner, epoch from shard order by shard',
    )
    const holders = new Map(this.#holders)
    for (const { shard, owner, epoch } of rows) {
      if (owner === null) holders.delete(shard)
      else if (epoch !== this.#epochs.get(shard)) this.#taken(holders, shard, this.#lifeOf.get(owner) ?? owner)
      this.#epochs.set(shard, epoch)
    }
    this.#holders = holders
    this.#world.mark(`after ${verb} of ${name}: ${JSON.stringify([...holders])}`)
  }

  #taken(holders: Map<number, string>, shard: number, life: string): void {
    this.#world.tell(`${life} takes shard ${shard}${holders.has(shard) ? ` from ${holders.get(shard)}` : ''}`, true)
    holders.set(shard, life)
  }
}
