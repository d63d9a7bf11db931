/**
 * One trace for a Task, its pods and their turns. Every id follows from addresses, sequence numbers and keys that are in
 * the journal: nothing is stored or carried along for it, another process goes on in the same trace, and work that is
 * done again after a crash is the same span again.
 */
import { createHash } from 'node:crypto'
import type { ActorAddress } from '../../machines/definition.ts'
import { parseAddress, parseEffectKey, type EffectId } from '../../runtime/address.ts'
import type { TracePosition } from '../../http/tracing/traceparent.ts'

/** The trace that a step belongs to; actors that live on and on, queues and Projects, begin one at each step. */
export function traceOf(address: ActorAddress, seq: number): string {
  return hex(`trace ${conversationOf(address) ?? `${address}/${seq}`}`, 32)
}

/** What all spans of a trace hang from; undefined where a step is its own root. */
export function rootOf(address: ActorAddress): TracePosition | undefined {
  const conversation = conversationOf(address)
  if (conversation === undefined) return undefined
  return { traceId: hex(`trace ${conversation}`, 32), spanId: hex(`root ${conversation}`, 16) }
}

export function stepPosition(address: ActorAddress, seq: number): TracePosition {
  return { traceId: traceOf(address, seq), spanId: hex(`step ${address}/${seq}`, 16) }
}

export function effectPosition(key: string): TracePosition {
  const id = parseEffectKey(key)
  return { traceId: id ? traceOf(id.actor, id.seq) : hex(`trace ${key}`, 32), spanId: hex(`effect ${key}`, 16) }
}

export function attemptPosition(key: string, attempt: number): TracePosition {
  return { ...effectPosition(key), spanId: hex(`attempt ${key} ${attempt}`, 16) }
}

/** What brought an event about, as its key says it: another actor's step, a performed effect, a step that armed a timer. */
export function causeOf(address: ActorAddress, key: string): TracePosition | undefined {
  const timer = /^timer:.*:(\d+)$/.exec(key)
  if (timer) return stepPosition(address, Number(timer[1]))
  const child = parsedId(key)
  if (child) return stepPosition(child.actor, child.seq)
  const effect = key.slice(0, Math.max(0, key.lastIndexOf('/')))
  return parsedId(effect) ? effectPosition(effect) : undefined
}

function parsedId(key: string): EffectId | undefined {
  return key === '' ? undefined : parseEffectKey(key)
}

/** `pod:<task>/<ordinal>`, `turn:<task>/<ordinal>/<turn>`: their ids begin with the Task's. */
function conversationOf(address: ActorAddress): ActorAddress | undefined {
  const parts = parseAddress(address)
  if (!parts) return undefined
  const segments = parts.id.split('/')
  if (parts.kind === 'pod') return `task:${segments.slice(0, -1).join('/')}`
  if (parts.kind === 'turn') return `task:${segments.slice(0, -2).join('/')}`
  return parts.kind === 'queue' || parts.kind === 'project' ? undefined : address
}

function hex(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits)
}
