/** BM25 as Robertson and Zaragoza give it, with their usual figures; tuned on no corpus. */
export const k1 = 1.2
export const b = 0.75

/** Where a BM25 score is told as one half: about two rare terms of a query, each found once. */
const halfway = 10

/** s / (s + k): from [0, inf) to [0, 1), the order kept. Figures of different queries don't compare. */
export function bounded(score: number): number {
  return score / (score + halfway)
}

/** Reciprocal rank fusion, Cormack et al. 2009: their k. */
const fusionK = 60

export interface Fused<T> {
  readonly item: T
  /** 1 when every list has it first. */
  readonly score: number
}

/** One order out of several, by ranks alone: scores of different kinds don't add. */
export function fuse<T>(lists: readonly (readonly T[])[], keyOf: (item: T) => string | number): Fused<T>[] {
  const sums = new Map<string | number, { item: T; sum: number }>()
  for (const list of lists) {
    for (const [at, item] of list.entries()) {
      const known = sums.get(keyOf(item)) ?? { item, sum: 0 }
      sums.set(keyOf(item), { item: known.item, sum: known.sum + 1 / (fusionK + at + 1) })
    }
  }
  const most = lists.length / (fusionK + 1)
  return [...sums.values()].map(({ item, sum }) => ({ item, score: sum / most })).toSorted((x, y) => y.score - x.score)
}
