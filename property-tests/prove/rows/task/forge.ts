/** What the forge says of merge requests: kept one by one, in order none < open < closed < merged (STAGE-11, STAGE-13, HEAD-2, MERGE-2). */
import { put, isGoAheadPark, isSame, isParkedBy, type EventOf, type Named, type TaskDraft } from './draft.ts'
import type { Move } from './pods.ts'

const nothing: Move = {}
const maxLaps = 5

/** `mr.noneOpen`, judged over the records as they are afterwards. */
function judged(t: TaskDraft, keep: () => void, otherwise: () => Move): Move {
  const { mergeRequests, awaitingOpen } = t.c.forge
  const effects = t.effects.length
  keep()
  const isNoneOpen = t.c.forge.mergeRequests.length > 0 && t.open.length === 0 && t.c.forge.awaitingOpen.length === 0
  const states = t.c.forge.mergeRequests.map(({ state }) => state)
  put(t.c, { forge: { mergeRequests, awaitingOpen } })
  t.effects.length = effects
  if (!isNoneOpen) return otherwise()
  if (!states.includes('merged')) return { to: 'rejected', does: () => (keep(), t.because('mr-closed')) }
  const reason = states.includes('closed') ? 'partly-merged' : null
  return { to: 'delivered', does: () => (keep(), t.because(reason)) }
}

function keepReady(t: TaskDraft, event: EventOf<'mr.ready'>): void {
  const { repository, number, mergeRequest, headSha, headBranch, baseBranch, author, url, writable } = event
  const owned = {
    ...{ repository, number, mergeRequest, headSha, headBranch, author, url },
    ...(baseBranch === undefined ? {} : { baseBranch }),
    ...(writable === undefined ? {} : { writable }),
  }
  const known = t.known(event)
  if (!known) {
    t.c.forge.mergeRequests = [...t.c.forge.mergeRequests, { ...owned, state: 'open', mergeCommit: null }]
    t.tell(`merge-request:${mergeRequest}`, 'mr.owned', { task: t.c.id })
  } else if (known.state === 'open') t.patchMergeRequest(event, owned)
  if (event.attempt === t.c.forge.openAttempt)
    t.c.forge.awaitingOpen = t.c.forge.awaitingOpen.filter((one) => one !== repository)
}

/** All that were asked for are open. */
function opensAll(t: TaskDraft, keep: () => void): Move {
  const { mergeRequests, awaitingOpen } = t.c.forge
  const effects = t.effects.length
  keep()
  const isAll = t.c.forge.awaitingOpen.length === 0 && t.open.length > 0
  put(t.c, { forge: { mergeRequests, awaitingOpen } })
  t.effects.length = effects
  return isAll ? { to: 'reviewing.fresh', does: () => (keep(), void (t.c.forge.failedOpenings = 0)) } : { does: keep }
}

function ready(t: TaskDraft, event: EventOf<'mr.ready'>): Move {
  if (t.c.stage.class === 'terminal') return { does: () => giveUp(t, event) }
  const keep = (): void => keepReady(t, event)
  return judged(t, keep, () => {
    if (t.is('reviewing.opening.asked')) return opensAll(t, keep)
    return t.is('merging') ? { to: 'merging.settling', does: keep } : { does: keep }
  })
}

/** Opened too late: nobody owns it, and people are told. */
function giveUp(t: TaskDraft, event: EventOf<'mr.ready'>): void {
  const reason = t.c.stage.reason ?? t.c.stage.name
  t.tell(`merge-request:${event.mergeRequest}`, 'mr.released', { task: t.c.id, reason })
  t.askAll([t.commentOn('mr', event)])
}

function merged(t: TaskDraft, event: EventOf<'mr.merged'>): Move {
  const known = t.known(event)
  const keep = (): void => {
    if (known) t.c.forge.awaitingOpen = t.c.forge.awaitingOpen.filter((one) => one !== event.repository)
    t.patchMergeRequest(event, { state: 'merged', mergeCommit: event.mergeCommit })
  }
  return judged(t, keep, () => {
    if (t.is('reviewing.opening.asked')) return opensAll(t, keep)
    return t.is('merging') && known ? { to: 'merging.settling', does: keep } : { does: keep }
  })
}

function closed(t: TaskDraft, event: EventOf<'mr.closed'>): Move {
  const known = t.known(event)
  const keep = (): void => {
    if (known && known.state !== 'merged') t.patchMergeRequest(event, { state: 'closed' })
  }
  return judged(t, keep, () =>
    t.is('merging') && known?.state === 'open'
      ? { to: 'awaiting-human', does: () => (keep(), t.because('mr-closed')) }
      : { does: keep },
  )
}

function reopened(t: TaskDraft, event: EventOf<'mr.reopened'>): Move {
  const known = t.known(event)
  const keep = (): void => {
    if (!known || known.state === 'merged') return
    t.patchMergeRequest(event, { state: 'open' })
    place(t, event, event)
  }
  return { ...(t.is('merging') && known ? { to: 'merging.settling' } : {}), does: keep }
}

/** Another base than the records have: told to the next turn, and marked until then [HEAD-1]. */
export function isNewBase(known: { readonly baseBranch?: string } | undefined, base: string | undefined): boolean {
  return base !== undefined && known?.baseBranch !== undefined && known.baseBranch !== base
}

export function place(t: TaskDraft, named: Named, { sha, base }: { sha: string; base?: string | undefined }): void {
  const isNew = isNewBase(t.known(named), base)
  t.patchMergeRequest(named, { headSha: sha, ...(base === undefined ? {} : { baseBranch: base }) })
  if (!isNew) return
  t.news('push', named)
  t.patchMergeRequest(named, { baseUntold: t.c.journal.eventSequence })
}

function keepHead(t: TaskDraft, event: EventOf<'mr.headMoved'>): void {
  const known = t.known(event)
  if (!known) return
  const isMoved = known.headSha !== event.sha
  place(t, event, event)
  if (isMoved && event.gated && !event.byOwnPod) t.append('push', event, event.author, `new head ${event.sha}`)
}

function headMoved(t: TaskDraft, event: EventOf<'mr.headMoved'>): Move {
  const keep = (): void => keepHead(t, event)
  const known = t.known(event)
  const judged = t.c.forge.verdict?.find(
    ({ repository, number }) => repository === event.repository && number === event.number,
  )
  const isJudged = judged?.sha === event.sha && (event.base === undefined || judged.base === event.base)
  if (t.is('merging') && known?.state === 'open' && !isJudged)
    return { to: 'reviewing.fresh', does: () => (keep(), void (t.c.forge.verdict = null)) }
  const isPushed = known?.headSha !== event.sha && event.gated && !event.byOwnPod
  const isForeign = known?.state === 'open' && (isPushed || isNewBase(known, event.base))
  if (!t.is('awaiting-human') || !isForeign || isParkedBy(t, 'held')) return { does: keep }
  if (t.isReviewKind) {
    if (t.c.stage.reviewLaps >= maxLaps) return { does: () => (keep(), t.because('laps')) }
    return { to: 'reviewing.fresh', does: () => (keep(), void (t.c.stage.reviewLaps += 1), t.heardNothing()) }
  }
  if (isGoAheadPark(t)) return { to: 'reviewing.fresh', does: () => (keep(), t.heardNothing()) }
  return isParkedBy(t, 'optional-check')
    ? { to: 'reviewing.fresh', does: () => (keep(), t.heardNothing(t.c.forge.optionalLaps)) }
    : { does: keep }
}

/** The third in a row needs a human. */
export function openingFailed(t: TaskDraft, repository?: string): Move {
  const count = (): void => {
    t.news('push', repository === undefined ? undefined : { repository })
    t.c.forge.failedOpenings += 1
    t.c.stage.detail = 'words'
  }
  if (t.c.forge.failedOpenings < 2) return { to: `${t.ownStage}.fresh`, does: count }
  const does = (): void => {
    count()
    t.afterPod(t.comments)
    t.because('not-opened', 'words')
  }
  return { to: 'awaiting-human', does }
}

function openFailed(t: TaskDraft, { repository, attempt }: EventOf<'mr.openFailed'>): Move {
  if (!t.is('reviewing.opening.asked') || attempt !== t.c.forge.openAttempt) return nothing
  return openingFailed(t, repository)
}

type Answer = EventOf<'mr.conflict' | 'mr.ciRed' | 'mr.ciPending' | 'mr.notMergeableYet' | 'mr.mergeRefused'>

/** Of this very ask: its merge request, head and attempt [MERGE-2]. */
function isAnswer(t: TaskDraft, { repository, number, sha, attempt }: Answer): boolean {
  const { merging, mergeAttempt } = t.c.forge
  if (!t.is('merging.asked.outstanding') || merging === null || attempt !== mergeAttempt) return false
  return merging.repository === repository && merging.number === number && merging.sha === sha
}

function backToWork(kind: string, reason: string): (t: TaskDraft, event: Answer) => Move {
  return (t, event) => {
    if (!isAnswer(t, event)) return nothing
    const keep = (): void => t.news(kind, event)
    return t.isReviewKind
      ? { to: 'awaiting-human', does: () => (keep(), t.because(reason)) }
      : { to: `${t.ownStage}.fresh`, does: keep }
  }
}

function aboutChecks(t: TaskDraft, event: Answer, checks: readonly string[]): Move {
  return {
    to: 'awaiting-human',
    does: () => {
      const { repository, number, sha } = event
      t.because('optional-check', 'words')
      const base = t.open.find((mr) => isSame(mr, event))?.baseBranch
      const asked = { repository, number, sha, ...(base === undefined ? {} : { base }) }
      t.c.forge.checkQuestion = { ...asked, checks, isAllowed: false }
      t.askAll([t.commentOn('mr', event)])
    },
  }
}

/** After an hour of asks, whose pauses grow to five minutes, people are asked about checks that nobody knows to be required (MERGE-15). */
function ciPending(t: TaskDraft, event: EventOf<'mr.ciPending'>): Move {
  const loose = [...(event.optional ?? []), ...(event.unclear ?? [])]
  const isLong = t.c.forge.mergeAsks >= 18
  return isAnswer(t, event) && loose.length > 0 && isLong ? aboutChecks(t, event, loose) : later(t, event)
}

/** Two laps of work for each red check that nobody knows to be required; when none has one left, a human (MERGE-15). */
function ciRed(t: TaskDraft, event: EventOf<'mr.ciRed'>): Move {
  const loose = [...(event.optional ?? []), ...(event.unclear ?? [])]
  const checks = loose.map((name) => `${event.repository} ${name}`)
  const laps = (check: string): number => t.c.forge.optionalLaps[check] ?? 0
  const isOver = checks.length > 0 && !checks.some((check) => laps(check) < 2)
  if (isAnswer(t, event) && isOver) return aboutChecks(t, event, loose)
  const { does, ...move } = backToWork('ci', 'ci-red')(t, event)
  if (!does) return move
  const count = (): void => {
    const counted = checks.map((check) => [check, laps(check) + 1] as const)
    t.c.forge.optionalLaps = { ...t.c.forge.optionalLaps, ...Object.fromEntries(counted) }
    does()
  }
  return { ...move, does: count }
}

function later(t: TaskDraft, event: Answer): Move {
  return isAnswer(t, event) ? { to: 'merging.asked.backingOff' } : nothing
}

/** Of a review a lap of work the first time; whatever else, a human (MERGE-6, MERGE-11 to MERGE-13). */
function mergeRefused(t: TaskDraft, event: EventOf<'mr.mergeRefused'>): Move {
  if (!isAnswer(t, event)) return nothing
  const { cause, review } = event
  const isFirst = review !== undefined && !t.c.forge.reviewsAnswered.includes(review)
  if (cause === 'changes' && isFirst && !t.isReviewKind) {
    const answer = (): void => {
      t.c.forge.reviewsAnswered = [...t.c.forge.reviewsAnswered, review]
      t.news('mr_review', event)
    }
    return { to: `${t.ownStage}.fresh`, does: answer }
  }
  const reason = cause === undefined ? 'merge-refused' : cause === 'protected-paths' ? cause : 'withheld'
  return {
    to: 'awaiting-human',
    does: () => (t.because(reason, 'words'), t.askAll([t.commentOn('mr', event)])),
  }
}

export const handlers = {
  'mr.ready': ready,
  'mr.merged': merged,
  'mr.closed': closed,
  'mr.reopened': reopened,
  'mr.headMoved': headMoved,
  'mr.openFailed': openFailed,
  'mr.conflict': backToWork('merge_conflict', 'conflict'),
  'mr.ciRed': ciRed,
  'mr.ciPending': ciPending,
  'mr.notMergeableYet': later,
  'mr.mergeRefused': mergeRefused,
}
