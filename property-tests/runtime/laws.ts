/** The laws of the runtime over what a life left behind. Each gives the sentences that say how it was broken. */
import type { JournalRow } from '../../runtime/runtime.ts'
import type { Plan } from './crash-plan.ts'
import type { Outcome } from './crash-run.ts'

type Law = (plan: Plan, outcome: Outcome) => readonly string[]

export function brokenLaws(plan: Plan, outcome: Outcome): readonly string[] {
  return laws.flatMap((law) => law(plan, outcome))
}

const laws: readonly Law[] = [
  acknowledgedIsJournaled,
  keysAreAppliedOnce,
  receiptsAgree,
  oneSenderKeepsOrder,
  sequencesHaveNoGap,
  effectsHaveOneKey,
  childrenArriveOnceInOrder,
  journalsReplay,
  nothingIsLeft,
]

function rowsOf(outcome: Outcome): readonly JournalRow[] {
  return [...outcome.journals.values()].flat()
}

function acknowledgedIsJournaled(_: Plan, outcome: Outcome): string[] {
  const keys = new Set(rowsOf(outcome).map((row) => row.key))
  return [...outcome.receipts.keys()]
    .filter((key) => !keys.has(key))
    .map((key) => `R1: ${key} was acknowledged and is lost`)
}

function keysAreAppliedOnce(_: Plan, outcome: Outcome): string[] {
  return [...outcome.journals.values()].flatMap((rows) =>
    rows
      .filter((row, index) => rows.findIndex((other) => other.key === row.key) !== index)
      .map((row) => `R3: ${row.address} applied ${row.key} twice`),
  )
}

/** At most one receipt says that it applied the key, and all tell the same sequence number and answer. */
function receiptsAgree(_: Plan, outcome: Outcome): string[] {
  return [...outcome.receipts].flatMap(([key, receipts]) => {
    const said = new Set(receipts.map(({ seq, answer }) => JSON.stringify({ seq, answer })))
    const applied = receipts.filter((receipt) => receipt.applied).length
    return said.size > 1 || applied > 1 ? [`R3: the receipts of ${key} differ: ${JSON.stringify(receipts)}`] : []
  })
}

/** Those that were waited for before the next was sent. */
function oneSenderKeepsOrder({ sends }: Plan, outcome: Outcome): string[] {
  return (['a', 'b'] as const).flatMap((actor) => {
    const patient = sends.flatMap((send, index) => (send.actor === actor && !send.isHasty ? [`k${index}`] : []))
    const journal = (outcome.journals.get(`task:${actor}`) ?? [])
      .map((row) => row.key)
      .filter((key) => patient.includes(key))
    return journal.join() === patient.join()
      ? []
      : [`R2: task:${actor} got ${journal.join()} instead of ${patient.join()}`]
  })
}

function sequencesHaveNoGap(_: Plan, outcome: Outcome): string[] {
  return rowsOf(outcome).length === 0
    ? ['there is no journal at all']
    : [...outcome.journals].flatMap(([actor, rows]) =>
        rows.every((row, index) => row.seq === index + 1) ? [] : [`R2: ${actor} has a gap`],
      )
}

/** Every decided effect that was not withdrawn was performed, under the key of its journal row and no other. */
function effectsHaveOneKey(_: Plan, outcome: Outcome): string[] {
  const rows = rowsOf(outcome)
  const decided = rows.flatMap((row) =>
    row.effects.flatMap((effect, index) =>
      effect.type === 'call' ? [{ key: `${row.address}/${row.seq}/${index}`, row }] : [],
    ),
  )
  const performed = new Set(outcome.performed.map((call) => call.key))
  const foreign = [...performed]
    .filter((key) => !decided.some((effect) => effect.key === key))
    .map((key) => `R6: ${key} was performed and never decided`)
  const missing = decided
    .filter(({ key, row }) => !performed.has(key) && !isWithdrawn(row, rows))
    .map(({ key }) => `R6: ${key} was never performed`)
  const unanswered = decided
    .filter(({ key, row }) => !rows.some((other) => other.key === `${key}/done`) && !isWithdrawn(row, rows))
    .map(({ key }) => `R6: the result of ${key} is lost`)
  return [...foreign, ...missing, ...unanswered]
}

function isWithdrawn(row: JournalRow, rows: readonly JournalRow[]): boolean {
  return rows.some(
    (later) =>
      later.address === row.address &&
      later.seq > row.seq &&
      later.effects.some((effect) => effect.type === 'withdrawEffects'),
  )
}

function childrenArriveOnceInOrder(_: Plan, outcome: Outcome): string[] {
  return (['a', 'b'] as const).flatMap((id) => {
    const told = (outcome.journals.get(`task:${id}`) ?? []).flatMap((row) =>
      row.effects.some((effect) => effect.type === 'deliver') ? [row.event['note']] : [],
    )
    const heard = (outcome.journals.get(`pod:${id}`) ?? []).map((row) => row.event['note'])
    return told.join() === heard.join() ? [] : [`R9: pod:${id} heard ${heard.join()} instead of ${told.join()}`]
  })
}

function journalsReplay(_: Plan, outcome: Outcome): string[] {
  return outcome.replays.filter((replay) => !replay.equal).map((replay) => `R11: ${JSON.stringify(replay)}`)
}

function nothingIsLeft(_: Plan, outcome: Outcome): string[] {
  return outcome.leftovers.length === 0 ? [] : [`R7: left behind: ${JSON.stringify(outcome.leftovers)}`]
}
