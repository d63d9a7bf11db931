/** Which merge request merges first where a Task's span several repositories (OUTCOME-18, OUTCOME-19). */
interface Ordered {
  readonly repository: string
  readonly number: number
}

/** There is no default order: with more than one repository each must be named exactly once. */
export function coversRepositories(order: readonly string[] | null, repositories: readonly string[]): boolean {
  const distinct = [...new Set(repositories)]
  if (distinct.length < 2) return true
  return (
    order !== null && new Set(order).size === order.length && distinct.every((repository) => order.includes(repository))
  )
}

function rank(order: readonly string[], repository: string): number {
  const index = order.indexOf(repository)
  return index < 0 ? order.length : index
}

function byOrder(order: readonly string[]): (a: Ordered, b: Ordered) => number {
  return (a, b) =>
    rank(order, a.repository) - rank(order, b.repository) ||
    (a.repository < b.repository ? -1 : a.repository > b.repository ? 1 : 0) ||
    a.number - b.number
}

/** The first of the open ones; those of repositories that the order does not name come last, by name and number. */
export function nextToMerge<T extends Ordered>(order: readonly string[] | null, open: readonly T[]): T | undefined {
  return open.toSorted(byOrder(order ?? []))[0]
}
