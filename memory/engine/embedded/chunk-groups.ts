import type { Queryable } from '../../../runtime/store/sql.ts'
import { kindInSql, type MemoryKind } from '../memory-kind.ts'
import type { QueryFilter } from '../port.ts'

/** Chunks that a filter lets through, and their sizes, by which the scores within them are measured. */
export interface ChunkSelection {
  readonly chunks: number
  /** Terms of all of them together. */
  readonly length: number
  has(no: number): boolean
}

interface Group {
  readonly repo: string
  readonly kind: MemoryKind
  chunks: number
  length: number
}

interface Held {
  readonly group: Group
  readonly length: number
}

interface Row {
  /** Of the whole index. */
  readonly chunks: number
  /** Null: nothing is newer. */
  readonly no: number | null
  readonly repo: string
  readonly kind: MemoryKind
  readonly length: number
}

/**
 * Of which repository and kind each chunk is, kept from query to query, so that a filter goes before the ranking and
 * costs no look into the store. A memory that changes gets chunks of higher numbers, so what is known of a number stays
 * true; when the index holds another count than is known, some have gone.
 */
export class ChunkGroups {
  readonly #held = new Map<number, Held>()
  readonly #groups = new Map<string, Group>()
  #newest = 0

  async select(sql: Queryable, { repos, kinds }: QueryFilter): Promise<ChunkSelection> {
    await this.#sync(sql)
    const groups = new Set(
      [...this.#groups.values()].filter(
        (one) => (repos === undefined || repos.includes(one.repo)) && (kinds === undefined || kinds.includes(one.kind)),
      ),
    )
    let [chunks, length] = [0, 0]
    for (const one of groups) {
      chunks += one.chunks
      length += one.length
    }
    const has = (no: number): boolean => {
      const held = this.#held.get(no)
      return held !== undefined && groups.has(held.group)
    }
    return { chunks, length, has }
  }

  async #sync(sql: Queryable): Promise<void> {
    const { rows } = await sql.query<Row>(
      `select i.chunks, c.no, c.repo, c.kind, c.length from engine_index i left join (
        select c.no, m.repo, ${kindInSql('m')} as kind, c.length from engine_chunk c join engine_memory m using (memory_id)
        where c.no > $1) c on true order by c.no`,
      [this.#newest],
    )
    for (const row of rows) if (row.no !== null) this.#add(row.no, row)
    if (this.#held.size !== rows[0]!.chunks) await this.#dropGone(sql)
  }

  #add(no: number, { repo, kind, length }: Row): void {
    // Two queries at once read the same rows.
    if (this.#held.has(no)) return
    const key = `${kind} ${repo}`
    const group = this.#groups.get(key) ?? { repo, kind, chunks: 0, length: 0 }
    this.#groups.set(key, group)
    group.chunks += 1
    group.length += length
    this.#held.set(no, { group, length })
    this.#newest = Math.max(this.#newest, no)
  }

  async #dropGone(sql: Queryable): Promise<void> {
    const until = this.#newest
    const { rows } = await sql.query<{ no: number }>('select no from engine_chunk where no <= $1', [until])
    const there = new Set(rows.map((row) => row.no))
    for (const [no, { group, length }] of this.#held) {
      if (no > until || there.has(no)) continue
      this.#held.delete(no)
      group.chunks -= 1
      group.length -= length
    }
  }
}
