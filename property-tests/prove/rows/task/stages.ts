/** The stage region by event: what moves the Task, and what it keeps of what it hears (STAGE and PARK, docs/rules.md). */
import type { TaskContext } from '../../../../machines/task/context.ts'
import type { TaskEvent } from '../../../../machines/task/events.ts'
import {
  put,
  ends,
  goAheadParks,
  isGoAheadPark,
  isParkedBy,
  isSame,
  parks,
  type EventOf,
  type TaskDraft,
} from './draft.ts'
import { isOpeningFaulty } from './entering.ts'
import * as approvals from './approvals.ts'
import * as forge from './forge.ts'
import { fold, foldMove, takeover } from './hand-over.ts'
import { outcomeMove, platformNote } from './outcomes.ts'
import { isBacklog, type Move } from './pods.ts'

const nothing: Move = {}
const workStages = /^(brainstorming|investigating|refining|implementing|documenting|upgrading|reviewing)\b/
/** Released by rows of their own: an ordinary comment is read later [PARK-2]. */
const ownRelease = ['approval-revoked', ...goAheadParks, 'budget', 'fold-unanswered', 'withheld', 'held']
const withMergeRequests = ['implement', 'review', 'documentation', 'upgrade']
const maxLaps = 5

function freshOf(stage: string): string {
  return `${stage}.fresh`
}

function retried(t: TaskDraft): string {
  return t.c.stage.reason === 'approval-revoked' ? freshOf(t.ownStage) : t.resumed
}

function refuse(t: TaskDraft, code: string, members: object = {}): Move {
  return { does: () => t.answer(409, { code, detail: 'words', ...members }) }
}

function minted(t: TaskDraft, { seed, entry }: EventOf<'task.minted'>): Move {
  const { c } = t
  const giveBack = (): void => {
    if (entry !== undefined && entry !== c.pod.entry) t.tell(`queue:${seed.config.project}`, 'queue.release', { entry })
  }
  if (!t.is('minted')) return { does: giveBack }
  const adopt = (): void => {
    const { kind, goal, repositories, priority, origin, config } = seed
    const issues = seed.issues.map((issue) => ({ ...issue, state: 'open' as const, accepted: false, grant: null }))
    const mergeRequests = seed.mergeRequests.map((mr) => ({ ...mr, state: 'open' as const, mergeCommit: null }))
    const everOwnedIssue = issues.length > 0
    put(c, { kind, goal, repositories, priority, origin, config, forge: { issues, mergeRequests, everOwnedIssue } })
    for (const { issue } of issues) t.tell(`issue:${issue}`, 'issue.owned', { task: c.id })
    for (const { mergeRequest } of mergeRequests) t.tell(`merge-request:${mergeRequest}`, 'mr.owned', { task: c.id })
  }
  if (isBacklog(seed)) return { to: 'backlog-sweep', does: () => (adopt(), giveBack()) }
  if (seed.kind === 'implement' && entry === undefined) return { to: 'refined', does: adopt }
  const own: TaskContext['kind'] = seed.kind
  return { to: freshOf(stageFor(own)), does: adopt }
}

const stageFor = (kind: TaskContext['kind']): string =>
  ({
    brainstorm: 'brainstorming',
    incident: 'investigating',
    implement: 'implementing',
    review: 'reviewing',
    refine: 'refining',
    documentation: 'documenting',
    upgrade: 'upgrading',
  })[kind]

function close(t: TaskDraft, { by, reason }: EventOf<'task.close'>): Move {
  if (ends.has(t.stage)) return refuse(t, 'task-terminal')
  if (t.c.forge.folds.some(({ answer }) => answer === null))
    return {
      does: () => {
        t.c.forge.foldsClosed = [reason, `by ${by}`].filter(Boolean).join(', ')
        t.answer(200, { accepted: true, task: { stage: t.c.stage.name } })
      },
    }
  const does = (): void => {
    put(t.c, { stage: { reason: 'cancelled', detail: `${reason} ${by}` } })
    t.answer(200, { accepted: true, task: { stage: 'rejected' } })
  }
  return { to: 'rejected', does }
}

function retry(t: TaskDraft): Move {
  if (ends.has(t.stage)) return refuse(t, 'task-terminal')
  if (t.is('implement-declined')) return refuse(t, 'conflict', { reason: 'no-re-entry' })
  if (!parks.has(t.stage)) return refuse(t, 'conflict', { reason: 'not-parked' })
  const to = t.is('backlog-sweep') ? 'refined' : t.is('identity-unverified') ? 'implementing.fresh' : retried(t)
  const named = t.is('identity-unverified') ? t.ownStage : to.split('.')[0]
  const does = (): void => {
    t.c.stage.deadlines = 0
    t.answer(200, { accepted: true, task: { stage: named } })
    t.heardNothing()
  }
  return { to, does }
}

/** PARK-14: out of work, whatever it was about, and back to where a retry would have led. */
function held(t: TaskDraft, { by, reason }: EventOf<'task.hold'>): Move {
  if (ends.has(t.stage)) return refuse(t, 'task-terminal')
  if (t.is('implement-declined')) return refuse(t, 'conflict', { reason: 'no-re-entry' })
  if (t.c.forge.folds.some(({ answer }) => answer === null)) return refuse(t, 'conflict', { reason: 'folding' })
  const does = (): void => {
    if (parks.has(t.stage)) t.c.stage.parkedFrom = retried(t).replace('.fresh', '')
    t.because('held', `${reason}, by ${by}`)
    t.answer(200, { accepted: true, task: { stage: 'awaiting-human' } })
  }
  return { to: 'awaiting-human', does }
}

function commented(t: TaskDraft, event: EventOf<'human.commented'>): Move {
  const keep = (): void => t.append(event.kind, event, event.author, event.text)
  const release = (): void => (keep(), t.heardNothing())
  if (t.is('backlog-sweep')) return { to: 'refined', does: release }
  if (t.is('identity-unverified') && event.maintainer) return { to: 'implementing.fresh', does: release }
  return releasedBy(t, event, keep)
}

type Word = Pick<EventOf<'human.commented'>, 'repository' | 'number' | 'maintainer' | 'on'>

/** A word of people lets `awaiting-human` go on, unless its reason has rows of its own. `laps`: of work for red checks, kept. */
function releasedBy(t: TaskDraft, event: Word, keep: () => void, laps = {}): Move {
  const release = (): void => (keep(), t.heardNothing(laps))
  if (!t.is('awaiting-human') || ownRelease.includes(t.c.stage.reason ?? '')) return { does: keep }
  if (t.c.stage.reason === 'stage-deadline' && t.c.stage.deadlines >= 2) return { does: keep }
  const lap = t.isReviewKind ? 1 : 0
  const goOn = (): Move => ({ to: t.resumed, does: () => (release(), void (t.c.stage.reviewLaps += lap)) })
  if (t.c.stage.reason === 'protected-paths') return event.maintainer ? goOn() : { does: keep }
  const isOnItsOwn = event.on === 'mr' && t.known(event) !== undefined && t.c.stage.reviewLaps < maxLaps
  return t.isReviewKind && !isOnItsOwn ? { does: keep } : goOn()
}

function exhausted(t: TaskDraft, { detail }: EventOf<'budget.exhausted'>): Move {
  if (!workStages.test(t.stage) || t.c.stage.wants === null) return nothing
  const does = (): void => {
    t.afterPod(t.comments)
    put(t.c, { stage: { reason: 'budget', detail: detail ?? null } })
  }
  return { to: 'awaiting-human', does }
}

function raised(t: TaskDraft, { amount }: EventOf<'budget.raised'>): Move {
  const does = (): void => void (t.c.forge.budgetRaised += amount)
  return isParkedBy(t, 'budget') ? { to: t.resumed, does: () => (does(), t.heardNothing()) } : { does }
}

function renewed(t: TaskDraft): Move {
  return isParkedBy(t, 'budget') ? { to: t.resumed, does: () => t.heardNothing() } : nothing
}

/** Labels and sticky comments are repaired by the next write (ACTOR-4). */
function effectFailed(t: TaskDraft, { effect, reason }: EventOf<'effect.failed'>): Move {
  if (parks.has(t.stage))
    return effect === 'postComment' || effect === 'writeLabels' ? nothing : { does: () => t.askAll(t.comments) }
  if (effect === 'writeLabels') return nothing
  return {
    to: 'operator-error',
    does: () => void put(t.c, { stage: { reason: 'effect-failed', detail: reason } }),
  }
}

/** They own no issue and open no merge request: nobody waits there for an answer, whatever they are told of. */
const isDeaf = (t: TaskDraft): boolean => t.is('brainstorming', 'investigating', 'refining')
const isHeard = (t: TaskDraft): boolean => t.c.forge.issues.length > 0 || t.open.length > 0

/** What the end of a wanted pod means to its stage. */
function podFinal(t: TaskDraft, event: EventOf<'pod.final'>): Move {
  const { c } = t
  if (!workStages.test(t.stage) || !t.serves || event.pod !== c.pod.ordinal) return nothing
  const to = (stage: string, reason: string): Move => ({
    to: stage,
    does: () =>
      void put(c, {
        stage: {
          reason,
          detail: event.detail === undefined ? (event.reason ?? null) : `${event.reason}: ${event.detail}`,
        },
      }),
  })
  if (event.cause === 'unbound') return to('operator-error', 'unbound')
  if (event.cause === 'mismatched') return to('failed', 'agent-contract-mismatch')
  if (event.cause === 'lost' && !c.pod.worked && c.pod.startFailures >= 4)
    return to('operator-error', 'pod-start-failed')
  if (c.pod.visitResidencyMs + event.residencyMs >= 24 * 3_600_000) return to('operator-error', 'residency-cap')
  const isQuiet = c.turn.asked && isHeard(t) && c.journal.pending.length === 0 && c.forge.claims.length === 0
  return event.cause === 'gone' && isQuiet && !isDeaf(t) ? to('awaiting-human', 'waiting-for-reply') : nothing
}

/** Whatever it was started for: no other pod begins while it may still write. */
function notEnding(t: TaskDraft, event: EventOf<'pod.notEnding'>): Move {
  if (parks.has(t.stage) || t.stage === 'minted' || !t.isOfPod(event)) return nothing
  const detail = event.name === '' ? null : event.name
  return { to: 'operator-error', does: () => void put(t.c, { stage: { reason: 'pod-not-ending', detail } }) }
}

function isWork(t: TaskDraft, event: EventOf<'turn.ended' | 'turn.failed'>): boolean {
  return workStages.test(t.stage) && t.isOfPod(event) && event.purpose === 'work'
}

/** It ended without an outcome, and nobody was asked. */
function turnEnded(t: TaskDraft, event: EventOf<'turn.ended'>): Move {
  const { c } = t
  if (!isWork(t, event)) return nothing
  const isSilent = t.serves && !(c.turn.asked && isHeard(t)) && !c.turn.spoke
  if (!isSilent) return { does: () => void put(c, { turn: { silentInRow: 0, failedInRow: 0 }, pod: { lostInRow: 0 } }) }
  if (c.turn.silentInRow < 2) {
    const counted = {
      turn: { silentInRow: c.turn.silentInRow + 1, failedInRow: 0, prompt: 'continue' as const, nudged: true },
      pod: { lostInRow: 0 },
    }
    return { does: () => void put(c, counted) }
  }
  const to = withMergeRequests.includes(c.kind) ? 'awaiting-human' : 'failed'
  return { to, does: () => t.because('no-outcome') }
}

/** Said by the pod's end, the account or the ledger, and no fault of the agent. */
const uncounted = 'agent_exited expired abandoned conflict shutdown usage_limit key_refused no_credit budget'.split(' ')

function turnFailed(t: TaskDraft, event: EventOf<'turn.failed'>): Move {
  const { c } = t
  if (!isWork(t, event) || !t.serves || uncounted.includes(event.stopReason)) return nothing
  if (c.turn.failedInRow < 2) return { does: () => void (c.turn.failedInRow += 1) }
  return { to: 'operator-error', does: () => t.because('turn-failed', 'words') }
}

function working(t: TaskDraft, event: EventOf<'pod.working'>): Move {
  if (!t.stage.endsWith('.fresh') || !t.serves || event.pod !== t.c.pod.ordinal) return nothing
  return { to: t.stage.replace('.fresh', '.clocked'), does: () => void (t.c.stage.workStartedAt ??= t.c.at) }
}

function granted(t: TaskDraft, { entry }: EventOf<'slot.granted'>): Move {
  return t.is('refined') && !t.c.pod.alive && entry === t.c.pod.entry ? { to: 'implementing.fresh' } : nothing
}

/** The clock of the budget stands while no turn would be answered. */
function withheld(t: TaskDraft): Move {
  if (!t.stage.endsWith('.clocked')) return nothing
  const does = (): void => void (t.c.stage.spentMs += Math.max(0, t.c.at - t.c.stage.clockedAt))
  return { to: t.stage.replace('.clocked', '.withheld'), does }
}

function served(t: TaskDraft): Move {
  return t.stage.endsWith('.withheld') ? { to: t.stage.replace('.withheld', '.clocked') } : nothing
}

/** Exit budgets. */
export function timerMove(t: TaskDraft, name: string): Move {
  if (name === 'foldWait') return { to: 'awaiting-human', does: () => t.because('fold-unanswered') }
  if (name === 'openingBudget') return { to: 'awaiting-human', does: () => t.because('open-deadline') }
  if (name === 'mergingBudget') return { to: 'awaiting-human', does: () => t.because('merge-deadline') }
  if (name === 'mergeDelay') return { to: 'merging.asked.outstanding' }
  if (!name.endsWith('Budget')) return nothing
  if (isDeaf(t) || (t.is('documenting', 'upgrading') && t.open.length === 0))
    return { to: 'failed', does: () => t.because('stage-deadline') }
  return { to: 'awaiting-human', does: () => (t.because('stage-deadline'), void (t.c.stage.deadlines += 1)) }
}

/** What it does by itself, once no pod lives [STAGE-9, MERGE-1]. */
export function stageAlways(t: TaskDraft): Move {
  if (t.c.pod.alive) return nothing
  if (t.is('reviewing.opening.settling')) {
    if (!isOpeningFaulty(t)) return { to: 'reviewing.opening.asked' }
    return forge.openingFailed(t)
  }
  if (!t.is('merging.settling')) return nothing
  if (!t.isGranted) return { to: 'awaiting-human', does: () => t.because('approval-revoked') }
  if (!t.covers(t.c.forge.verdict)) return { to: 'reviewing.fresh', does: () => void (t.c.forge.verdict = null) }
  return { to: 'merging.asked.outstanding' }
}

/** On the head that was asked about, where all that is open was reviewed as it stands, and the grants are on (MERGE-15). */
function isYes(t: TaskDraft, { shas }: EventOf<'mr.goAhead'>): boolean {
  const { checkQuestion: asked, verdict } = t.c.forge
  if (!asked || !t.open.some((mr) => isSame(mr, asked)) || !t.covers(verdict) || !t.isGranted) return false
  return shas.some((head) => isSame(head, asked) && head.sha === asked.sha && head.base === asked.base)
}

/** A maintainer's word on exactly the reviewed heads, with the grants on [REVIEW-5]; elsewhere it is a comment of his (OUTCOME-IMPLEMENT-20). */
function goAhead(t: TaskDraft, event: EventOf<'mr.goAhead'>): Move {
  const {
    shas,
    shas: [first],
    by,
    kind = 'mr_comment',
    text,
  } = event
  const keep = (): void => {
    if (first && text !== undefined) t.append(kind, first, by, text)
  }
  const release = (): void => (keep(), t.heardNothing())
  if (t.is('backlog-sweep')) return { to: 'refined', does: release }
  if (t.is('identity-unverified')) return { to: 'implementing.fresh', does: release }
  if (isParkedBy(t, 'withheld')) return { to: 'reviewing.fresh', does: release }
  if (isParkedBy(t, 'optional-check') && isYes(t, event)) {
    const does = (): void => {
      keep()
      t.c.forge.checkQuestion = { ...t.c.forge.checkQuestion!, isAllowed: true }
      t.c.pod.released = true
    }
    return { to: 'merging.settling', does }
  }
  const laps = isParkedBy(t, 'optional-check') ? t.c.forge.optionalLaps : {}
  if (!isGoAheadPark(t))
    return first ? releasedBy(t, { ...first, maintainer: true, on: 'mr' }, keep, laps) : { does: keep }
  const named = [...t.c.forge.goAheads, ...shas].filter((head) =>
    (t.c.forge.reviewed ?? []).some((read) => isSame(read, head) && read.sha === head.sha && read.base === head.base),
  )
  if (t.open.length === 0 || !t.covers(named) || !t.isGranted)
    return { does: () => (keep(), void (t.c.forge.goAheads = named)) }
  const let_ = { forge: { verdict: named, reviewed: null, goAheads: [] }, pod: { released: true } }
  return { to: 'merging.settling', does: () => (keep(), void put(t.c, let_)) }
}

type Handler = (t: TaskDraft, event: never) => Move

const handlers: Readonly<Record<string, Handler>> = {
  'task.minted': minted,
  'task.close': close,
  'task.retry': retry,
  'task.hold': held,
  'slot.granted': granted,
  'pod.working': working,
  'model.withheld': withheld,
  'model.served': served,
  'pod.final': podFinal,
  'pod.notEnding': notEnding,
  'turn.ended': turnEnded,
  'turn.failed': turnFailed,
  outcome: outcomeMove,
  'human.commented': commented,
  'forge.event': (t: TaskDraft, event: EventOf<'forge.event'>) => ({
    does: () => t.append(event.kind, event, event.author, event.text),
  }),
  'alert.joined': (t: TaskDraft) => ({
    does: () => platformNote(t, 'note', 'The alert fired again. The platform only counts its further firings.'),
  }),
  'budget.exhausted': exhausted,
  'budget.raised': raised,
  'budget.refused': (t: TaskDraft) => ({ does: () => t.askAll(t.comments) }),
  'budget.renewed': renewed,
  'effect.failed': effectFailed,
  'mr.goAhead': goAhead,
  'fold.requested': fold,
  'fold.accepted': foldMove,
  'fold.refused': foldMove,
  'takeover.accepted': takeover,
  ...approvals.handlers,
  ...forge.handlers,
}

/** What a stage that has ended still answers. */
const heardAtTheEnd =
  'outcome task.minted task.close task.retry task.hold mr.ready fold.requested takeover.accepted alert.joined'.split(
    ' ',
  )

export function stageMove(t: TaskDraft, event: TaskEvent): Move {
  if (ends.has(t.stage) && !heardAtTheEnd.includes(event.type)) return nothing
  return handlers[event.type]?.(t, event as never) ?? nothing
}
