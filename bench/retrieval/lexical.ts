/** Plain BM25 over the chunks of the files, in the terms of the embedded engine: the baseline, and one of the ranker's signals. */
import { chunksOf } from '../../memory/engine/text/chunk.ts'
import { termsOf } from '../../memory/engine/text/tokenize.ts'

export type ChunkScores = ReadonlyMap<string, readonly number[]>

const saturation = 1.2
const lengthShare = 0.75

/** For a question the scores of its best chunks, by file. */
export function lexicalIndex(texts: ReadonlyMap<string, string>, most: number): (question: string) => ChunkScores {
  const chunks = [...texts].flatMap(([file, text]) => chunksOf(text).map((chunk) => ({ file, terms: termsOf(chunk) })))
  const postings = new Map<string, [at: number, count: number][]>()
  const lengths = chunks.map(({ terms }, at) => {
    let length = 0
    for (const [term, count] of terms) {
      length += count
      const list = postings.get(term)
      if (list === undefined) postings.set(term, [[at, count]])
      else list.push([at, count])
    }
    return length
  })
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(lengths.length, 1)

  return (question) => {
    const scores = new Map<number, number>()
    for (const term of termsOf(question).keys()) {
      const list = postings.get(term) ?? []
      const rarity = Math.log(1 + (chunks.length - list.length + 0.5) / (list.length + 0.5))
      for (const [at, count] of list) {
        const length = 1 - lengthShare + (lengthShare * (lengths[at] ?? 0)) / average
        scores.set(at, (scores.get(at) ?? 0) + (rarity * count * (saturation + 1)) / (count + saturation * length))
      }
    }
    const byFile = new Map<string, number[]>()
    for (const [at, score] of [...scores].toSorted(([, a], [, b]) => b - a).slice(0, most)) {
      const file = chunks[at]?.file ?? ''
      const known = byFile.get(file)
      if (known === undefined) byFile.set(file, [score])
      else known.push(score)
    }
    return byFile
  }
}
