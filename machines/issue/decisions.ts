/** What an Issue does on each event, as decisions: fold the event in, then settle what follows from the facts. */
import { alone, decideBy, type EventOf } from '../decide.ts'
import { askToRaise, effect, tellTask, type Decision, type EffectAction, type Sent } from '../emit.ts'
import { bodiesApproved, isMerged, refusal } from './approval.ts'
import { askedAgain, comeBack, hearDelivered, observeDelivered } from './comes-back.ts'
import type { HeldClaim, IssueContext } from './context.ts'
import type { IssueEvent } from './events.ts'
import { forgeSubject } from './mint.ts'
import { planComment } from './plan.ts'
import type { TaskEvent } from '../task/events.ts'
import { newest } from '../rules/revisions.ts'
import { awaitsOffer, settle } from './settle.ts'
import { withdrawalsKnown } from './withdrawals.ts'

interface Fold {
  readonly context?: Partial<IssueContext>
  readonly effects?: readonly EffectAction[]
  readonly answered?: boolean
}

/** Folds one event in; its own effects come before what follows from them. */
const { on } = decideBy<IssueContext, IssueEvent, Fold>((context, event, fold) => {
  const { context: patch, effects = [], answered = false } = fold(context)
  const settled = settle(context, { ...context, ...patch }, { at: event.at, answered })
  return { context: settled.context ?? {}, effects: [...effects, ...(settled.effects ?? [])] }
})

/** Forwarded as it is: nothing of the Issue's own changes. */
const { on: forward } = decideBy<IssueContext, IssueEvent>(alone)

function toOwner({ owner }: IssueContext, event: Sent<TaskEvent>): Decision<IssueContext> {
  return owner === '' ? {} : { effects: [tellTask(owner, event)] }
}

/** Plans of an issue are few; older ones than these bind nothing that could still be approved. */
const keptPlans = 20

/** The Task gave the issue back as declined: the Issue is rejected, and a person can undo it (OUTCOME-RULE-5, OWNERSHIP-2). */
const rejectingStages: ReadonlySet<string> = new Set(['rejected', 'implement-declined'])

const noOwner = { owner: '', claim: null, grant: null, implementRan: false } as const

function observe(context: IssueContext, { facts: told, retry, at }: EventOf<IssueEvent, 'issue.observed'>): Fold {
  // A person's wish to begin anew counts, whatever facts came along with it.
  const facts = newest(context.facts, told)
  const isAsked = retry === true && context.owner === ''
  const again = isAsked ? askedAgain : {}
  const reopened = context.facts?.state === 'closed' && facts.state === 'open' ? { held: false, retired: false } : {}
  const withdrawals = withdrawalsKnown(context.withdrawals, facts)
  const known = { facts, withdrawals, approvedBodies: bodiesApproved(context, facts) }
  if (!context.delivered) return { context: { ...known, ...reopened, ...again } }
  const now = { ...context, ...known }
  const answer = isAsked ? comeBack(now, at) : observeDelivered(now, context.facts?.state)
  return { ...answer, context: { ...known, ...answer.context } }
}

/**
 * One live owner (LAW-7): a Task made by hand may come beside the one that the Issue asked for. The first one holds; the
 * second learns that this issue is none of its own, as it would of a delivered one.
 */
function own(context: IssueContext, { task }: EventOf<IssueEvent, 'issue.owned'>): Fold {
  const { id, owner, mint } = context
  const mine = mint?.task === task ? { mint: null } : {}
  if (owner !== '' && owner !== task)
    return { context: mine, effects: [tellTask(task, { type: 'issue.closed', issue: id })] }
  const moved = owner === task ? {} : { ...noOwner, owner: task, held: false, rejected: '' }
  return { context: { ...mine, ...moved, ...(context.offered ? { offered: false } : {}) } }
}

/** It waits for the heir as for any mint of its own (LAW-7, LAW-23). */
function handOver(context: IssueContext, { task, to, entry }: EventOf<IssueEvent, 'issue.handedOver'>): Fold {
  if (task !== context.owner) return {}
  return { context: { ...noOwner, mint: { task: to, entry, shared: true }, mints: context.mints + 1 } }
}

/** Only to one that waits for it: what became of the others since the sweep read them needs no offer. */
function takeOffer(context: IssueContext): Fold {
  return awaitsOffer(context) ? { context: { offered: true } } : {}
}

/** The owner learns of it as of any closing by a human. */
function retire(): Fold {
  return { context: { retired: true, held: true } }
}

function claim(context: IssueContext, event: EventOf<IssueEvent, 'approval.claimed'>): Fold {
  const { task, planHash, significance, claim: claimed } = event
  const held: HeldClaim = { task, planHash, claim: claimed, ...(significance === undefined ? {} : { significance }) }
  const reason = refusal(context, held)
  const answer =
    reason === undefined
      ? tellTask(task, { type: 'approval.granted', issue: context.id, planHash, self: claimed.citation === undefined })
      : tellTask(task, { type: 'approval.refused', issue: context.id, reason })
  const kept = reason === undefined || (context.grant === null && task === context.owner) ? { claim: held } : {}
  return { context: kept, effects: [answer], answered: reason === undefined }
}

function publish(
  context: IssueContext,
  { task, noteId, planHash, body, at }: EventOf<IssueEvent, 'plan.written'>,
): Fold {
  if (task !== context.owner || isMerged(context) || context.plans.at(-1)?.hash === planHash) return {}
  const plans = [...context.plans, { noteId, hash: planHash, at }].slice(-keptPlans)
  const effects = context.facts
    ? [
        effect('postComment', {
          ...forgeSubject(context.facts),
          on: 'issue',
          topic: 'plan',
          body: planComment(planHash, body),
        }),
      ]
    : []
  return { context: { plans }, effects }
}

/** The deletion ended it, and nobody who works there: in a later life of the Project it begins anew (ADMISSION-8). */
function endWithProject(gone: 'deleted' | 'back'): Partial<IssueContext> {
  return { ...noOwner, held: false, urged: false, ...(gone === 'back' ? { projectGone: '' } : {}) }
}

/** The queue dropped its mint; a Task that lives says itself when it has ended. */
function loseProject(): Fold {
  return { context: { mint: null, projectGone: 'deleted' } }
}

function regainProject({ owner, projectGone }: IssueContext): Fold {
  return projectGone ? { context: { projectGone: owner === '' ? '' : 'back' } } : {}
}

function end(context: IssueContext, { task, stage, reason }: EventOf<IssueEvent, 'task.ended'>): Fold {
  if (task === context.mint?.task) return { context: { mint: null, held: true } }
  if (task !== context.owner) return {}
  if (context.projectGone) return { context: endWithProject(context.projectGone) }
  const rejects = rejectingStages.has(stage) && reason !== 'issue-closed' && context.facts?.state !== 'closed'
  return { context: { ...noOwner, held: true, urged: false, rejected: rejects ? reason || stage : '' } }
}

function deliverDone(context: IssueContext, { task }: EventOf<IssueEvent, 'task.delivered'>): Fold {
  if (task !== context.owner) return {}
  const close = context.facts?.state === 'open' ? [effect('closeIssue', forgeSubject(context.facts))] : []
  return { context: { ...noOwner, delivered: true, deliveredBy: task }, effects: close }
}

function command(context: IssueContext, event: EventOf<IssueEvent, 'issue.command'>): Fold {
  const { command: name, by, amount = 0, at, state } = event
  const { owner, facts } = context
  if (name === 'budget')
    return owner === '' || !facts ? {} : { effects: [askToRaise(facts.config, { task: owner, by, amount })] }
  if (name === 'cancel')
    return owner === ''
      ? { context: { held: true } }
      : { effects: [tellTask(owner, { type: 'task.close', by, reason: 'cancelled' })] }
  if (owner !== '') return { effects: [tellTask(owner, { type: 'task.retry', by })] }
  if (!context.delivered) return { context: askedAgain }
  const known = facts && state ? { facts: { ...facts, state } } : {}
  const answer = comeBack({ ...context, ...known }, at)
  return { ...answer, context: { ...known, ...answer.context } }
}

const placeOf = ({ facts }: IssueContext): { repository: string; number: number } => ({
  repository: facts?.repository ?? '',
  number: facts?.number ?? 0,
})

export const issueActions = {
  observe: on('issue.observed', observe),
  own: on('issue.owned', own),
  hearDelivered: on('issue.commented', (context, { text }) => hearDelivered(context, text)),
  /** A delivered issue has no work left until a maintainer asks for it: a Task that nobody asked for learns that it is over. */
  refuseOwner: forward('issue.owned', ({ id }, { task }) => ({
    effects: [tellTask(task, { type: 'issue.closed', issue: id })],
  })),
  noteRunning: on('issue.agentRunning', ({ owner }, { task, agentKind }) =>
    task === owner && agentKind === 'implement' ? { context: { implementRan: true } } : {},
  ),
  handOver: on('issue.handedOver', handOver),
  takeOffer: on('issue.offered', takeOffer),
  retire: on('issue.retired', retire),
  loseProject: on('issue.projectDeleted', loseProject),
  regainProject: on('issue.projectApplied', regainProject),
  publish: on('plan.written', publish),
  judgeClaim: on('approval.claimed', claim),
  finish: on('task.delivered', deliverDone),
  end: on('task.ended', end),
  command: on('issue.command', command),
  forwardComment: forward('issue.commented', (context, { author, maintainer, text }) =>
    toOwner(context, {
      type: 'human.commented',
      ...placeOf(context),
      author,
      kind: 'issue_comment',
      maintainer,
      on: 'issue',
      text,
    }),
  ),
  forwardEvent: forward('issue.event', (context, { kind, author, text }) =>
    toOwner(context, {
      type: 'forge.event',
      ...placeOf(context),
      author,
      kind,
      ...(text === undefined ? {} : { text }),
    }),
  ),
}
