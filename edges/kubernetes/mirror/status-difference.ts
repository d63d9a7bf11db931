/** What has to change so that an object has a status, as a JSON merge patch (RFC 7396). */
import { isDeepStrictEqual } from 'node:util'
import { bounded } from '../../../crd/status/bounded.ts'
import type { Condition } from '../../../crd/status/condition.ts'
import type { KubeObject } from '../api/api.ts'
import { conditionsIn } from '../reconcile/in-conditions.ts'

export type Plain = Readonly<Record<string, unknown>>

/** A waiting entry shows its place so far ahead; what stands farther behind moves at each admission. */
const positionsShown = 50

/** As it is written: without nulls, bounded, and with the generation of the object that is there. */
export function preparedStatus(known: KubeObject, shown: object): Plain {
  const status = withoutFarPosition(bounded(shown) as Plain)
  if (known.kind !== 'Task' || !Array.isArray(status['conditions'])) return status
  // An actor counts its steps, and nobody's spec changes with them.
  const { generation = 1 } = known.metadata
  const conditions = (status['conditions'] as readonly Condition[]).map((one) => ({
    ...one,
    observedGeneration: generation,
  }))
  return { ...status, conditions }
}

function withoutFarPosition(status: Plain): Plain {
  const { position, reason: _reason, stageReason: _stageReason, ...rest } = status
  return typeof position === 'number' && position > positionsShown ? rest : status
}

/** True where nothing differs but a place in the queue and the reason to wait there. */
export function isSameButPosition(one: Plain, other: Plain): boolean {
  return isDeepStrictEqual(withoutPosition(one), withoutPosition(other))
}

function withoutPosition({ position: _position, reason: _reason, ...rest }: Plain): Plain {
  return rest
}

/** Undefined: the object has it. Conditions of other field managers of ours stay, and no others. */
export function statusDifference(known: KubeObject, wanted: Plain): Plain | undefined {
  const kept = [...conditionsIn(known, 'refused'), ...conditionsIn(known, 'contended')]
  const all = ((known.status ?? {})['conditions'] ?? []) as readonly Condition[]
  const own = all.filter((one) => !kept.includes(one))
  const difference = mergeDifference(
    withConditions(known.status ?? {}, own),
    withConditions(wanted, (wanted['conditions'] ?? []) as readonly Condition[]),
  )
  // A list without entries is not none: somebody wrote it.
  if (all.length === 0 && known.status?.['conditions'] !== undefined && wanted['conditions'] === undefined)
    return { ...difference, conditions: null }
  if (difference === undefined || !('conditions' in difference)) return difference
  const conditions = [...((difference['conditions'] ?? []) as readonly Condition[]), ...kept]
  return { ...difference, conditions: conditions.length === 0 ? null : conditions }
}

/** In one order: a server merges lists of conditions in an order of its own. */
function withConditions({ conditions: _conditions, ...rest }: Plain, conditions: readonly Condition[]): Plain {
  if (conditions.length === 0) return rest
  return { ...rest, conditions: conditions.toSorted((one, other) => (one.type < other.type ? -1 : 1)) }
}

/** Undefined: they are equal. */
export function mergeDifference(known: Plain, wanted: Plain): Plain | undefined {
  const names = [...new Set([...Object.keys(known), ...Object.keys(wanted)])]
  const changes = names.flatMap((name) => {
    const change = changeOf(known[name], wanted[name])
    return change === undefined ? [] : [[name, change] as const]
  })
  return changes.length === 0 ? undefined : Object.fromEntries(changes)
}

function changeOf(known: unknown, wanted: unknown): unknown {
  if (wanted === undefined) return known === undefined ? undefined : null
  if (isPlain(known) && isPlain(wanted)) return mergeDifference(known, wanted)
  return isDeepStrictEqual(known, wanted) ? undefined : wanted
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
