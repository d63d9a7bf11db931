/** What must hold of every run: the laws of the machines over its whole history, and what only the whole system can show. */
import { people } from '../../standins/people.ts'
import { keyMarker } from '../../edges/forge/marker.ts'
import { brokenLaws as brokenMachineLaws } from '../machines/laws.ts'
import type { Outcome } from './live.ts'
import { isWish } from './people.ts'
import { memoryLaws } from './memory-laws.ts'
import { stackLaws } from './stacks/laws.ts'
import { foreignCommitsWait } from './origins.ts'
import { nothingIsMintedWhilePaused } from './pauses.ts'
import { nameOf } from './thread.ts'
import { markOf, wrongStandings } from './standings.ts'
import { decision, nameIn, repositoryOf, traceOf } from './trace.ts'
import { mergesAreIntoTheJudgedBase, onlyReviewedHeadsAreMerged } from './verdicts.ts'
import { grantsAreTheirs, objectionsStand, plansStand, withdrawalsStand } from './withdrawals.ts'

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
  everythingDecidedIsSaid,
  nothingIsSaidTwice,
  oneMergeRequestABranch,
  onlyReviewedHeadsAreMerged,
  mergesAreIntoTheJudgedBase,
  foreignCommitsWait,
  theBaseMovesByMergesAlone,
  answersAreKept,
  alertsAreKept,
  ({ rows }) => nothingIsMintedWhilePaused(rows),
  standingsAreSaid,
  standingsAreRewritten,
  withdrawalsStand,
  objectionsStand,
  grantsAreTheirs,
  plansStand,
  aWithheldModelIsSpared,
  ...memoryLaws,
  ...stackLaws,
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
  const ends: ReadonlySet<string> = new Set(['issue.close', 'pull.close', 'pull.merge'])
  const closed = new Set(audit.filter(({ action }) => ends.has(action)).map(nameIn))
  return opened
    .filter((one) => isWish(one) && !closed.has(nameOf(one)))
    .map((one) => `wish: ${nameOf(one)} is still open`)
}

function strangersStayUnanswered({ opened, audit }: Outcome): readonly string[] {
  const theirs = new Set(opened.filter(({ by }) => by === 'stranger').map(nameOf))
  return audit
    .filter((entry) => entry.actor === people.bot && theirs.has(nameIn(entry)))
    .map((entry) => `stranger: the platform did ${entry.action} on ${nameIn(entry)} of somebody outside`)
}

/** The platform opens and merges by a decision of a machine and never otherwise. */
function everyWriteIsDecided({ audit, rows }: Outcome): readonly string[] {
  return audit.flatMap((entry) => {
    const { actor, action, place, number, detail } = entry
    if (actor !== people.bot) return []
    const isHere = (params: Readonly<Record<string, unknown>>): boolean => params['repository'] === repositoryOf(entry)
    const merges = action === 'pull.merge'
    if (merges && !decision(rows, place, 'mergeMergeRequest', (p) => isHere(p) && p['number'] === number))
      return [`decided: ${nameIn(entry)} was merged and nobody had decided it`]
    const opens = action === 'pull.open'
    if (opens && !decision(rows, place, 'openMergeRequest', (p) => isHere(p) && p['branch'] === detail?.['head']))
      return [`decided: ${String(detail?.['head'])} was opened and nobody had decided it`]
    return []
  })
}

/** R6: at least once. A comment without a topic is never rewritten, so the key of each that was asked for stands there. */
function everythingDecidedIsSaid({ rows, comments, effects }: Outcome): readonly string[] {
  const pending = new Set(effects.map(({ key }) => key))
  const bodies = comments.filter(({ author }) => author === people.bot).map(({ body }) => body)
  const failed = new Set(rows.flatMap(({ event }) => (event.type === 'effect.failed' ? [String(event['key'])] : [])))
  return rows.flatMap(({ address, seq, effects: asked }) =>
    asked.flatMap(({ type, params }, index) => {
      const key = `${address}/${seq}/${index}`
      if (type !== 'postComment' || params['topic'] !== undefined || pending.has(key) || failed.has(key)) return []
      return bodies.some((body) => body.includes(keyMarker(key))) ? [] : [`R6: ${key} asked for words that nobody said`]
    }),
  )
}

/** Longer than turns that were on their way take, and a process that is started again meanwhile. */
const heardMs = 600_000
const firstPauseMs = 900_000

/** MODEL-KEY-2, MODEL-KEY-4: once it is heard that the provider withholds the model, one turn tries after each pause. */
function aWithheldModelIsSpared({ plan, unanswered }: Outcome): readonly string[] {
  const from = unanswered[0]?.atMs ?? 0
  const later = unanswered.filter(({ atMs }) => atMs > from + heardMs)
  const tries = Math.ceil((plan.withheld?.forMs ?? 0) / firstPauseMs)
  return later.length <= tries ? [] : [`withheld: ${later.length} turns were asked of a provider that answers nobody`]
}

/** By what is hidden in each comment for this purpose. */
function nothingIsSaidTwice({ comments }: Outcome): readonly string[] {
  const seen = new Set<string>()
  return comments.flatMap(({ thread, author, body }) => {
    if (author !== people.bot || !body.includes('<!-- platform:')) return []
    const name = `${thread} ${body}`
    if (seen.has(name)) return [`twice: on ${thread}: ${JSON.stringify(body.slice(0, 60))}`]
    seen.add(name)
    return []
  })
}

function oneMergeRequestABranch({ audit }: Outcome): readonly string[] {
  const open = new Map<string, string>()
  return audit.flatMap((entry) => {
    const { action, detail, actor, repository } = entry
    const thread = nameIn(entry)
    if (action === 'pull.close' || action === 'issue.close' || action === 'pull.merge') open.delete(thread)
    if (action !== 'pull.open' || actor !== people.bot) return []
    const branch = `${repository} ${String(detail?.['head'])}`
    const isSecond = [...open.values()].includes(branch)
    open.set(thread, branch)
    return isSecond ? [`one: ${thread} is a second merge request of ${branch}`] : []
  })
}

function theBaseMovesByMergesAlone({ audit }: Outcome): readonly string[] {
  const merged = new Set(audit.flatMap(({ action, after }) => (action === 'pull.merge' ? [after] : [])))
  return audit
    .filter(({ action, ref, after }) => action === 'git.push' && ref === 'refs/heads/main' && !merged.has(after))
    .map(({ actor, after = '' }) => `base: ${actor} pushed ${after.slice(0, 7)} to main`)
}

/** R1 at the outermost edge: what an agent was told to be taken was in the journal of its Task when it was told. */
function answersAreKept({ said, rows }: Outcome): readonly string[] {
  const keptAt = new Map<string, number>()
  for (const { address, event, place } of rows) {
    const name = `${address}/${String(event['pod'])} ${String(event['action'])}`
    if (event.type === 'outcome' && !keptAt.has(name)) keptAt.set(name, place)
  }
  return said.flatMap(({ status, action, pod, place }) => {
    if (status !== 200 || action === 'concluded') return []
    const at = keptAt.get(`task:${pod} ${action}`)
    if (at === undefined) return [`R1: ${pod} was told that its ${action} is taken, and the journal has none`]
    return at > place ? [`R1: ${pod} was told that its ${action} is taken before the journal had it`] : []
  })
}

/** R1 and R3 for who sends alerts: what was taken asked for its incident, and only once, however often it fired. */
function alertsAreKept({ alerts, rows }: Outcome): readonly string[] {
  const asked = rows.filter(({ event }) => event.type === 'queue.enqueue' && event['sort'] === 'mint')
  return [...alerts].flatMap((name) => {
    const count = asked.filter(({ event }) =>
      JSON.stringify(event['seed'] ?? '').includes(`alert \\"${name}\\"`),
    ).length
    return count === 1 ? [] : [`R1: ${name} was taken, and asked for ${count} incidents`]
  })
}

/** decisions/0018: one comment of each Task, which says at last how it ended. */
function standingsAreSaid({ views, comments }: Outcome): readonly string[] {
  return wrongStandings(
    views.filter(({ kind }) => kind === 'task'),
    comments,
  )
}

/** A second one comes of two processes that live at once, and of nothing else. */
function standingsAreRewritten({ plan, views, audit }: Outcome): readonly string[] {
  const livedTwoAtOnce = plan.faults.some(({ kind }) => kind === 'stop' || kind === 'pause')
  if (livedTwoAtOnce) return []
  return views
    .filter(({ kind }) => kind === 'task')
    .flatMap(({ id, address }) => {
      const posted = audit.filter(
        ({ action, actor, detail }) =>
          action === 'comment.create' && actor === people.bot && String(detail?.['body']).includes(markOf(id)),
      )
      return posted.length > 1 ? [`standing: how ${address} stands was posted ${posted.length} times`] : []
    })
}
