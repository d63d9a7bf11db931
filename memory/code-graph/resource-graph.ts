import type { Bounded, EdgeFilter, GraphView, Reached } from '../graph/port.ts'
import { compareText } from '../graph/resolved/fold.ts'
import { ownedBy, owning } from './relations.ts'

export interface ResourceQuery {
  readonly root: string
  readonly depth: number
  readonly limit: number
  /** Relations that it names are followed as they point, in the place of those of ownership. */
  readonly filter: EdgeFilter
}

/** Down from the root, whichever end of an ownership says it: `owns` as it points, `owned-by` against its direction. */
export async function resourceGraph(view: GraphView, query: ResourceQuery): Promise<Bounded<Reached>> {
  const { root, depth, limit, filter } = query
  const ways =
    filter.relations === undefined
      ? ([
          { ...filter, relations: owning, direction: 'out' },
          { ...filter, relations: ownedBy, direction: 'in' },
        ] as const)
      : ([{ ...filter, direction: 'out' }] as const)
  const found = new Map<string, Reached>()
  let level: readonly string[] = [root]
  let truncated = false
  for (let distance = 1; distance <= depth && level.length > 0 && !truncated; distance++) {
    const fresh: Reached[] = []
    for (const way of ways) {
      const step = await view.reach({ ...way, from: level, depth: 1, limit: limit + 1 })
      truncated ||= step.truncated
      for (const reached of step.items) {
        const { id } = reached.entity
        if (id === root || found.has(id)) continue
        found.set(id, { ...reached, distance })
        fresh.push(reached)
      }
    }
    level = fresh.map(({ entity }) => entity.id)
  }
  const items = [...found.values()].toSorted((a, b) => a.distance - b.distance || compareText(a.entity.id, b.entity.id))
  return { items: items.slice(0, limit), truncated: truncated || items.length > limit }
}
