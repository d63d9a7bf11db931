/** Which rows of the table a step took. The journal keeps event and place, so it is worked out from where the actor stood. */
import type { Chart, ChartState } from '../charts/chart.ts'
import { eventName } from '../charts/event-name.ts'

export interface Taken {
  readonly source: string
  readonly target: string
}

/** Eventless rows may follow each other; machines here have no longer chains. */
const longestChain = 5

/** Every state that is active on a path: the leaves and all around them. */
export function activeOn(path: string): ReadonlySet<string> {
  return new Set(
    path
      .split(' ')
      .filter(Boolean)
      .flatMap((leaf) => leaf.split('.').map((_, index, keys) => keys.slice(0, index + 1).join('.'))),
  )
}

export function takenRows(chart: Chart, before: string, after: string, eventType: string): readonly Taken[] {
  const from = activeOn(before)
  const to = activeOn(after)
  const entered = [...to].filter((id) => !from.has(id))
  const isReached = (target: string): boolean =>
    to.has(target) && entered.some((id) => id === target || id.startsWith(`${target}.`))
  const byId = new Map(chart.states.map((state) => [state.id, state]))
  const event = eventName(eventType)
  const named = chart.states.filter(({ id }) => from.has(id)).flatMap((state) => chain(state, event, longestChain))
  // One region follows another: its eventless rows are taken in the same step.
  const followed = chart.states.filter(({ id }) => from.has(id)).flatMap((state) => chain(state, 'always', 1))
  return unique([...named, ...followed])

  function chain(state: ChartState, name: string, left: number): readonly Taken[] {
    return state.rows.flatMap((row) => {
      if (row.event !== name || row.target === undefined) return []
      const here = { source: state.id, target: row.target }
      if (isReached(row.target)) return [here]
      if (left <= 1 || to.has(row.target)) return []
      const onward = startOf(row.target).flatMap((next) => chain(next, 'always', left - 1))
      return onward.length === 0 ? [] : [here, ...onward]
    })
  }

  /** The state and those inside it that an entry activates. */
  function startOf(id: string): readonly ChartState[] {
    const state = byId.get(id)
    if (state === undefined) return []
    const inner = chart.states.filter(
      (one) =>
        one.id.startsWith(`${id}.`) &&
        !one.id.slice(id.length + 1).includes('.') &&
        (one.initial || state.kind === 'parallel'),
    )
    return [state, ...inner.flatMap((one) => startOf(one.id))]
  }
}

function unique(rows: readonly Taken[]): readonly Taken[] {
  return [...new Map(rows.map((row) => [`${row.source} ${row.target}`, row])).values()]
}
