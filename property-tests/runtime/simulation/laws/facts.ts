/** The outcome of a schedule, indexed as the laws ask for it. */
import type { ActorAddress } from '../../../../machines/definition.ts'
import type { Effect, JournalRow } from '../../../../runtime/runtime.ts'
import type { Outcome } from '../live.ts'
import { effectTypes } from '../points.ts'

export interface Decided {
  readonly key: string
  readonly row: JournalRow
  readonly effect: Effect
}

export interface Facts extends Outcome {
  readonly rows: readonly JournalRow[]
  rowOf(actor: ActorAddress, key: string): JournalRow | undefined
  /** Effects for handlers, in journal order. */
  readonly decided: readonly Decided[]
  /** Events for other actors, in journal order of the sender. */
  readonly children: readonly Decided[]
  hasLetter(key: string): boolean
  /** An operator put letters back: they are gone, or there under a longer key. */
  readonly lettersWereMoved: boolean
}

/** A sentence that begins with the number of the rule that was broken. */
export type Law = (facts: Facts) => readonly string[]

export function factsOf(outcome: Outcome): Facts {
  const rows = [...outcome.journals.values()].flat()
  const byKey = new Map(rows.map((row) => [`${row.address} ${row.key}`, row]))
  const asked = rows.flatMap((row) =>
    row.effects.map((effect, index): Decided => ({ key: `${row.address}/${row.seq}/${index}`, row, effect })),
  )
  const handled: readonly string[] = effectTypes
  const letters = new Set(outcome.letters.map((letter) => letter.key))
  return {
    ...outcome,
    rows,
    rowOf: (actor, key) => byKey.get(`${actor} ${key}`),
    decided: asked.filter(({ effect }) => handled.includes(effect.type)),
    children: asked.filter(({ effect }) => effect.type === 'deliver'),
    hasLetter: (key) => letters.has(key),
    lettersWereMoved: outcome.plan.clients.some(({ steps }) =>
      steps.some((step) => step.kind === 'operator' && step.asks.includes('redeliver')),
    ),
  }
}

export function name({ address, seq }: Pick<JournalRow, 'address' | 'seq'>): string {
  return `${address} ${seq}`
}
