/** The Task's copy of what its Issues judged. The Issue alone decides; the copy gates what the Task asks for [APPROVAL-4]. */
import type { EventOf } from '../decide.ts'
import type { Change, Decide } from './chart.ts'
import type { TaskEvent } from './events.ts'
import { issueComments } from './comments.ts'
import { withChanges, type TaskContext, type TaskIssue } from './context.ts'
import { grantsHold, liveIssues } from './queries.ts'
import { append, platformAuthor } from './pending.ts'
import { wayOut } from './refused-claims.ts'

/** What the pod claimed stands no more as it did: the same words are another claim (OUTCOME-10). */
const claimsAnew = { recordedApproval: null } as const

export function ownsIssue(context: TaskContext, issue: string): boolean {
  return context.forge.issues.some((owned) => owned.issue === issue)
}

function patchIssue(
  context: TaskContext,
  issue: string,
  patch: Partial<TaskIssue>,
): { readonly forge: Pick<TaskContext['forge'], 'issues'> } {
  return {
    forge: { issues: context.forge.issues.map((owned) => (owned.issue === issue ? { ...owned, ...patch } : owned)) },
  }
}

function without(claims: readonly string[], issue: string): readonly string[] {
  return claims.filter((claimed) => claimed !== issue)
}

function news(context: TaskContext, issue: string, author: string, text: string): Change {
  const owned = context.forge.issues.find((one) => one.issue === issue)
  if (!owned) return {}
  return append(context, { kind: 'approval', repository: owned.repository, number: owned.number, author, text })
}

export function withGrant(
  context: TaskContext,
  { issue, planHash, self }: EventOf<TaskEvent, 'approval.granted'>,
): TaskContext {
  return withChanges(context, patchIssue(context, issue, { grant: { planHash, self }, withdrawn: false }), {
    forge: { claims: without(context.forge.claims, issue) },
  })
}

/** A change, or the answer to a claim, is told to the agent: its next turn writes the code. Anything else is an echo. */
export function grant(context: TaskContext, event: EventOf<TaskEvent, 'approval.granted'>): Change {
  const { issue, planHash, self } = event
  if (!ownsIssue(context, issue)) return {}
  const before = context.forge.issues.find((owned) => owned.issue === issue)?.grant
  const isEcho = before?.planHash === planHash && before.self === self && !context.forge.claims.includes(issue)
  const { issues, claims } = withGrant(context, event).forge
  if (isEcho) return { context: { forge: { issues, claims } } }
  const author = context.forge.claimedMaintainer ?? platformAuthor
  const told = news(
    context,
    issue,
    author,
    self ? 'granted without a comment: the platform proposed the issue' : 'approved: write the code',
  )
  const nudge = grantsHold(withChanges(context, { forge: { issues } }))
    ? ({ turn: { prompt: 'write-code', nudged: true } } as const)
    : {}
  return { context: withChanges({ forge: { issues, claims } }, told.context, nudge) }
}

export function dropClaim(context: TaskContext, { issue }: EventOf<TaskEvent, 'approval.refused'>): Change {
  return { context: { forge: { claims: without(context.forge.claims, issue) }, pod: claimsAnew } }
}

/** The call was answered 200, so the comment is where people learn of it (APPROVAL-3, APPROVAL-2). */
export function sayRefused(context: TaskContext, { reason }: EventOf<TaskEvent, 'approval.refused'>): Change {
  const body = `The platform could not verify the approval that the agent cited: \`${reason}\`. The Task waits. ${wayOut(reason)}`
  return { context: { stage: { reason: 'approval-refused', detail: reason } }, effects: issueComments(context, body) }
}

/** Grant and verdict off, in every stage: a withdrawal that is forgotten merges later (APPROVAL-7). */
export function revoke(context: TaskContext, { issue, reason }: EventOf<TaskEvent, 'approval.revoked'>): Change {
  if (!ownsIssue(context, issue)) return {}
  const { issues } = patchIssue(context, issue, { grant: null, accepted: false, withdrawn: true }).forge
  const told = news(context, issue, platformAuthor, `approval withdrawn: ${reason}`)
  const voided = {
    forge: { issues, verdict: null, reviewed: null, goAheads: [], checkQuestion: null },
    pod: claimsAnew,
  } as const
  return { context: withChanges(voided, told.context) }
}

function isTold(context: TaskContext, owned: TaskIssue, author: string): boolean {
  return context.journal.pending.some(
    (event) => event.repository === owned.repository && event.number === owned.number && event.author === author,
  )
}

/** Kind `approval` is the platform's own word: a comment that approves is a comment still, until its claim is granted. */
function commented(context: TaskContext, { repository, number }: TaskIssue, author: string): Change {
  return append(context, { kind: 'issue_comment', repository, number, author, text: 'a maintainer approves' })
}

/** The comment itself arrives as a comment too: the agent is told once. */
export function accept(context: TaskContext, { issue, by }: EventOf<TaskEvent, 'approval.commented'>): Change {
  const owned = context.forge.issues.find((one) => one.issue === issue)
  if (!owned) return {}
  const { issues } = patchIssue(context, issue, { accepted: true }).forge
  return {
    context: withChanges(
      { forge: { issues } },
      isTold(context, owned, by) ? {} : commented(context, owned, by).context,
    ),
  }
}

/** Nothing was granted, so nothing falls with it; what the agent is told to ask for does change. */
export function lapse(context: TaskContext, { issue }: EventOf<TaskEvent, 'approval.lapsed'>): Change {
  return { context: patchIssue(context, issue, { accepted: false }) }
}

export function closeIssue(context: TaskContext, { issue }: EventOf<TaskEvent, 'issue.closed'>): Change {
  const { issues } = patchIssue(context, issue, { state: 'closed' }).forge
  return { context: { forge: { issues, claims: without(context.forge.claims, issue) } } }
}

export function reopenIssue(context: TaskContext, { issue }: EventOf<TaskEvent, 'issue.reopened'>): Change {
  if (!ownsIssue(context, issue)) return {}
  return {
    context: withChanges(
      { ...patchIssue(context, issue, { state: 'open' }), pod: claimsAnew },
      news(context, issue, platformAuthor, 'the issue is open again').context,
    ),
  }
}

/** `issue.allClosed`: the last live issue of an implement Task was closed. */
export function closesLast(context: TaskContext, { issue }: EventOf<TaskEvent, 'issue.closed'>): boolean {
  return (
    context.kind === 'implement' &&
    ownsIssue(context, issue) &&
    liveIssues(context).every((owned) => owned.issue === issue)
  )
}

export const ungrantAll: Decide<EventOf<TaskEvent, 'issue.closed'>> = (context) => ({
  context: {
    forge: {
      issues: context.forge.issues.map((issue) => ({ ...issue, grant: null })),
      verdict: null,
      reviewed: null,
      goAheads: [],
      checkQuestion: null,
    },
  },
})
