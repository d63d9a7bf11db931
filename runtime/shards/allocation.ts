/** How the shards are divided among the living: a pure decision, that every process makes alike from the same reading. */
import type { ShardRow } from '../store/rows.ts'

export interface Division {
  /** Carry this process's name without being held: an earlier life's, or an acquisition that failed half way. */
  readonly strays: number
  /** How many free shards to take. */
  readonly wanted: number
  /** Held beyond the fair part: to be handed over. */
  readonly excess: readonly number[]
}

interface Standing {
  readonly owner: string
  readonly held: ReadonlySet<number>
  /** All that are not known to be dead, this one included. */
  readonly living: readonly string[]
  /** Those of them that were seen to move: only to them is anything handed over, a shard without owner does nothing. */
  readonly lively: readonly string[]
}

export function divide(shards: readonly ShardRow[], standing: Standing): Division {
  const { owner, held, living, lively } = standing
  const strays = shards.filter((row) => row.owner === owner && !held.has(row.shard)).length
  const part = fairPart(shards, living, owner)
  const keep = fairPart(shards, lively, owner)
  const excess = [...held].toSorted((a, b) => a - b).slice(keep)
  return { strays, wanted: Math.max(0, part - held.size - strays), excess }
}

/** The remainder stays with those who hold the most, so that as few shards as possible move. */
function fairPart(shards: readonly ShardRow[], owners: readonly string[], owner: string): number {
  const counts = new Map(owners.map((name) => [name, 0]))
  for (const row of shards) {
    const count = row.owner === null ? undefined : counts.get(row.owner)
    if (count !== undefined) counts.set(row.owner!, count + 1)
  }
  const ranked = [...counts].toSorted(([a, held], [b, other]) => other - held || (a < b ? -1 : 1))
  const rank = ranked.findIndex(([name]) => name === owner)
  return Math.floor(shards.length / ranked.length) + (rank < shards.length % ranked.length ? 1 : 0)
}
