import type { Queryable } from '../../../runtime/store/sql.ts'

/** Which chunks have a term, ascending, and how often of how many terms. */
export interface PostingList {
  readonly chunks: Float64Array
  readonly counts: Int32Array
  readonly lengths: Int32Array
}

/** The index at one moment: its sizes, and of the terms asked for those that any chunk has. */
export interface PostingsRead {
  readonly memories: number
  readonly chunks: number
  /** Terms of all chunks together. */
  readonly length: number
  readonly terms: readonly ReadTerm[]
}

export interface ReadTerm {
  readonly id: number
  readonly text: string
  readonly list: PostingList
}

interface Row {
  readonly memories: number
  readonly chunks: number
  readonly length: number
  /** Null: no chunk has any of the terms. */
  readonly id: number | null
  readonly text: string
  readonly holders: number
  /** `chunk,count,length` of each that is newer than what is known; null: none. */
  readonly newer: string | null
}

const nothing: PostingList = { chunks: new Float64Array(), counts: new Int32Array(), lengths: new Int32Array() }
/** Of all lists together; each posting takes 16 bytes. */
const mostKept = 2_000_000

/**
 * Posting lists of the terms asked for last, kept from query to query: a word of many chunks is read once, and then only
 * what came to it. Nothing is shared with who writes, who may be another process.
 *
 * Chunks get their numbers under the lock on `engine_index`, so what is newer has a higher number than all that was seen.
 * A term's row says how many chunks have it. When that is what is known plus what is newer, none of the known ones has
 * gone; otherwise the list is read anew.
 */
export class Postings {
  readonly #kept = new Map<string, PostingList>()
  #size = 0
  readonly #most: number

  constructor(most = mostKept) {
    this.#most = most
  }

  async read(sql: Queryable, texts: readonly string[]): Promise<PostingsRead> {
    const known = new Map(texts.map((text) => [text, this.#kept.get(text) ?? nothing]))
    return (await this.#readBeside(sql, known)) ?? (await this.#readBeside(sql, withoutAny(known)))!
  }

  /** Everything in one statement, so that all of it is of one moment. Undefined: some of what is known has gone. */
  async #readBeside(sql: Queryable, known: ReadonlyMap<string, PostingList>): Promise<PostingsRead | undefined> {
    const { rows } = await sql.query<Row>(
      `select i.memories, i.chunks, i.length, t.id, t.text, t.chunks as holders, t.newer from engine_index i left join (
        select k.at, t.id, t.text, t.chunks, p.newer from unnest($1::text[], $2::bigint[]) with ordinality as k (text, until, at)
        cross join lateral (select * from engine_term where text = k.text offset 0) t
        cross join lateral (select string_agg(chunk_no || ',' || count || ',' || length, ' ') as newer from (
          select chunk_no, count, length from engine_posting where term_id = t.id and chunk_no > k.until
          order by chunk_no) ascending) p
      ) t on true order by t.at`,
      [[...known.keys()], [...known.values()].map((list) => list.chunks.at(-1) ?? 0)],
    )
    const terms: ReadTerm[] = []
    for (const { id, text, holders, newer } of rows) {
      if (id === null) continue
      const list = joined(known.get(text) ?? nothing, newer ?? '')
      if (list.chunks.length !== holders) {
        for (const each of known.keys()) this.#drop(each)
        return undefined
      }
      terms.push({ id, text, list })
    }
    for (const { text, list } of terms) this.#keep(text, list)
    const { memories, chunks, length } = rows[0]!
    return { memories, chunks, length, terms }
  }

  #keep(text: string, list: PostingList): void {
    this.#drop(text)
    this.#kept.set(text, list)
    this.#size += list.chunks.length
    for (const longestUnasked of this.#kept.keys()) {
      if (this.#size <= this.#most) break
      this.#drop(longestUnasked)
    }
  }

  #drop(text: string): void {
    this.#size -= this.#kept.get(text)?.chunks.length ?? 0
    this.#kept.delete(text)
  }
}

function withoutAny(known: ReadonlyMap<string, PostingList>): ReadonlyMap<string, PostingList> {
  return new Map([...known.keys()].map((text) => [text, nothing]))
}

function joined(known: PostingList, newer: string): PostingList {
  if (newer === '') return known
  const { chunks, counts, lengths } = known
  const numbers = numbersOf(newer)
  const [from, more] = [chunks.length, numbers.length / 3]
  const list: PostingList = {
    chunks: new Float64Array(from + more),
    counts: new Int32Array(from + more),
    lengths: new Int32Array(from + more),
  }
  list.chunks.set(chunks)
  list.counts.set(counts)
  list.lengths.set(lengths)
  for (let at = 0; at < more; at += 1) {
    list.chunks[from + at] = numbers[at * 3]!
    list.counts[from + at] = numbers[at * 3 + 1]!
    list.lengths[from + at] = numbers[at * 3 + 2]!
  }
  return list
}

const zero = 48

/** Digits with one separator between each two numbers; `split` makes a text of each, which takes most of a query's time. */
function numbersOf(text: string): number[] {
  const numbers: number[] = []
  let number = 0
  for (let at = 0; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - zero
    if (digit >= 0) number = number * 10 + digit
    else {
      numbers.push(number)
      number = 0
    }
  }
  numbers.push(number)
  return numbers
}
