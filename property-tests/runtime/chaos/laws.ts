/** The laws over a run of chaos. Each gives the sentences that say how it was broken. */
import { effectKey, parseEffectKey, shardOf } from '../../../runtime/address.ts'
import type { History, Row, Takeover } from './history.ts'
import { laterTimer } from '../../../runtime/contract/toy-machine.ts'
import type { EffectLine } from './messages.ts'

type Law = (history: History) => readonly string[]

export function brokenLaws(history: History): readonly string[] {
  return laws.flatMap((law) => law(history))
}

const laws: readonly Law[] = [
  acknowledgedIsJournaled,
  keysAreAppliedOnce,
  sequencesHaveNoGap,
  laterSendersComeLater,
  staleOwnersCommitNothing,
  effectsHaveOneKey,
  effectsAreNotBegunByAFormerOwner,
  orderedEffectsKeepOrder,
  resultsAreAppliedOnce,
  timersFireOnce,
  pingsArriveOnceInOrder,
  journalsReplay,
  nothingIsLeft,
  noShardIsOrphaned,
  theDeadAreReplacedWithinTheLease,
]

const performedTypes: ReadonlySet<string> = new Set(['call', 'callInOrder'])

function actors(history: History): readonly (readonly [string, readonly Row[]])[] {
  return [...history.journals]
}

function acknowledgedIsJournaled({ acknowledged, journals }: History): string[] {
  const stored = new Map([...journals].flatMap(([actor, rows]) => rows.map((row) => [`${actor} ${row.key}`, row.seq])))
  return acknowledged.flatMap(({ actor, key, seq }) => {
    const found = stored.get(`${actor} ${key}`)
    if (found === undefined) return [`R1: ${key} of ${actor} was acknowledged and is lost`]
    return found === seq ? [] : [`R3: ${key} of ${actor} was acknowledged as ${seq} and is ${found} in the journal`]
  })
}

function keysAreAppliedOnce(history: History): string[] {
  return actors(history).flatMap(([actor, rows]) => {
    const seen = new Set<string>()
    return rows.flatMap(({ key }) => (seen.has(key) ? [`R3: ${actor} applied ${key} twice`] : (seen.add(key), [])))
  })
}

function sequencesHaveNoGap(history: History): string[] {
  return actors(history).flatMap(([actor, rows]) =>
    rows.every((row, index) => row.seq === index + 1) ? [] : [`R2: the journal of ${actor} has a gap or a double`],
  )
}

/** What was sent after another event of the actor had been acknowledged stands behind it. */
function laterSendersComeLater({ acknowledged }: History): string[] {
  return [...Map.groupBy(acknowledged, (one) => one.actor)].flatMap(([actor, all]) => {
    const answers = all.toSorted((a, b) => a.ackedAt - b.ackedAt)
    let index = 0
    let highest = 0
    return all
      .toSorted((a, b) => a.sentAt - b.sentAt)
      .flatMap(({ key, seq, sentAt }) => {
        for (; answers[index] && answers[index]!.ackedAt < sentAt; index++)
          highest = Math.max(highest, answers[index]!.seq)
        return seq > highest ? [] : [`R2: ${key} of ${actor} was sent after ${highest} was acknowledged and is ${seq}`]
      })
  })
}

function staleOwnersCommitNothing({ staleCommits }: History): string[] {
  return staleCommits.map(
    ({ actor, seq, writer }) => `R5: ${writer} committed ${actor} ${seq} without owning its shard`,
  )
}

function decided(history: History): Map<string, { readonly type: string; readonly params: string }> {
  return new Map(
    actors(history).flatMap(([actor, rows]) =>
      rows.flatMap((row) =>
        row.effects.flatMap(({ type, params }, index) =>
          performedTypes.has(type)
            ? [[effectKey({ actor: actor as never, seq: row.seq, index }), { type, params: JSON.stringify(params) }]]
            : [],
        ),
      ),
    ) as [string, { type: string; params: string }][],
  )
}

function effectsHaveOneKey(history: History): string[] {
  const asked = decided(history)
  const foreign = history.performed.flatMap(({ key, type, params }) => {
    const effect = asked.get(key)
    if (!effect) return [`R6: ${key} was performed and never decided`]
    return effect.type === type && effect.params === params ? [] : [`R6: ${key} was performed as something else`]
  })
  const done = new Set(history.performed.map((line) => line.key))
  return [...foreign, ...[...asked.keys()].flatMap((key) => (done.has(key) ? [] : [`R6: ${key} was never performed`]))]
}

/** The audit's time of a takeover is before its commit, the handler's before its work; both are whole milliseconds. */
function effectsAreNotBegunByAFormerOwner({ performed, takeovers, shards }: History): string[] {
  const byShard = Map.groupBy(takeovers, (one) => one.shard)
  return performed.flatMap((line) => {
    const owners = ownersAt(byShard.get(shardOf(line.actor, shards)) ?? [], line)
    return owners.length === 0 || owners.includes(line.owner)
      ? []
      : [`R5: ${line.owner} began ${line.key}, which was ${owners.join(' or ')}'s`]
  })
}

/** Within the millisecond of a takeover it may have been either's. */
function ownersAt(takeovers: readonly Takeover[], { at }: EffectLine): readonly string[] {
  const before = takeovers.findLast((one) => one.at < at)
  return [...(before ? [before] : []), ...takeovers.filter((one) => one.at === at)].map((one) => one.owner)
}

/** Judged by first performances: a repeat after a crash may come late. */
function orderedEffectsKeepOrder({ performed }: History): string[] {
  const ordered = performed.filter((line) => line.type === 'callInOrder')
  return [...Map.groupBy(ordered, (line) => line.actor)].flatMap(([actor, lines]) => {
    const firsts = [...new Set(lines.toSorted((a, b) => a.at - b.at).map((line) => line.key))]
    const seqs = firsts.map((key) => parseEffectKey(key)?.seq ?? 0)
    return seqs.every((seq, index) => index === 0 || seq > seqs[index - 1]!)
      ? []
      : [`R2: the ordered effects of ${actor} were first performed as ${seqs.join(', ')}`]
  })
}

function resultsAreAppliedOnce(history: History): string[] {
  const results = Map.groupBy(
    actors(history).flatMap(([, rows]) => rows.filter((row) => row.event.type === 'call.done')),
    (row) => String(row.event['note']),
  )
  return [...decided(history).keys()].flatMap((key) => {
    const count = results.get(key)?.length ?? 0
    return count === 1 ? [] : [`R6: the result of ${key} was applied ${count} times`]
  })
}

function timersFireOnce(history: History): string[] {
  return actors(history).flatMap(([actor, rows]) => {
    let armed: Row | undefined
    const faults = rows.flatMap((row) => {
      if (row.event.type === 'later') armed = row
      if (row.event.type !== 'later.came') return []
      const by = armed
      armed = undefined
      if (!by || row.key !== `timer:${laterTimer}:${by.seq}`)
        return [`R8: ${actor} heard ${row.key}, which was not armed`]
      return row.at >= by.at + Number(by.event['ms']) ? [] : [`R8: ${row.key} of ${actor} fired before its time`]
    })
    return armed ? [...faults, `R8: the timer that ${actor} armed at ${armed.seq} never fired`] : faults
  })
}

function pingsArriveOnceInOrder(history: History): string[] {
  const sent = actors(history).flatMap(([actor, rows]) =>
    rows.flatMap((row) => (row.event.type === 'told' ? [`${actor}>${String(row.event['partner'])}`] : [])),
  )
  const heard = actors(history).flatMap(([actor, rows]) =>
    rows.flatMap((row) =>
      row.event.type === 'pod.told' ? [{ way: `${String(row.event['from'])}>${actor}`, n: row.event['n'] }] : [],
    ),
  )
  const sentCounts = Map.groupBy(sent, (way) => way)
  const heardBy = Map.groupBy(heard, (ping) => ping.way)
  return [...new Set([...sentCounts.keys(), ...heardBy.keys()])].flatMap((way) => {
    const numbers = (heardBy.get(way) ?? []).map((ping) => ping.n)
    const isWhole =
      numbers.length === (sentCounts.get(way)?.length ?? 0) && numbers.every((n, index) => n === index + 1)
    return isWhole
      ? []
      : [`R9: of ${sentCounts.get(way)?.length ?? 0} pings ${way} came ${numbers.length}, or not in order`]
  })
}

function journalsReplay({ replays }: History): string[] {
  return replays.filter((replay) => !replay.equal).map((replay) => `R11: ${JSON.stringify(replay)}`)
}

function nothingIsLeft({ leftovers }: History): string[] {
  return leftovers.map((one) => `R7: left behind: ${one}`)
}

function noShardIsOrphaned({ owners, living, shards }: History): string[] {
  const orphaned = owners.filter(({ owner }) => owner === null || !living.includes(owner))
  const missing = owners.length === shards ? [] : [`there are ${owners.length} shards instead of ${shards}`]
  const counts = living.map((name) => owners.filter(({ owner }) => owner === name).length)
  const isFair = living.length === 0 || Math.max(...counts) - Math.min(...counts) <= 1
  return [
    ...missing,
    ...orphaned.map(({ shard, owner }) => `shard ${shard} is orphaned: ${owner ?? 'nobody'} has it`),
    ...(isFair ? [] : [`the shards are divided as ${counts.join(', ')}`]),
  ]
}

/** What a successor asks of the store, one after the other: who lives, to strike out the dead, for its shards. */
const stepsOfTakeover = 3

/**
 * The median, each less what the machine was late meanwhile: every step may come as late as the driver's latest look did,
 * which had the same two cores and the same server.
 */
function theDeadAreReplacedWithinTheLease({ absences, leaseMs }: History): string[] {
  const fair = absences
    .map(({ tookMs, latestLookMs }) => tookMs - stepsOfTakeover * latestLookMs)
    .toSorted((a, b) => a - b)
  const median = fair[(fair.length - 1) >> 1] ?? 0
  return median > leaseMs
    ? [`the shards of a dead process are held again after ${median} ms (median), its lease is ${leaseMs}`]
    : []
}
