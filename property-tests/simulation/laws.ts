/** What must hold of every run: the laws of the machines over its whole history, and what only the whole system can show. */
import { people } from '../../cli/local/people.ts'
import { brokenLaws as brokenMachineLaws } from '../machines/laws.ts'
import type { Outcome } from './live.ts'
import { decision, traceOf } from './trace.ts'

type Law = (outcome: Outcome) => readonly string[]

export function brokenLaws(outcome: Outcome): readonly string[] {
  return [...brokenMachineLaws(traceOf(outcome)), ...laws.flatMap((law) => law(outcome))]
}

const laws: readonly Law[] = [
  comesToRest,
  nothingIsDead,
  journalsReplay,
  wishesComeTrue,
  strangersStayUnanswered,
  everyWriteIsDecided,
  nothingIsSaidTwice,
  oneMergeRequestABranch,
  onlyReviewedHeadsAreMerged,
  theBaseMovesByMergesAlone,
  answersAreKept,
]

function comesToRest({ stuck, leftovers }: Outcome): readonly string[] {
  return [
    ...stuck.map((stage) => `rest: ${stage} did not come to its end`),
    ...leftovers.slice(0, 3).map((left) => `rest: still there at the end: ${Object.values(left).join(' ')}`),
  ]
}

function nothingIsDead({ letters, effects }: Outcome): readonly string[] {
  return [
    ...letters.map(({ to, event, reason }) => `R7: a dead letter ${event.type} to ${to}: ${reason}`),
    ...effects
      .filter(({ state }) => state === 'dead')
      .map(({ actor, effect, lastError }) => `R7: ${effect.type} of ${actor} is dead: ${lastError}`),
  ]
}

function journalsReplay({ replays }: Outcome): readonly string[] {
  return replays.flatMap(({ address, firstDifference }) =>
    firstDifference ? [`R11: ${address}: ${firstDifference}`] : [],
  )
}

/** Whoever may ask, and is not told no, gets it in the end. */
function wishesComeTrue({ opened, audit }: Outcome): readonly string[] {
  const closed = new Set(audit.flatMap(({ action, number }) => (action === 'issue.close' ? [number] : [])))
  const wishes = opened.filter(({ plan }) => plan.by !== 'stranger' && plan.isLabelled)
  return wishes.filter(({ number }) => !closed.has(number)).map(({ number }) => `wish: issue #${number} is still open`)
}

function strangersStayUnanswered({ opened, audit }: Outcome): readonly string[] {
  const theirs = new Set(opened.filter(({ plan }) => plan.by === 'stranger').map(({ number }) => number))
  return audit
    .filter(({ actor, number }) => actor === people.bot && theirs.has(number ?? 0))
    .map(({ action, number }) => `stranger: the platform did ${action} on issue #${number} of somebody outside`)
}

/** The platform opens and merges by a decision of a machine and never otherwise. */
function everyWriteIsDecided({ audit, rows }: Outcome): readonly string[] {
  return audit.flatMap(({ actor, action, place, number, detail }) => {
    if (actor !== people.bot) return []
    if (action === 'pull.merge' && !decision(rows, place, 'mergeMergeRequest', (params) => params['number'] === number))
      return [`decided: #${number} was merged and nobody had decided it`]
    if (
      action === 'pull.open' &&
      !decision(rows, place, 'openMergeRequest', (params) => params['branch'] === detail?.['head'])
    )
      return [`decided: ${String(detail?.['head'])} was opened and nobody had decided it`]
    return []
  })
}

/** By what is hidden in each comment for this purpose. */
function nothingIsSaidTwice({ comments }: Outcome): readonly string[] {
  const seen = new Set<string>()
  return comments.flatMap(({ number, author, body }) => {
    if (author !== people.bot || !body.includes('<!-- platform:')) return []
    const name = `#${number} ${body}`
    if (seen.has(name)) return [`twice: on #${number}: ${JSON.stringify(body.slice(0, 60))}`]
    seen.add(name)
    return []
  })
}

function oneMergeRequestABranch({ audit }: Outcome): readonly string[] {
  const open = new Map<number, string>()
  return audit.flatMap(({ action, number = 0, detail, actor }) => {
    if (action === 'pull.close' || action === 'issue.close' || action === 'pull.merge') open.delete(number)
    if (action !== 'pull.open' || actor !== people.bot) return []
    const branch = String(detail?.['head'])
    const isSecond = [...open.values()].includes(branch)
    open.set(number, branch)
    return isSecond ? [`one: #${number} is a second merge request of ${branch}`] : []
  })
}

/** As an agent of a review pod said and the platform accepted, whatever the machines make of it. */
function onlyReviewedHeadsAreMerged({ audit, said }: Outcome): readonly string[] {
  return audit.flatMap(({ action, actor, number, sha = '', place }) => {
    if (action !== 'pull.merge' || actor !== people.bot) return []
    const isReviewed = said.some(
      ({ action: verdict, kind, status, payload, place: at }) =>
        kind === 'review' &&
        verdict === 'approve' &&
        status === 200 &&
        at <= place &&
        JSON.stringify(payload).includes(sha),
    )
    return isReviewed ? [] : [`reviewed: #${number} was merged at ${sha.slice(0, 7)}, which nobody had approved`]
  })
}

function theBaseMovesByMergesAlone({ audit }: Outcome): readonly string[] {
  const merged = new Set(audit.flatMap(({ action, after }) => (action === 'pull.merge' ? [after] : [])))
  return audit
    .filter(({ action, ref, after }) => action === 'git.push' && ref === 'refs/heads/main' && !merged.has(after))
    .map(({ actor, after = '' }) => `base: ${actor} pushed ${after.slice(0, 7)} to main`)
}

/** R1 at the outermost edge: what an agent was told to be taken is in the journal of its Task. */
function answersAreKept({ said, rows }: Outcome): readonly string[] {
  const kept = new Set(
    rows
      .filter(({ event }) => event.type === 'outcome')
      .map(({ address, event }) => `${address}/${String(event['pod'])} ${String(event['action'])}`),
  )
  return said
    .filter(({ status, action, pod }) => status === 200 && action !== 'concluded' && !kept.has(`task:${pod} ${action}`))
    .map(({ pod, action }) => `R1: ${pod} was told that its ${action} is taken, and the journal has none`)
}
