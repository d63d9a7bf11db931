import { termsOf } from '../engine/text/tokenize.ts'

export interface WordIndex {
  /** Scores by place in the list that was indexed; what shares no word is not in it. */
  score(text: string): Map<number, number>
}

/** BM25 over short texts, names and subjects: their length says little, so it is corrected for less than by custom. */
const saturation = 1.2
const lengthShare = 0.3

export function wordIndex(texts: readonly string[]): WordIndex {
  const postings = new Map<string, [at: number, count: number][]>()
  const lengths = texts.map((text, at) => {
    let length = 0
    for (const [term, count] of termsOf(text)) {
      length += count
      const list = postings.get(term)
      if (list === undefined) postings.set(term, [[at, count]])
      else list.push([at, count])
    }
    return length
  })
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(lengths.length, 1) || 1
  return {
    score: (text) => {
      const scores = new Map<number, number>()
      for (const term of termsOf(text).keys()) {
        const list = postings.get(term) ?? []
        const rarity = Math.log(1 + (texts.length - list.length + 0.5) / (list.length + 0.5))
        for (const [at, count] of list) {
          const length = 1 - lengthShare + (lengthShare * (lengths[at] ?? 0)) / average
          const gain = (rarity * count * (saturation + 1)) / (count + saturation * length)
          scores.set(at, (scores.get(at) ?? 0) + gain)
        }
      }
      return scores
    },
  }
}
