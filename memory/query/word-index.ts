import { termsOf } from '../engine/text/tokenize.ts'

/** BM25 over short texts, names and subjects: their length says little, so it is corrected for less than by custom. */
const saturation = 1.2
const lengthShare = 0.3

/** Items by the words of their texts; what comes and goes changes only what has its words. */
export class WordIndex<T> {
  readonly #postings = new Map<string, Map<T, number>>()
  readonly #lengths = new Map<T, number>()
  #length = 0

  add(item: T, text: string): void {
    let length = 0
    for (const [term, count] of termsOf(text)) {
      length += count
      const list = this.#postings.get(term)
      if (list === undefined) this.#postings.set(term, new Map([[item, count]]))
      else list.set(item, count)
    }
    this.#lengths.set(item, length)
    this.#length += length
  }

  /** `text` as it was added. */
  remove(item: T, text: string): void {
    for (const term of termsOf(text).keys()) {
      const list = this.#postings.get(term)
      list?.delete(item)
      if (list?.size === 0) this.#postings.delete(term)
    }
    this.#length -= this.#lengths.get(item) ?? 0
    this.#lengths.delete(item)
  }

  /** What shares no word is not in it. */
  score(text: string): Map<T, number> {
    const scores = new Map<T, number>()
    const size = this.#lengths.size
    const average = this.#length / Math.max(size, 1) || 1
    for (const term of termsOf(text).keys()) {
      const list = this.#postings.get(term) ?? new Map<T, number>()
      const rarity = Math.log(1 + (size - list.size + 0.5) / (list.size + 0.5))
      for (const [item, count] of list) {
        const length = 1 - lengthShare + (lengthShare * (this.#lengths.get(item) ?? 0)) / average
        const gain = (rarity * count * (saturation + 1)) / (count + saturation * length)
        scores.set(item, (scores.get(item) ?? 0) + gain)
      }
    }
    return scores
  }
}
