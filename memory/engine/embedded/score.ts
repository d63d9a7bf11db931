/** BM25 as Robertson and Zaragoza give it, with their usual figures; tuned on no corpus. */
export const k1 = 1.2
export const b = 0.75

/** Where a BM25 score is told as one half: about two rare terms of a query, each found once. */
const halfway = 10

/** s / (s + k): from [0, inf) to [0, 1), the order kept. Figures of different queries don't compare. */
export function bounded(score: number): number {
  return score / (score + halfway)
}
