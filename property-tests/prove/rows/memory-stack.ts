/** The rows of a memory stack, event by event (PROJECT-MEMORY-1). */
import { newMemoryStack, type MemoryStackContext } from '../../../machines/memory-stack/context.ts'
import type { MemoryStackEvent } from '../../../machines/memory-stack/events.ts'
import { Asking, leavesOf, type Mutable, type Rows } from './draft.ts'

const second = 1000
const minute = 60 * second
const pauses = [5, 10, 20, 40, 80, 160, 300]
const boundInMinutes = { cluster: 10, postgres: 10, neo4j: 5, lightrag: 5, service: 5 }

type Draft = Mutable<MemoryStackContext>
type Seen = Extract<MemoryStackEvent, { readonly type: 'stack.seen' }>

function ask(m: Draft, asking: Asking): void {
  m.looks += 1
  m.nextAt = m.at + 5 * minute
  asking.ask('reconcileMemoryStack', { project: m.id, run: `stack/${m.looks}`, wanted: m.wanted })
}

function forget(m: Draft): void {
  Object.assign(m, { ...newMemoryStack(m.id), at: m.at, looks: m.looks, since: m.at })
}

function see(m: Draft, { phase, part, words, endpoint, externalEndpoint }: Seen): void {
  const goesOnWaiting = phase !== 'running' && m.phase !== 'running' && part === m.part
  const stays = goesOnWaiting || (phase === 'running' && m.phase === 'running' && part === m.part)
  if (!stays) m.since = m.at
  m.isLate = phase !== 'running' && m.at >= m.since + boundInMinutes[part] * minute
  if (m.wanted !== null) {
    if (endpoint !== '') m.endpoint = endpoint
    m.externalEndpoint = externalEndpoint
  }
  m.nextAt = m.at + (phase === 'running' || m.isLate ? 60 : 5) * second
  Object.assign(m, { phase, part, words, failures: 0, trouble: '' })
}

/** The state that follows; undefined: the same, and no timer is armed anew. */
function hear(m: Draft, state: string, event: MemoryStackEvent, asking: Asking): string | undefined {
  switch (event.type) {
    case 'stack.configured': {
      const isAnew = state === 'absent' || state === 'ending'
      if (isAnew && event.wanted === null) return undefined
      if (isAnew) forget(m)
      m.wanted = event.wanted
      if (event.wanted === null) Object.assign(m, { endpoint: '', externalEndpoint: '' })
      ask(m, asking)
      if (isAnew) return 'pending'
      return event.wanted === null ? 'ending' : state
    }
    case 'stack.seen': {
      if (state === 'absent' || event.run !== `stack/${m.looks}`) return undefined
      if (state === 'ending' && event.phase === 'gone') {
        forget(m)
        Object.assign(m, { phase: 'gone', words: event.words })
        return 'absent'
      }
      see(m, event)
      if (state === 'ending') return 'ending'
      const isUp = event.phase === 'running' || event.phase === 'degraded'
      if (state === 'pending' && !isUp) return 'pending'
      if (state === 'pending' && m.wanted?.fills) asking.tell(`memory:${m.id}`, 'memory.configured', { fills: true })
      return event.phase === 'running' ? 'running' : 'degraded'
    }
    case 'effect.failed':
      if (state === 'absent' || event.effect !== 'reconcileMemoryStack') return undefined
      m.nextAt = m.at + pauses[Math.min(m.failures, pauses.length - 1)]! * second
      Object.assign(m, { trouble: event.reason, failures: m.failures + 1 })
      return state
  }
}

export const memoryStackRows: Rows = (before, event, id) => {
  const m: Draft = { ...(before ? (before.context as MemoryStackContext) : newMemoryStack(id)) }
  m.at = Math.max(m.at, event.at)
  const asking = new Asking()
  const was = before ? leavesOf(before.value)[0]! : 'absent'
  let next: string | undefined
  if (event.type.startsWith('xstate.')) {
    ask(m, asking)
    next = was
  } else next = hear(m, was, event as unknown as MemoryStackEvent, asking)
  const state = next ?? was
  const isArmed = next !== undefined && next !== 'absent'
  return {
    leaves: [state],
    context: m,
    effects: asking.effects,
    timers: state === 'absent' ? [] : ['look'],
    rearms: isArmed ? ['look'] : [],
    ...(isArmed ? { delays: { look: m.nextAt! - m.at } } : {}),
  }
}
