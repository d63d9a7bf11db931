/** R5, R6, R7: every decided effect is performed under its one key, or withdrawn, or given up where it can be seen. */
import type { Call } from '../evidence.ts'
import type { Decided, Facts, Law } from './facts.ts'

export const effectLaws: readonly Law[] = [
  onlyDecidedIsPerformed,
  decidedIsPerformed,
  outcomesAreKnown,
  withdrawnIsNotBegun,
  settledIsNotBegunAgain,
  orderedComeOneByOne,
]

function onlyDecidedIsPerformed({ evidence, decided }: Facts): string[] {
  const byKey = new Map(decided.map((one) => [one.key, one.effect]))
  return evidence.calls.flatMap(({ key, type, params }) => {
    const effect = byKey.get(key)
    if (!effect) return [`R6: ${type} was performed under ${key}, which nothing decided`]
    const isSame = effect.type === type && JSON.stringify(effect.params) === JSON.stringify(params)
    return isSame ? [] : [`R6: ${key} was performed as ${type} ${JSON.stringify(params)}`]
  })
}

function decidedIsPerformed({ evidence, decided, rows }: Facts): string[] {
  const performed = new Set(evidence.calls.filter((call) => call.endedAt !== undefined).map((call) => call.key))
  return decided
    .filter((one) => !performed.has(one.key) && !isWithdrawn(one, rows))
    .map(({ key, effect }) => `R6: ${effect.type} ${key} was never performed`)
}

function isWithdrawn({ row, effect }: Decided, rows: Facts['rows']): boolean {
  return rows.some((later) => later.address === row.address && later.seq > row.seq && withdraws(later, effect.type))
}

function withdraws(row: Facts['rows'][number], type: string): boolean {
  return row.effects.some(
    (effect) => effect.type === 'withdrawEffects' && (effect.params['types'] as readonly string[]).includes(type),
  )
}

const failing = ['refuses', 'always fails', 'brings poison']

/** The actor heard the result or the failure; where it does not hear, a list shows it. */
function outcomesAreKnown(facts: Facts): string[] {
  const { decided, rows, rowOf, hasLetter, lettersWereMoved, effects } = facts
  return decided.flatMap((one): string[] => {
    const { key, row, effect } = one
    if (isWithdrawn(one, rows)) return []
    const how = String(effect.params['how'])
    const result = rowOf(row.address, `${key}/done`)
    const failure = rowOf(row.address, `${key}/failed`)
    if (failing.includes(how) && effect.type === 'fileNote')
      return effects.some((dead) => dead.key === key) ? [] : [`R7: ${key} was given up and no list shows it`]
    if (failing.includes(how)) return failure ? [] : [`R7: ${key} failed for good and ${row.address} was not told`]
    if (how === 'misaddresses')
      return hasLetter(key) || lettersWereMoved ? [] : [`R7: the result of ${key} went nowhere and nothing shows it`]
    return result || failure ? [] : [`R6: the result of ${key} is lost`]
  })
}

/** Whoever knows of the withdrawal, by its own commit or because it came to life after it, begins no such effect. */
function withdrawnIsNotBegun({ evidence, decided }: Facts): string[] {
  const byKey = new Map(decided.map((one) => [one.key, one]))
  return evidence.calls.flatMap((call) => {
    const one = byKey.get(call.key)
    const withdrawal =
      one &&
      evidence.told.find(({ by, row, at }) => {
        const isEarlier = at < call.at && (by === call.by || at < bornAt(evidence, call.by))
        return isEarlier && row.address === one.row.address && row.seq > one.row.seq && withdraws(row, call.type)
      })
    return withdrawal ? [`R6: ${call.by} began ${call.key} although ${withdrawal.row.key} had withdrawn it`] : []
  })
}

function bornAt(evidence: Facts['evidence'], by: string): number {
  return evidence.lives.find((life) => life.name === by)?.startedAt ?? Infinity
}

/** Whose lease is over begins and writes nothing that its successor has settled (R5), wherever their clocks jump to. */
function settledIsNotBegunAgain({ evidence, decided }: Facts): string[] {
  const saidByCallback = new Set(
    decided.filter(({ effect }) => effect.params['how'] === 'answers twice').map((one) => one.key),
  )
  const settledAt = new Map<string, number>()
  for (const { row, at } of evidence.told) {
    const key = row.key.replace(/\/(done|failed)$/, '')
    if (key !== row.key && !settledAt.has(key)) settledAt.set(key, at)
  }
  return evidence.calls.flatMap((call) => {
    const at = settledAt.get(call.key)
    const isExempt = saidByCallback.has(call.key) || evidence.revived.has(call.key)
    if (at === undefined || isExempt) return []
    if (at < call.at) return [`R5: ${call.by} began ${call.key} after its outcome was committed`]
    return at < (call.endedAt ?? 0) ? [`R5: ${call.by} wrote ${call.key} after its outcome was committed`] : []
  })
}

/** Of one actor and in journal order: none begins before the one before it has come to an end somewhere. */
function orderedComeOneByOne({ evidence, decided }: Facts): string[] {
  const ordered = decided.filter(({ effect }) => effect.type === 'callInOrder')
  const calls = (key: string): readonly Call[] => evidence.calls.filter((call) => call.key === key)
  return ordered.flatMap((later, index) =>
    ordered.slice(0, index).flatMap((earlier) => {
      if (earlier.row.address !== later.row.address) return []
      const begunAt = Math.min(...calls(later.key).map((call) => call.at))
      const endedAt = Math.min(...calls(earlier.key).map((call) => call.endedAt ?? Infinity))
      return begunAt < endedAt ? [`R6: ${later.key} began before ${earlier.key} had ended`] : []
    }),
  )
}
