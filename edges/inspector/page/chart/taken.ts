/**
 * Which rows of the table a step took. The journal keeps event and place and no guard, so it is worked out: the fewest
 * moves that lead from where the actor stood to where it stands, first by the event, then by eventless rows. A step
 * that came back to where it began shows nothing unless the event has no other row.
 */
import type { Chart, ChartLine, ChartState } from '../../charts/chart.ts'
import { eventName } from '../../charts/event-name.ts'

export interface Taken {
  readonly source: string
  readonly target: string
  /** As the chart names it: `always` of an eventless row. */
  readonly event: string
}

/** Some leaves, and the moves that led there. */
interface Way {
  readonly leaves: readonly string[]
  readonly moves: readonly Taken[]
}

/** No step of the product's machines takes more. */
const mostMoves = 5

const always = 'always'

/** Every state that is active on a path: the leaves and all around them. */
export function activeOn(path: string): ReadonlySet<string> {
  return activeIn(path.split(' ').filter(Boolean))
}

function activeIn(leaves: readonly string[]): ReadonlySet<string> {
  return new Set(leaves.flatMap((leaf) => leaf.split('.').map((_, index, keys) => keys.slice(0, index + 1).join('.'))))
}

/** Events by which a step went along this line; an eventless row that other events share a line with counts by its name. */
export function takenAlong({ moves }: Pick<ChartLine, 'moves'>, taken: readonly Taken[]): ReadonlySet<string> {
  const own = taken.filter((row) => moves.some(({ source, target }) => row.source === source && row.target === target))
  return new Set(own.map(({ event }) => event))
}

export function takenRows(chart: Chart, before: string, after: string, eventType: string): readonly Taken[] {
  const event = eventName(eventType)
  const begin = activeOn(before)
  const targets = chart.states.flatMap(({ id, rows }) =>
    begin.has(id) ? rows.flatMap((row) => (row.event === event ? [row.target] : [])) : [],
  )
  const mayStay = targets.length === 0 || targets.includes(undefined)
  const wanted = keyOf(after.split(' '))
  const known = new Set<string>()
  let ways: readonly Way[] = [{ leaves: before.split(' ').filter(Boolean), moves: [] }]
  // Nothing leads to a place of an older machine.
  if (!after.split(' ').every((leaf) => chart.states.some(({ id }) => id === leaf))) return []
  for (let count = 0; count <= mostMoves; count += 1) {
    const found = ways.find(({ leaves, moves }) => keyOf(leaves) === wanted && (mayStay || moves[0]?.event === event))
    if (found !== undefined) return found.moves.filter(({ source, target }) => source !== target)
    ways = ways.flatMap(onward).filter(isNew)
  }
  return []

  function isNew({ leaves, moves }: Way): boolean {
    const key = `${keyOf(leaves)} ${moves[0]?.event} ${moves.at(-1)?.event}`
    return !known.has(key) && known.add(key) !== undefined
  }

  /** Inner states come before those around them, as they do in a step. */
  function onward({ leaves, moves }: Way): readonly Way[] {
    const active = activeIn(leaves)
    const sources = chart.states.filter(({ id }) => active.has(id)).toSorted((a, b) => depthOf(b) - depthOf(a))
    return [event, always].flatMap((name) =>
      sources.flatMap(({ id: source, rows }) => {
        if (name === event && (!begin.has(source) || moves.some((move) => move.event === always))) return []
        return rows.flatMap(({ event: own, target }) =>
          own !== name || target === undefined
            ? []
            : [{ leaves: moved(leaves, source, target), moves: [...moves, { source, target, event: own }] }],
        )
      }),
    )
  }

  function moved(leaves: readonly string[], source: string, target: string): readonly string[] {
    const domain = isIn(target, source) ? source : common(source, target)
    return [...leaves.filter((leaf) => !isIn(leaf, domain)), ...entered(domain, target)]
  }

  /** The leaves that become active inside `at` where `target` is entered. */
  function entered(at: string, target: string): readonly string[] {
    const children = childrenOf(at)
    if (children.length === 0) return [at]
    const isBelow = at !== target && isIn(target, at)
    return children.flatMap((child) => {
      if (isBelow ? isIn(target, child.id) : child.initial) return entered(child.id, target)
      return child.kind === 'region' ? entered(child.id, target) : []
    })
  }

  function childrenOf(id: string): readonly ChartState[] {
    return chart.states.filter((state) => state.id.slice(0, Math.max(0, state.id.lastIndexOf('.'))) === id)
  }
}

function isIn(id: string, outer: string): boolean {
  return outer === '' || id === outer || id.startsWith(`${outer}.`)
}

function common(one: string, other: string): string {
  const [keys, others] = [one.split('.'), other.split('.')]
  const end = keys.findIndex((key, index) => key !== others[index])
  return keys.slice(0, Math.max(0, end < 0 ? keys.length - 1 : end)).join('.')
}

function depthOf({ id }: ChartState): number {
  return id.split('.').length
}

function keyOf(leaves: readonly string[]): string {
  return leaves.toSorted().join(' ')
}
