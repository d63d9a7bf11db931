/** Verdicts of a review pod: only ever on the heads that are live in the call, after its last push (REVIEW-3, REVIEW-1). */
import { effect } from '../../emit.ts'
import { highest, lowers, type Level } from '../../rules/significance.ts'
import { sequence, type Change } from '../chart.ts'
import { afterPod, comments } from '../comments.ts'
import { withChanges, type Head, type TaskContext, type TaskPatch } from '../context.ts'
import { isNewBase, findMergeRequest, standAt } from '../merge-requests.ts'
import { ceilingHolds, grantsHold, headOf, isReviewKind, openMergeRequests, withBase } from '../queries.ts'
import { tell } from '../pending.ts'
import { accepted, ceilingOf, ownWork, refused, type Judge, type Judgement, type Outcome } from './judgement.ts'
import type { ReviewPayload } from './payloads.ts'

function payloadOf(event: Outcome): ReviewPayload {
  return event.payload as unknown as ReviewPayload
}

function reviewedHeads(event: Outcome): readonly Head[] {
  return payloadOf(event).reviewed_shas.map(({ repo, number, sha }) => ({ repository: repo, number, sha }))
}

/** The heads as the forge has them in this call; where the edge read none, as last seen. */
function liveHeads(context: TaskContext, event: Outcome): readonly Head[] {
  return openMergeRequests(context).map(
    (mr) => event.heads.find((head) => head.repository === mr.repository && head.number === mr.number) ?? headOf(mr),
  )
}

/** What was read, each against the base that the forge has it against in this call (HEAD-1). */
function judgedHeads(context: TaskContext, event: Outcome): readonly Head[] {
  const live = liveHeads(context, event)
  return reviewedHeads(event).map((head) => ({
    ...head,
    ...withBase(live.find((one) => isNamed([one], head))?.base),
  }))
}

type Named = Pick<Head, 'repository' | 'number'>

function isNamed(heads: readonly Named[], head: Named): boolean {
  return heads.some(({ repository, number }) => repository === head.repository && number === head.number)
}

/** Heads of the judged and still open merge requests that are not where they were read. */
function movedHeads(context: TaskContext, event: Outcome): readonly Head[] {
  const read = reviewedHeads(event)
  return liveHeads(context, event).filter(
    (live) => isNamed(read, live) && !read.some((head) => isNamed([live], head) && head.sha === live.sha),
  )
}

/** Heads that the forge has against another base than this turn was told of: nobody has read them so (HEAD-1). */
function rebasedHeads(context: TaskContext, event: Outcome): readonly Head[] {
  return liveHeads(context, event).filter((live) => {
    const known = findMergeRequest(context, live)
    return known?.baseUntold !== undefined || isNewBase(known, live)
  })
}

/** The next turn is told, and says it of the pair that it read. */
function baseFault(context: TaskContext, event: Outcome): Judgement | null {
  const heads = rebasedHeads(context, event)
  if (heads.length === 0) return null
  const detail = 'a merge request has another base since this turn began: end it, and judge the change against that'
  const learn = heads.map((head) => (now: TaskContext) => standAt(now, head, head))
  return { ...refused('head-moved', detail, { heads }), change: sequence<Outcome>(...learn)(context, event) }
}

function headsFault(context: TaskContext, event: Outcome): Judgement | null {
  const live = liveHeads(context, event)
  if (live.length === 0) return refused('no-open-merge-request', 'there is nothing left to judge')
  const moved = movedHeads(context, event)
  if (moved.length > 0)
    return refused('head-moved', 'a head moved since it was read: read the new one', { heads: moved })
  return null
}

function incomplete(context: TaskContext, event: Outcome): Judgement | null {
  const missing = liveHeads(context, event).filter((head) => !isNamed(reviewedHeads(event), head))
  return missing.length > 0
    ? refused('sha-incomplete', 'reviewed_shas must name every open merge request', { missing })
    : null
}

function levelOf(context: TaskContext, event: Outcome): Level | null {
  const raised = payloadOf(event).change_significance
  if (raised === undefined || context.forge.significance === null) return raised ?? context.forge.significance
  return highest(context.forge.significance, raised)
}

function lowered(context: TaskContext, event: Outcome): Judgement | null {
  const level = payloadOf(event).change_significance
  if (level === undefined || context.forge.significance === null || !lowers(level, context.forge.significance))
    return null
  return refused(
    'significance-lowered',
    `the implementer declared ${context.forge.significance}; a review may only raise it`,
  )
}

function summary(event: Outcome, verdict: 'approve' | 'request_changes'): string {
  const count = payloadOf(event).findings?.length ?? 0
  return verdict === 'approve'
    ? 'Reviewed: this head may merge.'
    : `Reviewed: ${count} ${count === 1 ? 'finding asks' : 'findings ask'} for changes.`
}

function reviews(context: TaskContext, event: Outcome, verdict: 'approve' | 'request_changes'): Change {
  const read = reviewedHeads(event)
  const findings = payloadOf(event).findings ?? []
  const posted = openMergeRequests(context)
    .flatMap((mr) => read.filter((head) => head.repository === mr.repository && head.number === mr.number))
    .map((head) =>
      effect('postReview', {
        project: context.config.project,
        ...head,
        verdict,
        body: summary(event, verdict),
        findings: findings
          .filter(({ repo, number }) => repo === head.repository && number === head.number)
          .map((finding) => ({ ...finding })),
      }),
    )
  return afterPod(context, posted)
}

interface Hold {
  readonly reason: 'approval-revoked' | 'over-auto-approve-ceiling' | 'needs-maintainer'
  readonly words: string
  /** As people read it where they ask why. */
  readonly detail?: string
}

function mayAuthorsMerge(context: TaskContext, event: Outcome): boolean {
  return openMergeRequests(context).every((mr) =>
    event.heads.some((head) => isNamed([mr], head) && head.authorMayMerge && !head.draft),
  )
}

const mostNamed = 5

/** Who pushed what into the open merge requests, and may not let it merge; null: nobody did. */
function foreignWords(context: TaskContext, event: Outcome): string | null {
  const words = event.heads
    .filter((head) => isNamed(openMergeRequests(context), head))
    .flatMap(({ repository, number, foreign = [] }) => {
      if (foreign.length === 0) return []
      const named = foreign
        .slice(0, mostNamed)
        .map(({ sha, by }) => `${sha.slice(0, 12)} (${by === '' ? 'nobody knows who pushed it' : `pushed by ${by}`})`)
      const more = foreign.length > mostNamed ? ' and more' : ''
      return [
        `${repository}!${number} has commits of neither the platform nor a maintainer: ${named.join(', ')}${more}`,
      ]
    })
  return words.length === 0 ? null : words.join('; ')
}

/** A good review that still may not merge on its own word (REVIEW-3, APPROVAL-7, REVIEW-4). */
function holdOf(context: TaskContext, event: Outcome): Hold | null {
  if (!grantsHold(context))
    return { reason: 'approval-revoked', words: 'An issue has no approval, or a maintainer withdrew it.' }
  if (!ceilingHolds(context, levelOf(context, event), ceilingOf(context, event))) {
    return { reason: 'over-auto-approve-ceiling', words: 'The change is too large to merge without a maintainer.' }
  }
  if (!mayAuthorsMerge(context, event))
    return { reason: 'needs-maintainer', words: 'It is a draft, or its author may not merge it alone.' }
  const foreign = foreignWords(context, event)
  return foreign === null ? null : { reason: 'needs-maintainer', words: `${foreign}.`, detail: foreign }
}

function held(context: TaskContext, event: Outcome, { reason, words, detail = '' }: Hold): Judgement {
  const reviewed = judgedHeads(context, event)
  const goAhead =
    reason === 'approval-revoked'
      ? 'A maintainer can approve again on the issue.'
      : 'A maintainer can approve exactly this head here with `/approve`.'
  const change = sequence<Outcome>(
    (now) => reviews(now, event, 'approve'),
    (now) =>
      afterPod(
        now,
        comments(now, `The review approved this head, but the platform does not merge it yet. ${words} ${goAhead}`),
      ),
    () => ({ context: { forge: { reviewed, goAheads: [], significance: levelOf(context, event) } } }),
  )(context, event)
  return accepted(context, event, { to: 'awaiting-human', change, reason, detail: detail || null })
}

export const approve: Judge = (context, event) => {
  const fault = incomplete(context, event) ?? headsFault(context, event) ?? baseFault(context, event)
  if (fault) return fault
  if (!event.workspaceClean)
    return refused('workspace-dirty', 'the workspace holds changes that were never reviewed: push or drop them')
  const level = lowered(context, event)
  if (level) return level
  const hold = holdOf(context, event)
  if (hold) return held(context, event, hold)
  const judged = {
    context: {
      forge: {
        verdict: judgedHeads(context, event),
        reviewed: null,
        significance: levelOf(context, event),
        mergeRequests: atReadHeads(context, event),
      },
    },
  }
  const change = sequence<Outcome>(
    () => judged,
    (now) => reviews(now, event, 'approve'),
  )(context, event)
  return accepted(context, event, { to: 'merging', change })
}

/** The call read the forge later than any webhook did: what it saw is what is merged. */
function atReadHeads(context: TaskContext, event: Outcome): TaskContext['forge']['mergeRequests'] {
  const live = liveHeads(context, event)
  return context.forge.mergeRequests.map((mr) => {
    const head = live.find(
      ({ repository, number }) => mr.state === 'open' && repository === mr.repository && number === mr.number,
    )
    if (!head) return mr
    return { ...mr, headSha: head.sha, ...(head.base === undefined ? {} : { baseBranch: head.base }) }
  })
}

export const requestChanges: Judge = (context, event) => {
  const fault = headsFault(context, event) ?? lowered(context, event)
  if (fault) return fault
  const change = sequence<Outcome>(
    (now) => reviews(now, event, 'request_changes'),
    (now) => ({
      context: withChanges(tellChanges(now, event), {
        stage: { reviewRounds: now.stage.reviewRounds + 1 },
        forge: { verdict: null, significance: levelOf(now, event) },
      }),
    }),
  )(context, event)
  const stage = ownWork(context)
  return stage === null
    ? accepted(context, event, { to: 'awaiting-human', change, reason: 'changes-requested' })
    : accepted(context, event, { to: stage, change })
}

function tellChanges(context: TaskContext, event: Outcome): TaskPatch {
  if (isReviewKind(context)) return {}
  const [first] = reviewedHeads(event)
  const findings = (payloadOf(event).findings ?? []).map(({ repo, number, path, line, severity, body }) => {
    const place =
      path === undefined ? `${repo}!${number}` : `${repo}!${number} ${path}${line === undefined ? '' : `:${line}`}`
    return `[${severity}] ${place}: ${body}`
  })
  return { ...tell(context, 'mr_review', ['The review asks for changes.', ...findings].join('\n'), first).context }
}
