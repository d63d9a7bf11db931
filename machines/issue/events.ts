import { Type, type Static } from 'typebox'
import { At, EffectFailed } from '../event.ts'
import { ApprovalClaim, TaskConfig } from '../task/events.ts'

/** A maintainer's comment that approves and stands (rules/approval-grammar). */
export const StandingApproval = Type.Object({
  commentId: Type.String(),
  author: Type.String(),
  bodyHash: Type.String(),
  at: Type.Integer(),
})
export type StandingApproval = Static<typeof StandingApproval>

/** A maintainer's comment that withdraws and that its author did not take back, answered by a newer approval or not. */
export const Withdrawal = Type.Object({ commentId: Type.String(), author: Type.String(), at: Type.Integer() })
export type Withdrawal = Static<typeof Withdrawal>

/** The issue as the mirror has it now; the thread was judged as a whole by the edge with the pure rules. */
export const IssueFacts = Type.Object({
  project: Type.String(),
  repository: Type.String(),
  number: Type.Integer(),
  state: Type.Union([Type.Literal('open'), Type.Literal('closed')]),
  closedBy: Type.Optional(Type.Union([Type.Literal('human'), Type.Literal('bot')])),
  /** The Task one of whose merge requests is merged, in the form of `IssueContext.owner`; others merge in the bot's name too. */
  mergedFor: Type.Optional(Type.String()),
  title: Type.String(),
  author: Type.String(),
  url: Type.String(),
  bodyHash: Type.String(),
  /** Body or title last edited by somebody who is neither maintainer nor bot. */
  editedByOther: Type.Boolean(),
  selfProposed: Type.Boolean(),
  humanCommented: Type.Boolean(),
  /** Trigger label or bot authorship, and through the reporter intake gate. */
  wanted: Type.Boolean(),
  /** Nobody asked for it and the Project scans for issues: a sweep offers it, within its caps. */
  swept: Type.Optional(Type.Boolean()),
  /** Trigger label taken off by a maintainer. */
  unwantedByMaintainer: Type.Boolean(),
  approvals: Type.Array(StandingApproval),
  /** Newest maintainer comment that decides is a withdrawal. */
  withdrawnBy: Type.Optional(Type.String()),
  /** Oldest first; tellings before version 3 of the machine name none. */
  withdrawals: Type.Optional(Type.Array(Withdrawal)),
  /** Comments that withdraw nothing any more, because their author, a maintainer, edited or deleted them himself. */
  takenBack: Type.Optional(Type.Array(Type.String())),
  /** Maintainer comments that sound like approval but decide nothing: asked once for `/approve`. */
  unclear: Type.Array(Type.String()),
  labels: Type.Object({
    brainstorming: Type.String(),
    approved: Type.String(),
    implementation: Type.String(),
    declined: Type.String(),
    priority: Type.Optional(Type.String()),
  }),
  /** Which telling of the mirror's it is, counted from 1. */
  revision: Type.Optional(Type.Integer()),
  config: TaskConfig,
})
export type IssueFacts = Static<typeof IssueFacts>

export const IssueEvent = Type.Union([
  Type.Object({ type: Type.Literal('issue.observed'), ...At, facts: IssueFacts, retry: Type.Optional(Type.Boolean()) }),
  /** A gated human's comment; forwarded to the owner. */
  Type.Object({
    type: Type.Literal('issue.commented'),
    ...At,
    commentId: Type.String(),
    author: Type.String(),
    maintainer: Type.Boolean(),
    text: Type.String(),
  }),
  /** Anything else on the issue that the agent should hear of. */
  Type.Object({
    type: Type.Literal('issue.event'),
    ...At,
    kind: Type.String(),
    author: Type.String(),
    text: Type.Optional(Type.String()),
  }),
  /** `/cancel`, `/retry`, `/budget +N` by a maintainer. */
  Type.Object({
    type: Type.Literal('issue.command'),
    ...At,
    command: Type.Union([Type.Literal('cancel'), Type.Literal('retry'), Type.Literal('budget')]),
    by: Type.String(),
    /** Tokens, with `budget`. */
    amount: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Of the issue, as the mirror had it then. */
    state: Type.Optional(Type.Union([Type.Literal('open'), Type.Literal('closed')])),
  }),
  Type.Object({ type: Type.Literal('issue.owned'), ...At, task: Type.String() }),
  /** Its owner gives it to a Task that will be minted by `entry` (fold). */
  Type.Object({
    type: Type.Literal('issue.handedOver'),
    ...At,
    task: Type.String(),
    to: Type.String(),
    entry: Type.String(),
  }),
  /** A sweep has room for it. */
  Type.Object({ type: Type.Literal('issue.offered'), ...At }),
  /** Its Project is deleted: whatever was asked for is dropped, and its Task is closed (ADMISSION-8). */
  Type.Object({ type: Type.Literal('issue.projectDeleted'), ...At }),
  /** A Project of the name is there again. */
  Type.Object({ type: Type.Literal('issue.projectApplied'), ...At }),
  /** The platform closed it because there is nothing left to do (refine). */
  Type.Object({ type: Type.Literal('issue.retired'), ...At, reason: Type.String() }),
  Type.Object({ type: Type.Literal('issue.agentRunning'), ...At, task: Type.String(), agentKind: Type.String() }),
  Type.Object({
    type: Type.Literal('plan.written'),
    ...At,
    task: Type.String(),
    noteId: Type.String(),
    planHash: Type.String(),
    body: Type.String(),
  }),
  Type.Object({
    type: Type.Literal('approval.claimed'),
    ...At,
    task: Type.String(),
    planHash: Type.String(),
    significance: Type.Optional(Type.String()),
    claim: ApprovalClaim,
  }),
  Type.Object({ type: Type.Literal('task.delivered'), ...At, task: Type.String() }),
  /** The owner ended otherwise: `rejected` by the agent, cancelled, failed; or gave the issue up at `declined`. */
  Type.Object({
    type: Type.Literal('task.ended'),
    ...At,
    task: Type.String(),
    stage: Type.String(),
    reason: Type.String(),
  }),
  EffectFailed,
])
export type IssueEvent = Static<typeof IssueEvent>
