import type { Question } from './repository.ts'

export interface Quality {
  readonly hit1: number
  readonly recall10: number
  readonly mrr: number
  readonly ndcg10: number
}

const depth = 10

export function qualityOf(questions: readonly Question[], rank: (text: string) => readonly string[]): Quality {
  const sums = { hit1: 0, recall10: 0, mrr: 0, ndcg10: 0 }
  for (const { text, files } of questions) {
    const ranked = rank(text)
    const first = ranked.findIndex((file) => files.includes(file))
    const gains = ranked.slice(0, depth).map((file) => (files.includes(file) ? 1 : 0))
    sums.hit1 += first === 0 ? 1 : 0
    sums.mrr += first < 0 ? 0 : 1 / (first + 1)
    sums.recall10 += gains.reduce<number>((sum, gain) => sum + gain, 0) / files.length
    sums.ndcg10 += discounted(gains) / discounted(Array.from({ length: Math.min(depth, files.length) }, () => 1))
  }
  const n = Math.max(questions.length, 1)
  return { hit1: sums.hit1 / n, recall10: sums.recall10 / n, mrr: sums.mrr / n, ndcg10: sums.ndcg10 / n }
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, at) => sum + gain / Math.log2(at + 2), 0)
}

/** What somebody waits who asks at any moment: each answer counts for as long as it took. */
export function meanOverTime(ms: readonly number[]): number {
  const whole = ms.reduce((sum, each) => sum + each, 0)
  return ms.reduce((sum, each) => sum + each * each, 0) / whole
}
