import { Type, type Static } from 'typebox'
import { Finding } from '../effect.ts'
import { AccountReport, At, EffectFailed } from '../event.ts'

const Pod = { pod: Type.Integer({ description: 'ordinal of the pod that speaks' }) }
const Mr = { repository: Type.String(), number: Type.Integer() }
/** Head and base branch as the forge has them (HEAD-1); journals of before 2026-11-28 have no base. */
const Judged = { sha: Type.String(), base: Type.Optional(Type.String()) }

export const agentKinds = [
  'brainstorm',
  'incident',
  'implement',
  'review',
  'refine',
  'documentation',
  'upgrade',
] as const
// A mapped union has no static type of its own: without `Unsafe` every `kind` is `never`.
export const AgentKind = Type.Unsafe<(typeof agentKinds)[number]>(
  Type.Union(agentKinds.map((kind) => Type.Literal(kind))),
)
export type AgentKind = (typeof agentKinds)[number]

const CeilingSetting = Type.Union([
  Type.Literal('off'),
  Type.Literal('patch'),
  Type.Literal('minor'),
  Type.Literal('major'),
])

/** What a Task needs of its Project, fixed at mint so that its steps replay without looking anything up. Seconds are seconds. */
export const TaskConfig = Type.Object({
  project: Type.String({ description: 'actor id of the Project' }),
  agentPodTTLSeconds: Type.Integer(),
  turnTimeoutSeconds: Type.Integer(),
  stallProbeGraceSeconds: Type.Integer(),
  stallProbeMaxAttempts: Type.Integer(),
  autoApproveMaxSignificance: CeilingSetting,
  model: Type.Record(Type.String(), Type.String(), { description: 'model by agent kind' }),
  effort: Type.Record(Type.String(), Type.String(), { description: 'effort by agent kind' }),
  permissionMode: Type.String(),
  /** Its turns reserve so much at the Project's ledger; absent: they are not metered. */
  tokensPerTurn: Type.Optional(Type.Integer({ minimum: 1 })),
  repositories: Type.Array(Type.Object({ name: Type.String(), base: Type.String() })),
})
export type TaskConfig = Static<typeof TaskConfig>

export const OwnedIssue = Type.Object({
  repository: Type.String(),
  number: Type.Integer(),
  issue: Type.String({ description: 'actor id of the Issue' }),
  selfProposed: Type.Boolean(),
  humanCommented: Type.Boolean(),
})
export type OwnedIssue = Static<typeof OwnedIssue>

export const OwnedMergeRequest = Type.Object({
  ...Mr,
  mergeRequest: Type.String({ description: 'actor id of the MergeRequest' }),
  headSha: Type.String(),
  headBranch: Type.String(),
  /** Branch that it merges into; journals of before 2026-11-28 have none. */
  baseBranch: Type.Optional(Type.String()),
  author: Type.String(),
  url: Type.String(),
  /** People handed their own branch over: pods may push to it (GIT-6). */
  writable: Type.Optional(Type.Boolean()),
})
export type OwnedMergeRequest = Static<typeof OwnedMergeRequest>

/** Everything a new Task knows. */
export const TaskSeed = Type.Object({
  kind: AgentKind,
  goal: Type.String(),
  repositories: Type.Array(Type.String()),
  issues: Type.Array(OwnedIssue),
  mergeRequests: Type.Array(OwnedMergeRequest),
  priority: Type.Integer(),
  origin: Type.Object({ kind: Type.String(), ref: Type.String() }),
  config: TaskConfig,
})
export type TaskSeed = Static<typeof TaskSeed>

/** One claim of an `approved` outcome: the edge looked the facts up in the mirror, the Issue judges (APPROVAL-2). */
export const ApprovalClaim = Type.Object({
  issue: Type.String(),
  citation: Type.Optional(
    Type.Object({
      commentId: Type.String(),
      author: Type.String(),
      quote: Type.String(),
      span: Type.String(),
      bodyHash: Type.String(),
    }),
  ),
  approvingMaintainer: Type.Optional(Type.String()),
  /** Name of the first conjunct of APPROVAL-2 that the mirror contradicts; absent when all hold there. */
  refusedBy: Type.Optional(Type.String()),
})
export type ApprovalClaim = Static<typeof ApprovalClaim>

/** A live head as the edge read it from the forge in the call. */
export const LiveHead = Type.Object({
  ...Mr,
  sha: Type.String(),
  base: Type.Optional(Type.String()),
  draft: Type.Boolean(),
  author: Type.String(),
  /** bot, maintainer, or engine of an adopted merge request (REVIEW-3). */
  authorMayMerge: Type.Boolean(),
  /** Newest first, the newest few: commits that no pod, maintainer or engine brought (REVIEW-3). `by` is empty where nobody knows. */
  foreign: Type.Optional(Type.Array(Type.Object({ sha: Type.String(), by: Type.String() }))),
})
export type LiveHead = Static<typeof LiveHead>

/** What a `propose` meets: how many proposals still fit, and which of its titles are filed already (OUTCOME-RULE-7). */
export const ProposalRoom = Type.Object({
  left: Type.Integer({ minimum: 0 }),
  filed: Type.Array(Type.Object({ title: Type.String(), ...Mr })),
})
export type ProposalRoom = Static<typeof ProposalRoom>

const memberStates = ['free', 'running', 'ended', 'unknown'] as const
/** A member of a refine outcome as the edge found it in the call; the member itself decides when it is asked. */
export const FoldMember = Type.Object({
  task: Type.String(),
  state: Type.Unsafe<(typeof memberStates)[number]>(Type.Union(memberStates.map((state) => Type.Literal(state)))),
})
export type FoldMember = Static<typeof FoldMember>

export const PushReport = Type.Object({
  pushed: Type.Array(Type.String()),
  failed: Type.Array(Type.Object({ repo: Type.String(), error: Type.String() })),
})
export type PushReport = Static<typeof PushReport>

const noteKinds = ['plan', 'handoff', 'note', 'finding', 'decision'] as const
export const NoteKind = Type.Unsafe<(typeof noteKinds)[number]>(Type.Union(noteKinds.map((kind) => Type.Literal(kind))))
export type NoteKind = (typeof noteKinds)[number]

/** The closed list of what an agent is told of (EVENTS-7). */
export type EventKind =
  | 'issue_comment'
  | 'mr_comment'
  | 'mr_review'
  | 'issue_edited'
  | 'push'
  | 'ci'
  | 'approval'
  | 'merge_conflict'

/** Reasons of pending events, as the bundle's `event` elements show them. */
export const PendingEvent = Type.Object({
  n: Type.Integer(),
  kind: Type.String(),
  repository: Type.String(),
  number: Type.Integer(),
  author: Type.String(),
  at: Type.Integer(),
  text: Type.Optional(Type.String()),
})
export type PendingEvent = Static<typeof PendingEvent>

const ForgeFact = { repository: Type.String(), number: Type.Integer(), author: Type.String(), kind: Type.String() }
/** Why the platform does not merge: a maintainer's word, a review that requests changes, protected paths (MERGE-11, MERGE-12). */
const RefusalCause = Type.Union([Type.Literal('withheld'), Type.Literal('changes'), Type.Literal('protected-paths')])

/** Names of the red or open checks, where none of them is known to be required (MERGE-15). */
const Loose = {
  /** The forge requires none of them. */
  optional: Type.Optional(Type.Array(Type.String())),
  /** Nobody could read whether the forge requires them. */
  unclear: Type.Optional(Type.Array(Type.String())),
}

const MergeAnswer = { ...Mr, sha: Type.String(), attempt: Type.Integer(), reason: Type.Optional(Type.String()) }

export const TaskEvent = Type.Union([
  Type.Object({ type: Type.Literal('task.minted'), ...At, seed: TaskSeed, entry: Type.Optional(Type.String()) }),
  Type.Object({ type: Type.Literal('task.close'), ...At, by: Type.String(), reason: Type.Optional(Type.String()) }),
  Type.Object({ type: Type.Literal('task.retry'), ...At, by: Type.String() }),
  /** An operator's own word: it parks, and `task.retry` alone lets the Task go on (PARK-14). */
  Type.Object({ type: Type.Literal('task.hold'), ...At, by: Type.String(), reason: Type.String() }),

  Type.Object({ type: Type.Literal('slot.granted'), ...At, entry: Type.String() }),
  Type.Object({ type: Type.Literal('pod.working'), ...At, ...Pod }),
  Type.Object({
    type: Type.Literal('pod.final'),
    ...At,
    ...Pod,
    cause: Type.Union([
      Type.Literal('gone'),
      Type.Literal('lost'),
      Type.Literal('unbound'),
      Type.Literal('mismatched'),
    ]),
    /** One of a few constants. */
    reason: Type.Optional(Type.String()),
    /** What else is known of the end, for people. */
    detail: Type.Optional(Type.String()),
    residencyMs: Type.Integer(),
  }),
  /** Ended by force, and nobody confirmed that it ended. `name`: as the place of pods calls it (POD-21). */
  Type.Object({ type: Type.Literal('pod.notEnding'), ...At, ...Pod, name: Type.String() }),
  /** The pod ran and left no note of its own: the Task writes one from the last turn (STOP-SEQUENCE-5). */
  Type.Object({
    type: Type.Literal('pod.noteMissing'),
    ...At,
    ...Pod,
    reason: Type.String(),
    detail: Type.Optional(Type.String()),
  }),
  Type.Object({ type: Type.Literal('turn.accepted'), ...At, ...Pod, turn: Type.Integer(), eventsUpTo: Type.Integer() }),
  Type.Object({
    type: Type.Literal('turn.ended'),
    ...At,
    ...Pod,
    turn: Type.Integer(),
    purpose: Type.String(),
    finalText: Type.String(),
    usage: Type.Record(Type.String(), Type.Unknown()),
    ...PushReport.properties,
  }),
  Type.Object({
    type: Type.Literal('turn.failed'),
    ...At,
    ...Pod,
    turn: Type.Integer(),
    purpose: Type.String(),
    stopReason: Type.String(),
    error: Type.Optional(Type.String()),
    resetsAt: Type.Optional(Type.Integer()),
    finalText: Type.String(),
    usage: Type.Record(Type.String(), Type.Unknown()),
    ...PushReport.properties,
  }),

  /** The outcome call. `digest` identifies the body; answered by an `answer` effect in the same step (OUTCOME-RULE-2). */
  Type.Object({
    type: Type.Literal('outcome'),
    ...At,
    ...Pod,
    outcomeId: Type.String(),
    digest: Type.String(),
    kind: AgentKind,
    action: Type.String({ description: 'action, or verdict for review' }),
    payload: Type.Record(Type.String(), Type.Unknown()),
    claims: Type.Array(ApprovalClaim),
    heads: Type.Array(LiveHead),
    proposals: Type.Optional(ProposalRoom),
    /** `autoApproveMaxSignificance` as the Project has it in the call (PROJECT-18); absent: as at the mint. */
    ceiling: Type.Optional(CeilingSetting),
    members: Type.Optional(Type.Array(FoldMember)),
    workspaceClean: Type.Boolean(),
    /** Of a `submitted`: repositories that pods of the Task pushed to, by the gateway's record: this turn's too. */
    pushed: Type.Optional(Type.Array(Type.String())),
  }),
  Type.Object({
    type: Type.Literal('note.written'),
    ...At,
    ...Pod,
    id: Type.String(),
    kind: NoteKind,
    body: Type.String(),
    bodyHash: Type.String(),
    /** So many of the oldest notes have their words in the store: they need not stay here (NOTE-3). */
    spilled: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  /** What a turn of the Task heard of the account that it runs on (ADMISSION-4). */
  Type.Object({ type: Type.Literal('usage.reported'), ...At, ...AccountReport.properties }),
  /** The provider withholds the model from the key: no turn would be answered. From the queue, for each entry. */
  Type.Object({ type: Type.Literal('model.withheld'), ...At }),
  Type.Object({ type: Type.Literal('model.served'), ...At }),
  /** The agent commented on the forge in this turn: an ended turn then waits for the answer. */
  Type.Object({ type: Type.Literal('agent.asked'), ...At, ...Pod, repository: Type.String(), number: Type.Integer() }),

  Type.Object({
    type: Type.Literal('approval.granted'),
    ...At,
    issue: Type.String(),
    planHash: Type.String(),
    self: Type.Boolean(),
  }),
  Type.Object({ type: Type.Literal('approval.refused'), ...At, issue: Type.String(), reason: Type.String() }),
  Type.Object({ type: Type.Literal('approval.revoked'), ...At, issue: Type.String(), reason: Type.String() }),
  Type.Object({
    type: Type.Literal('approval.commented'),
    ...At,
    issue: Type.String(),
    by: Type.String(),
    commentId: Type.String(),
  }),
  /** No comment approves any more, and none had been granted: a grant that falls is `approval.revoked`. */
  Type.Object({ type: Type.Literal('approval.lapsed'), ...At, issue: Type.String() }),
  Type.Object({ type: Type.Literal('issue.closed'), ...At, issue: Type.String() }),
  Type.Object({ type: Type.Literal('issue.reopened'), ...At, issue: Type.String() }),

  Type.Object({ type: Type.Literal('mr.ready'), ...At, ...OwnedMergeRequest.properties, attempt: Type.Integer() }),
  Type.Object({
    type: Type.Literal('mr.openFailed'),
    ...At,
    repository: Type.String(),
    reason: Type.String(),
    attempt: Type.Integer(),
  }),
  Type.Object({
    type: Type.Literal('mr.headMoved'),
    ...At,
    ...Mr,
    ...Judged,
    byOwnPod: Type.Boolean(),
    gated: Type.Boolean(),
    author: Type.String(),
  }),
  Type.Object({ type: Type.Literal('mr.merged'), ...At, ...Mr, sha: Type.String(), mergeCommit: Type.String() }),
  Type.Object({ type: Type.Literal('mr.closed'), ...At, ...Mr }),
  Type.Object({ type: Type.Literal('mr.reopened'), ...At, ...Mr, ...Judged }),
  Type.Object({ type: Type.Literal('mr.conflict'), ...At, ...MergeAnswer }),
  Type.Object({
    type: Type.Literal('mr.ciRed'),
    ...At,
    ...MergeAnswer,
    ...Loose,
  }),
  Type.Object({ type: Type.Literal('mr.ciPending'), ...At, ...MergeAnswer, ...Loose }),
  Type.Object({ type: Type.Literal('mr.notMergeableYet'), ...At, ...MergeAnswer }),
  /** Without a cause the forge itself refuses. */
  Type.Object({
    type: Type.Literal('mr.mergeRefused'),
    ...At,
    ...MergeAnswer,
    cause: Type.Optional(RefusalCause),
    /** With `changes`: the review that asks. */
    review: Type.Optional(Type.String()),
  }),
  Type.Object({
    type: Type.Literal('mr.goAhead'),
    ...At,
    by: Type.String(),
    shas: Type.Array(Type.Object({ ...Mr, ...Judged })),
    /** The comment or review that it stands in (OUTCOME-IMPLEMENT-20). */
    kind: Type.Optional(Type.String()),
    text: Type.Optional(Type.String()),
  }),

  /** A refine Task asks this one to fold; answered by `fold.accepted` or `fold.refused`. `to` and `entry`: who will own what it has. */
  Type.Object({
    type: Type.Literal('fold.requested'),
    ...At,
    by: Type.String(),
    project: Type.String(),
    to: Type.String(),
    entry: Type.String(),
  }),
  Type.Object({
    type: Type.Literal('fold.accepted'),
    ...At,
    task: Type.String(),
    goal: Type.String(),
    priority: Type.Integer(),
    repositories: Type.Array(Type.String()),
    issues: Type.Array(OwnedIssue),
    mergeRequests: Type.Array(OwnedMergeRequest),
  }),
  Type.Object({ type: Type.Literal('fold.refused'), ...At, task: Type.String(), reason: Type.String() }),
  /** The author of a merge request, or a maintainer, hands it over: the edge decided who may (OWNERSHIP-10). */
  Type.Object({ type: Type.Literal('takeover.accepted'), ...At, ...Mr, by: Type.String(), commentId: Type.String() }),

  /** The spending ledger has nothing left for this Task; `budget.raised`: a maintainer gave it more (LEDGER-4, LEDGER-3). */
  Type.Object({ type: Type.Literal('budget.exhausted'), ...At, detail: Type.Optional(Type.String()) }),
  Type.Object({ type: Type.Literal('budget.raised'), ...At, by: Type.String(), amount: Type.Number() }),
  /** More than may be added in a day, by comments in all. */
  Type.Object({
    type: Type.Literal('budget.refused'),
    ...At,
    by: Type.String(),
    amount: Type.Integer(),
    left: Type.Integer(),
  }),
  /** The day whose limit held it is over. */
  Type.Object({ type: Type.Literal('budget.renewed'), ...At }),

  /** A gated human wrote (the edge decided that, PEOPLE-4). */
  Type.Object({
    type: Type.Literal('human.commented'),
    ...At,
    ...ForgeFact,
    maintainer: Type.Boolean(),
    on: Type.Union([Type.Literal('issue'), Type.Literal('mr')]),
    text: Type.Optional(Type.String()),
  }),
  /** The alert that it was minted for fired again; from the queue, the first time only (ALERTS-6). */
  Type.Object({ type: Type.Literal('alert.joined'), ...At }),
  /** Anything else worth telling the agent; never enqueues [POD-5]. */
  Type.Object({ type: Type.Literal('forge.event'), ...At, ...ForgeFact, text: Type.Optional(Type.String()) }),
  EffectFailed,
])
export type TaskEvent = Static<typeof TaskEvent>

/** The accepted payloads of review findings live in the effect schema: one shape from tool to forge. */
export { Finding }
