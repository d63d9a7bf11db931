/** R1, R2, R3, R5: what was acknowledged is there, once, in order, by who may, and says the same to whoever asks again. */
import { isCalm } from '../plan.ts'
import type { ClientPlan } from '../plan.ts'
import { name } from './facts.ts'
import type { Facts, Law } from './facts.ts'

export const eventLaws: readonly Law[] = [
  acknowledgedIsJournaled,
  refusedIsShown,
  repliesAgree,
  keysAreAppliedOnce,
  sequencesHaveNoGap,
  sendersKeepTheirOrder,
  burstsKeepTheirOrder,
  everyRowHasACause,
  whatListenersHeardIsJournaled,
  onlyTheHolderCommits,
]

function acknowledgedIsJournaled({ evidence, rowOf }: Facts): string[] {
  return evidence.replies.flatMap(({ key, to, receipt }) => {
    const isUnknown = receipt?.answer?.body['code'] === 'actor-unknown'
    if (!receipt || isUnknown) return []
    const row = rowOf(to, key)
    if (!row) return [`R1: ${key} for ${to} was acknowledged and is lost`]
    const said = JSON.stringify([receipt.seq, receipt.answer])
    const is = JSON.stringify([row.seq, row.answer])
    return said === is ? [] : [`R3: ${key} for ${to} was told ${said}, but the journal has ${is}`]
  })
}

/** A refusal is either what the data deserves, or shown as a dead letter (R7). */
function refusedIsShown({ evidence, rowOf, hasLetter, lettersWereMoved }: Facts): string[] {
  return evidence.replies.flatMap(({ key, to, receipt, refused }) => {
    const isShown = hasLetter(key) || lettersWereMoved || rowOf(to, key) !== undefined
    if (receipt?.answer?.body['code'] === 'actor-unknown' && !isShown)
      return [`R7: ${key} for ${to} was refused and nothing shows it`]
    const deserves = String(evidence.sent.get(key)?.fields['note']).includes('unholdable')
    return refused !== undefined && !deserves ? [`R7: ${key} for ${to} was refused as ${refused}`] : []
  })
}

/** Of several answers to one key at most one says that it was this sending which was applied. */
function repliesAgree({ evidence }: Facts): string[] {
  const applied = new Map<string, number>()
  for (const { key, receipt } of evidence.replies) if (receipt?.applied) applied.set(key, (applied.get(key) ?? 0) + 1)
  const sentOnce = (key: string): boolean => (evidence.sent.get(key)?.again.length ?? 0) === 0
  return [...applied].flatMap(([key, count]) =>
    count > 1 && sentOnce(key) && wasAskedOnce(evidence.replies, key)
      ? [`R3: ${key} was applied ${count} times, as the answers say`]
      : [],
  )
}

function wasAskedOnce(replies: Facts['evidence']['replies'], key: string): boolean {
  return replies.filter((reply) => reply.key === key).length === 1
}

function keysAreAppliedOnce({ journals }: Facts): string[] {
  return [...journals].flatMap(([actor, rows]) => {
    const keys = rows.map((row) => row.key)
    return keys.filter((key, at) => keys.indexOf(key) !== at).map((key) => `R3: ${actor} applied ${key} twice`)
  })
}

function sequencesHaveNoGap({ journals, views }: Facts): string[] {
  return views.flatMap(({ address, seq }) => {
    const rows = journals.get(address) ?? []
    const isWhole = rows.every((row, index) => row.seq === index + 1) && rows.length === seq
    return isWhole ? [] : [`R2: ${address} is at ${seq} and its journal has ${rows.map((row) => row.seq).join()}`]
  })
}

/** What was acknowledged before the next was sent stands before it. */
function sendersKeepTheirOrder(facts: Facts): string[] {
  return facts.plan.clients.flatMap((client) => {
    const steps = sendsOf(client).map((sends) => sends.flatMap((send) => facts.rowOf(send.to, send.key) ?? []))
    return steps.flatMap((earlier, index) =>
      earlier.flatMap((row) =>
        steps
          .slice(index + 1)
          .flat()
          .filter((later) => later.address === row.address && later.seq < row.seq)
          .map((later) => `R2: ${later.key} was sent after ${row.key} was acknowledged, and stands before it`),
      ),
    )
  })
}

/** In calm weather and with one process nothing may come between a call and its place. */
function burstsKeepTheirOrder({ plan, rowOf }: Facts): string[] {
  if (!isCalm(plan) || plan.processes.length > 1 || plan.settings.maxQueued < 100) return []
  return plan.clients.flatMap((client) =>
    sendsOf(client).flatMap((sends) => {
      const rows = sends.flatMap((send) => rowOf(send.to, send.key) ?? [])
      return rows.flatMap((row, index) =>
        rows
          .slice(index + 1)
          .filter((later) => later.address === row.address && later.seq < row.seq)
          .map((later) => `R2: ${later.key} was sent behind ${row.key} and stands before it`),
      )
    }),
  )
}

function sendsOf(client: ClientPlan): readonly (ClientPlan['steps'][number] & { kind: 'send' })['sends'][] {
  return client.steps.flatMap((step) => (step.kind === 'send' ? [step.sends] : []))
}

/** Nothing comes from nowhere: each key is one that was sent, or one that the journal itself makes. */
function everyRowHasACause({ rows, evidence, children, decided }: Facts): string[] {
  const made = new Set<string>([...evidence.sent.keys(), ...children.map((child) => child.key)])
  for (const { key, effect } of decided) {
    made.add(`${key}/done`).add(`${key}/failed`)
    // A result without a usable address is the actor's own letter, and can be put back.
    if (effect.params['how'] === 'misaddresses') made.add(key)
  }
  return rows
    .filter(({ key }) => !made.has(key) && !key.startsWith('timer:') && !made.has(key.replace(/(\/letter:\d+)+$/, '')))
    .map((row) => `R3: ${name(row)} has the key ${row.key}, which nobody sent`)
}

function whatListenersHeardIsJournaled({ evidence, rowOf }: Facts): string[] {
  return evidence.told
    .filter(({ row }) => rowOf(row.address, row.key)?.seq !== row.seq)
    .map(({ by, row }) => `R1: ${by} told of ${name(row)} under ${row.key}, which is not in the journal`)
}

function onlyTheHolderCommits({ evidence }: Facts): string[] {
  return evidence.told
    .filter(({ by, holder }) => by !== holder)
    .map(({ by, row, holder }) => `R5: ${by} committed ${name(row)} while ${holder ?? 'nobody'} held its shard`)
}
