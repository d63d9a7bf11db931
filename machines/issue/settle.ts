/**
 * What follows from an Issue's facts, whatever event changed them: level-triggered, so that no row can forget it.
 * Grant and acceptance are recomputed, the owner hears of changes, a Task is asked for or taken back, labels follow.
 */
import { effect, tellQueue, tellTask, type Decision, type EffectAction } from '../emit.ts'
import { managedLabels, projectLabels, type IssueStatus } from '../rules/labels.ts'
import { acceptedApproval, grantOf, isClosedByHuman, plansBound, refusal, revocation } from './approval.ts'
import type { Grant, IssueContext } from './context.ts'
import { forgeSubject, isUrgent, mintOf } from './mint.ts'

/** `answered`: the claim of this very event was answered already, so its effect on the grant is no news (APPROVAL-5). */
interface Cause {
  readonly at: number
  readonly answered?: boolean
}

export function settle(previous: IssueContext, changed: IssueContext, cause: Cause): Decision<IssueContext> {
  const judged = judge(changed, cause.at)
  const steps = [withMint, withLabels, withQuestion].reduce((done: Settled, step) => extend(done, step), {
    context: judged,
    effects: news(previous, judged, cause.answered === true),
  })
  return steps
}

interface Settled {
  readonly context: IssueContext
  readonly effects: readonly EffectAction[]
}

function extend(done: Settled, step: (context: IssueContext) => Settled): Settled {
  const { context, effects } = step(done.context)
  return { context, effects: [...done.effects, ...effects] }
}

function judge(unbound: IssueContext, at: number): IssueContext {
  const changed = { ...unbound, boundPlans: plansBound(unbound) }
  const accepted = acceptedApproval(changed)
  const rejected = isNewApproval(changed, accepted?.commentId) ? '' : changed.rejected
  const base: IssueContext = {
    ...changed,
    rejected,
    held: accepted && accepted.commentId !== changed.accepted?.commentId ? false : changed.held,
    urged: accepted ? true : changed.urged,
    accepted: accepted ? { commentId: accepted.commentId, author: accepted.author } : null,
  }
  const granted = { ...base, grant: regrant(base, at) }
  return { ...granted, boundPlans: bind(granted), status: statusOf(granted) }
}

/** A maintainer who approves what was rejected takes it back into the lifecycle (ISSUE-3). */
function isNewApproval({ rejected, accepted }: IssueContext, commentId: string | undefined): boolean {
  return rejected !== '' && commentId !== undefined && commentId !== accepted?.commentId
}

/** The grant keeps its own time while it stands; evidence that came back grants again (APPROVAL-1). */
function regrant(context: IssueContext, at: number): Grant | null {
  const { claim, grant } = context
  if (claim === null || refusal(context, claim) !== undefined) return null
  const fresh = grantOf(claim, at)
  return grant && sameGrant(grant, fresh) ? grant : fresh
}

function sameGrant(a: Grant, b: Grant): boolean {
  return a.task === b.task && a.planHash === b.planHash && a.commentId === b.commentId && a.bodyHash === b.bodyHash
}

/** After a merge a grant may be for whatever plan (APPROVAL-16). */
function bind({ grant, boundPlans }: IssueContext): IssueContext['boundPlans'] {
  return grant && !grant.self ? { ...boundPlans, [grant.commentId]: grant.planHash } : boundPlans
}

function statusOf(context: IssueContext): IssueStatus {
  const { facts, delivered, rejected, owner, accepted, grant, implementRan } = context
  if (delivered) return 'done'
  if (facts?.state === 'closed' || context.retired) return 'closed'
  if (rejected !== '') return 'rejected'
  if (!facts || (!facts.wanted && owner === '')) return 'observed'
  if (grant && implementRan) return 'implementing'
  return accepted || grant ? 'approved' : 'refined'
}

/**
 * Unasked, the owner hears of changes only, and once when it becomes the owner. An approval that stands when its grant is
 * revoked is told again: a late word took the grant back, and what a maintainer said since lets the Task go on (ISSUE-4).
 */
function news(previous: IssueContext, now: IssueContext, answered: boolean): readonly EffectAction[] {
  const { owner, id } = now
  if (owner === '') return []
  const adopted = owner !== previous.owner
  return [
    ...(answered ? [] : grantNews(adopted ? null : previous.grant, now)),
    ...(now.accepted &&
    (adopted || isCalledBack(previous.grant, now) || now.accepted.commentId !== previous.accepted?.commentId)
      ? [
          tellTask(owner, {
            type: 'approval.commented',
            issue: id,
            by: now.accepted.author,
            commentId: now.accepted.commentId,
          }),
        ]
      : []),
    ...(!adopted && lapsed(previous, now) ? [tellTask(owner, { type: 'approval.lapsed', issue: id })] : []),
    ...(adopted ? adoptionNews(now) : stateNews(previous, now)),
  ]
}

/** By another comment than the one that was granted on, which may have been edited, and where work is still wanted. */
function isCalledBack(before: Grant | null, now: IssueContext): boolean {
  const cited = before?.commentId
  return cited !== undefined && now.grant === null && now.accepted?.commentId !== cited && !isClosedByHuman(now)
}

/** The approval went before anything was granted for it; a grant that goes is told as revoked. */
function lapsed(previous: IssueContext, now: IssueContext): boolean {
  return previous.accepted !== null && now.accepted === null && previous.grant === null
}

function grantNews(before: Grant | null, now: IssueContext): readonly EffectAction[] {
  const { owner, id, grant } = now
  if (grant && !(before && sameGrant(before, grant))) {
    return [tellTask(owner, { type: 'approval.granted', issue: id, planHash: grant.planHash, self: grant.self })]
  }
  return before && !grant ? [tellTask(owner, { type: 'approval.revoked', issue: id, reason: revocation(now) })] : []
}

function stateNews(previous: IssueContext, now: IssueContext): readonly EffectAction[] {
  const { owner, id, facts } = now
  const closed = isClosedByHuman(now)
  return [
    ...(closed && !isClosedByHuman(previous) ? [tellTask(owner, { type: 'issue.closed', issue: id })] : []),
    ...(!closed && isClosedByHuman(previous) && facts?.state === 'open'
      ? [tellTask(owner, { type: 'issue.reopened', issue: id })]
      : []),
    ...(facts?.unwantedByMaintainer && !previous.facts?.unwantedByMaintainer ? [unwanted(owner)] : []),
  ]
}

/** The world may have changed while the Task waited to be minted. */
function adoptionNews(now: IssueContext): readonly EffectAction[] {
  return [
    ...(isClosedByHuman(now) ? [tellTask(now.owner, { type: 'issue.closed', issue: now.id })] : []),
    ...(now.facts?.unwantedByMaintainer ? [unwanted(now.owner)] : []),
  ]
}

function unwanted(owner: string): EffectAction {
  return tellTask(owner, { type: 'task.close', by: 'maintainer', reason: 'the trigger label was removed' })
}

const wantsTask: ReadonlySet<IssueStatus> = new Set(['refined', 'approved'])

function mayMint({ owner, held, projectGone, facts, status }: IssueContext): boolean {
  return owner === '' && !held && projectGone !== 'deleted' && facts?.wanted === true && wantsTask.has(status)
}

/** It would have a Task if a sweep had room for one (PROJECT-9). */
export function awaitsOffer(context: IssueContext): boolean {
  return mayMint(context) && isSwept(context) && !context.mint
}

/** A person who speaks for it waits for no sweep. */
function isSwept({ facts, offered, urged }: IssueContext): boolean {
  return facts?.swept === true && offered !== true && !urged
}

/** One entry at most; a withdrawn one is answered by the queue, and a Task that was admitted anyway owns the issue. */
function withMint(context: IssueContext): Settled {
  const wants = mayMint(context) && (!isSwept(context) || context.mint !== null)
  if (wants && !context.mint) return mintOf(context)
  if (wants || !context.mint || context.mint.shared || !context.facts) return { context, effects: [] }
  const { entry } = context.mint
  return {
    context: { ...context, mint: null },
    effects: [tellQueue(context.facts.config.project, { type: 'queue.withdraw', entry })],
  }
}

function withLabels(context: IssueContext): Settled {
  const { facts } = context
  if (!facts) return { context, effects: [] }
  const labels = projectLabels(context.status, context.implementRan, facts.labels, isUrgent(context, facts))
  const before = context.labels ?? []
  if (labels.join('\n') === before.join('\n')) return { context, effects: [] }
  // Also what was written under an earlier name: a label that was renamed leaves nothing behind.
  const managed = [...new Set([...managedLabels(facts.labels), ...before])]
  const params = { ...forgeSubject(facts), labels: [...labels], managed }
  return { context: { ...context, labels }, effects: [effect('writeLabels', params)] }
}

/** Once for each comment, and only where the answer would change something (WORDS-3). */
function withQuestion(context: IssueContext): Settled {
  const { facts } = context
  if (!facts) return { context, effects: [] }
  const open = context.status === 'refined' || context.status === 'rejected'
  const fresh = facts.unclear.filter((commentId) => !context.askedAbout.includes(commentId))
  const askedAbout = facts.unclear.filter((commentId) => open || context.askedAbout.includes(commentId))
  if (!open || fresh.length === 0) return { context: { ...context, askedAbout }, effects: [] }
  const body =
    'The platform cannot tell whether this comment approves the plan. To approve it, reply with a line `/approve`. To withhold the approval, reply with a line `/hold`.'
  return {
    context: { ...context, askedAbout },
    effects: [effect('postComment', { ...forgeSubject(facts), on: 'issue', body })],
  }
}
