/** When the memory is looked at next, and what is known of it. A step looks at everything: what changes meanwhile is one more step. */
import { decideBy, inTime } from '../decide.ts'
import { effect, type Decision } from '../emit.ts'
import { isCurrent, stepOf, type MemoryContext } from './context.ts'
import type { Indexed, MemoryEvent } from './events.ts'

type Does = Decision<MemoryContext>
type Found = Readonly<Record<string, Indexed>>

const { on, always } = decideBy<MemoryContext, MemoryEvent>(inTime)

const second = 1000
const minute = 60 * second

/** Between two steps while there is more, and after a change: those that come with it are one step. */
const soon = 10 * second
/** What no webhook told is found by then. */
const look = 30 * minute
/** After failures in a row: 1, 2, 4 and so on. */
const longestBackoff = 32 * minute
/** While the Project is paused or not ready: 2, 4, 8 seconds and so on. A new one is mostly ready at once. */
const shortestHold = 2 * second
const longestHold = 5 * minute

function doubled(first: number, times: number, most: number): number {
  return Math.min(most, first * 2 ** (times - 1))
}

function begin(context: MemoryContext): Does {
  const now = { ...context, steps: context.steps + 1 }
  return {
    context: { steps: now.steps, isOutdated: false, nextAt: null },
    effects: [effect('fillMemory', { project: context.id, run: stepOf(now) })],
  }
}

function fail({ at, failures: before }: MemoryContext, trouble: string): Does {
  const failures = before + 1
  return {
    context: { trouble, failures, holds: 0, heldBy: '', nextAt: at + doubled(minute, failures, longestBackoff) },
  }
}

/** One Repository that cannot be taken in holds up no other one. */
function keep(context: MemoryContext, found: Found): Does {
  const { at, isOutdated, behindSince } = context
  const repositories = since(context, found)
  const all = Object.values(repositories)
  const trouble = troubleOf(repositories)
  const failures = trouble === '' ? 0 : context.failures + 1
  const goesOn = isOutdated || all.some((one) => one.due > 0 && one.trouble === '')
  const isBehind = isOutdated || all.some(({ due }) => due > 0)
  const pause = goesOn ? soon : failures > 0 ? doubled(minute, failures, longestBackoff) : look
  return {
    context: {
      ...{ repositories, trouble, failures, holds: 0, heldBy: '' },
      behindSince: isBehind ? (behindSince ?? at) : null,
      nextAt: at + pause,
    },
  }
}

/** One that stays as it was keeps its time. */
function since({ at, repositories }: MemoryContext, found: Found): MemoryContext['repositories'] {
  return Object.fromEntries(
    Object.entries(found).map(([name, one]) => {
      const before = repositories[name]
      const isSame = before !== undefined && isCurrent(before) === isCurrent(one)
      return [name, { ...one, since: isSame ? before.since : at }]
    }),
  )
}

function troubleOf(repositories: MemoryContext['repositories']): string {
  return Object.entries(repositories)
    .flatMap(([name, { trouble }]) => (trouble === '' ? [] : [`${name}: ${trouble}`]))
    .join('; ')
}

export const memoryActions = {
  begin: always(begin),
  keep: on('memory.filled', (context, { repositories }) => keep(context, repositories)),
  hold: on('memory.held', ({ at, holds }, { reason }) => ({
    context: { holds: holds + 1, heldBy: reason, nextAt: at + doubled(shortestHold, holds + 1, longestHold) },
  })),
  fail: on('effect.failed', (context, { reason }) => fail(context, reason)),
  overrun: always((context) => fail(context, 'no answer in an hour')),
  /** What changed after a step began may be in it or not. */
  note: always(({ at, behindSince }) => ({ context: { isOutdated: true, behindSince: behindSince ?? at } })),
  hurry: always(({ at, behindSince, nextAt }) => ({
    context: { behindSince: behindSince ?? at, nextAt: Math.min(nextAt ?? at, at + soon) },
  })),
  /** What the memory holds stays known; it is only looked at no more. */
  stop: always(() => ({
    context: { nextAt: null, isOutdated: false, behindSince: null, failures: 0, trouble: '', holds: 0, heldBy: '' },
  })),
}
