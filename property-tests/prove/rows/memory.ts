/** The rows of a memory, event by event (KNOWLEDGE-16). */
import { newMemory, type MemoryContext } from '../../../machines/memory/context.ts'
import type { Indexed, MemoryEvent } from '../../../machines/memory/events.ts'
import { Asking, leavesOf, type Mutable, type Rows } from './draft.ts'

const second = 1000
const minute = 60 * second
const backoffs = [1, 2, 4, 8, 16, 32]
const holds = [2, 4, 8, 16, 32, 64, 128, 256, 300]

type Draft = Mutable<MemoryContext>

function rest(m: Draft, inMs: number): string {
  m.nextAt = m.at + inMs
  return 'resting'
}

function ofList(list: readonly number[], ordinal: number): number {
  return list[Math.min(ordinal, list.length) - 1]!
}

function fail(m: Draft, trouble: string): string {
  Object.assign(m, { trouble, failures: m.failures + 1, holds: 0, heldBy: '' })
  return rest(m, ofList(backoffs, m.failures) * minute)
}

function filled(m: Draft, repositories: Readonly<Record<string, Indexed>>): string {
  const named = Object.entries(repositories)
  const broken = named.filter(([, { trouble }]) => trouble)
  const lacking = named.filter(([, { due }]) => due > 0)
  const hasMore = lacking.some(([, { trouble }]) => !trouble)
  m.repositories = Object.fromEntries(
    named.map(([name, one]) => {
      const was = m.repositories[name]
      const isKept = was && (was.due > 0 || was.trouble !== '') === (one.due > 0 || one.trouble !== '')
      return [name, { ...one, since: isKept ? was.since : m.at }]
    }),
  )
  m.trouble = broken.map(([name, { trouble }]) => `${name}: ${trouble}`).join('; ')
  m.failures = broken.length > 0 ? m.failures + 1 : 0
  Object.assign(m, { holds: 0, heldBy: '' })
  const isBehind = m.isOutdated || lacking.length > 0
  m.behindSince = isBehind ? (m.behindSince ?? m.at) : null
  if (m.isOutdated || hasMore) return rest(m, 10 * second)
  return rest(m, (m.failures > 0 ? ofList(backoffs, m.failures) : 30) * minute)
}

function begin(m: Draft, asking: Asking): string {
  m.steps += 1
  Object.assign(m, { isOutdated: false, nextAt: null })
  asking.ask('fillMemory', { project: m.id, run: `memory/${m.steps}` })
  return 'filling'
}

/** The state that follows; undefined: the same. */
function hear(m: Draft, state: string, event: MemoryEvent, asking: Asking): string | undefined {
  const isOurs = state === 'filling' && 'run' in event && event.run === `memory/${m.steps}`
  switch (event.type) {
    case 'memory.configured':
      if (!event.fills) {
        if (state === 'off') return undefined
        Object.assign(m, { nextAt: null, isOutdated: false, behindSince: null })
        Object.assign(m, { failures: 0, trouble: '', holds: 0, heldBy: '' })
        return 'off'
      }
      if (state !== 'filling') return begin(m, asking)
      Object.assign(m, { isOutdated: true, behindSince: m.behindSince ?? m.at })
      return undefined
    case 'memory.outdated':
      if (state === 'off') return undefined
      m.behindSince ??= m.at
      if (state === 'resting') return rest(m, Math.min(10 * second, (m.nextAt ?? m.at) - m.at))
      m.isOutdated = true
      return undefined
    case 'memory.filled':
      return isOurs ? filled(m, event.repositories) : undefined
    case 'memory.held':
      if (!isOurs) return undefined
      Object.assign(m, { holds: m.holds + 1, heldBy: event.reason })
      return rest(m, ofList(holds, m.holds) * second)
    case 'effect.failed':
      return state === 'filling' && event.effect === 'fillMemory' ? fail(m, event.reason) : undefined
  }
}

function fire(m: Draft, timer: string, asking: Asking): string {
  return timer.includes('.look.') ? begin(m, asking) : fail(m, 'no answer in an hour')
}

export const memoryRows: Rows = (before, event, id) => {
  const m: Draft = { ...(before ? (before.context as MemoryContext) : newMemory(id)) }
  m.at = Math.max(m.at, event.at)
  const asking = new Asking()
  const was = before ? leavesOf(before.value)[0]! : 'off'
  const next = event.type.startsWith('xstate.')
    ? fire(m, event.type, asking)
    : hear(m, was, event as unknown as MemoryEvent, asking)
  const state = next ?? was
  return {
    leaves: [state],
    context: m,
    effects: asking.effects,
    timers: state === 'filling' ? ['stepEnds'] : state === 'resting' ? ['look'] : [],
    rearms: next === 'resting' ? ['look'] : [],
    delays: {
      ...(next === 'filling' ? { stepEnds: 60 * minute } : {}),
      ...(next === 'resting' ? { look: Math.max(0, m.nextAt! - m.at) } : {}),
    },
  }
}
