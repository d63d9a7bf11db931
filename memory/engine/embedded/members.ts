import { communities } from '../../communities/communities.ts'
import { linkedGraph } from '../../communities/links.ts'

/** One index, one partition. */
const seed = 0

/** Columns: the entity, its community, and the share of its ties that stay within. */
export interface Members {
  readonly ids: readonly string[]
  readonly communities: readonly number[]
  readonly centralities: readonly number[]
}

interface Tie {
  readonly from: string
  readonly to: string
  readonly weight: number
}

/** `texts` have a tie a line: two ids and a weight. The order of ids, not of ties: one graph gives one partition. */
export function membersOf(texts: readonly string[]): Members {
  const ties = texts.flatMap((text) => text.split('\n').map(tieOf))
  const ids = [...new Set(ties.flatMap((tie) => [tie.from, tie.to]))].toSorted()
  const numbers = new Map(ids.map((id, at) => [id, at]))
  const ordered = ties.toSorted((a, b) => compare(a.from, b.from) || compare(a.to, b.to))
  const from = Int32Array.from(ordered, (tie) => numbers.get(tie.from)!)
  const to = Int32Array.from(ordered, (tie) => numbers.get(tie.to)!)
  const weight = Float64Array.from(ordered, (tie) => tie.weight)
  const { communityOf: community } = communities(linkedGraph({ nodes: ids.length, from, to, weight }), seed)
  const within = new Float64Array(ids.length)
  const strongest = new Float64Array(ids.length)
  for (let at = 0; at < from.length; at++) {
    const [one, other] = [from[at]!, to[at]!]
    if (community[one] !== community[other]) continue
    within[one]! += weight[at]!
    within[other]! += weight[at]!
  }
  for (const [node, sum] of within.entries()) strongest[community[node]!] = Math.max(strongest[community[node]!]!, sum)
  const centralities = Array.from(within, (sum, node) => {
    const most = strongest[community[node]!]!
    return most > 0 ? sum / most : 0
  })
  return { ids, communities: [...community], centralities }
}

function tieOf(line: string): Tie {
  const [from, to, weight] = line.split(' ')
  return { from: from!, to: to!, weight: Number(weight) }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
