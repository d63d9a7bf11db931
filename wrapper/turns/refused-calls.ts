/**
 * Calls of tools that the wrapper refused, summed until a result is recorded. They belong to the next result of this pod,
 * whichever turn it is of: one that is refused between two turns comes too late for a result that was told. What is
 * refused after a pod's last result stays in its log and its metrics.
 */
import { mostNamedRefusals, type CallRefusal, type RefusedCalls } from '../../machines/turn/schema.ts'
import type { LedgerEvent } from './ledger.ts'

export interface RefusedCall {
  /** As the caller named it. */
  readonly tool: string
  readonly reason: CallRefusal
}

const nameOfATool = /^[A-Za-z0-9_-]{1,64}$/

/** So many calls are journaled one by one; of a flood beyond that, every doubling. */
const journaledOneByOne = 256

/** Calls of all kinds together. */
export function sumOf(calls: RefusedCalls): number {
  return calls.reduce((sum, { count }) => sum + count, 0)
}

export function countRefusal(calls: RefusedCalls, { tool, reason }: RefusedCall): RefusedCalls {
  const indexOf = (name: string): number => calls.findIndex((one) => one.tool === name && one.reason === reason)
  const named = calls.filter((one) => one.tool !== '').length
  const isNamed = nameOfATool.test(tool) && (named < mostNamedRefusals || indexOf(tool) >= 0)
  const name = isNamed ? tool : ''
  const index = indexOf(name)
  if (index < 0) return [...calls, { tool: name, reason, count: 1 }]
  return calls.map((one, at) => (at === index ? { ...one, count: one.count + 1 } : one))
}

/** Is this sum worth a line that is synced? A crash in a flood loses less than half of it. */
export function isJournaled(calls: RefusedCalls): boolean {
  const sum = sumOf(calls)
  return sum <= journaledOneByOne || Number.isInteger(Math.log2(sum))
}

/** What stands after an event of the journal. */
export function applyRefusals(calls: RefusedCalls, event: LedgerEvent): RefusedCalls {
  if (event.type === 'calls.refused') return event.calls
  return event.type === 'turn.ended' ? [] : calls
}
