import { Type, type Static } from 'typebox'
import { At, EffectFailed } from '../event.ts'
import { TaskConfig } from '../task/events.ts'

const ciStates = ['success', 'failure', 'pending', 'running', 'cancelled', 'none'] as const
export const CiState = Type.Unsafe<(typeof ciStates)[number]>(Type.Union(ciStates.map((state) => Type.Literal(state))))
export type CiState = (typeof ciStates)[number]

export const MergeRequestFacts = Type.Object({
  project: Type.String(),
  repository: Type.String(),
  number: Type.Integer(),
  state: Type.Union([Type.Literal('open'), Type.Literal('merged'), Type.Literal('closed')]),
  title: Type.String(),
  author: Type.String(),
  url: Type.String(),
  draft: Type.Boolean(),
  headSha: Type.String(),
  headBranch: Type.String(),
  baseBranch: Type.String(),
  /** `baseBranch` again, for its owner to be told of: a telling of before 2026-11-28 has none, and decides as it did (R11). */
  base: Type.Optional(Type.String()),
  ci: CiState,
  mergeable: Type.Union([Type.Boolean(), Type.Null()]),
  mergeCommit: Type.Optional(Type.String()),
  /** The bot pushed this head (a pod through the gateway, or the orchestrator itself). */
  headByBot: Type.Boolean(),
  /** Who moved the head, and whether that account passes the intake gate. */
  pushedBy: Type.String(),
  pushedByGated: Type.Boolean(),
  /** A human's merge request that `prReactionScope` and the intake gate let in. */
  wanted: Type.Boolean(),
  /** Which telling of the mirror's it is, counted from 1. */
  revision: Type.Optional(Type.Integer()),
  config: TaskConfig,
})
export type MergeRequestFacts = Static<typeof MergeRequestFacts>

const ThreadKind = Type.Union([Type.Literal('mr_comment'), Type.Literal('mr_review')])

export const MergeRequestEvent = Type.Union([
  Type.Object({ type: Type.Literal('mr.observed'), ...At, facts: MergeRequestFacts }),
  Type.Object({
    type: Type.Literal('mr.commented'),
    ...At,
    commentId: Type.String(),
    author: Type.String(),
    maintainer: Type.Boolean(),
    text: Type.String(),
    kind: ThreadKind,
  }),
  Type.Object({
    type: Type.Literal('mr.event'),
    ...At,
    kind: Type.String(),
    author: Type.String(),
    text: Type.Optional(Type.String()),
  }),
  /** `/takeover` by its author or a maintainer; `/approve` by a maintainer on a merge request that waits for one: a go-ahead on exactly this head. */
  Type.Object({
    type: Type.Literal('mr.command'),
    ...At,
    command: Type.Union([
      Type.Literal('goAhead'),
      Type.Literal('cancel'),
      Type.Literal('retry'),
      Type.Literal('takeover'),
      Type.Literal('budget'),
    ]),
    commentId: Type.Optional(Type.String()),
    by: Type.String(),
    headSha: Type.String(),
    /** Tokens, with `budget`. */
    amount: Type.Optional(Type.Integer({ minimum: 1 })),
    /** With `goAhead`: the comment or review that it stands in. */
    kind: Type.Optional(ThreadKind),
    text: Type.Optional(Type.String()),
  }),
  Type.Object({ type: Type.Literal('mr.owned'), ...At, task: Type.String() }),
  /** Its owner gives it to a Task that will be minted by `entry` (fold, takeover). */
  Type.Object({
    type: Type.Literal('mr.handedOver'),
    ...At,
    task: Type.String(),
    to: Type.String(),
    entry: Type.String(),
  }),
  /** A sweep has room for a review of exactly this head. */
  Type.Object({ type: Type.Literal('mr.offered'), ...At, headSha: Type.String() }),
  Type.Object({ type: Type.Literal('mr.released'), ...At, task: Type.String(), reason: Type.String() }),
  Type.Object({
    type: Type.Literal('verdict.posted'),
    ...At,
    task: Type.String(),
    sha: Type.String(),
    verdict: Type.String(),
  }),
  Type.Object({ type: Type.Literal('merge.asked'), ...At, task: Type.String(), sha: Type.String() }),
  Type.Object({ type: Type.Literal('merge.left'), ...At, task: Type.String(), reason: Type.String() }),
  EffectFailed,
])
export type MergeRequestEvent = Static<typeof MergeRequestEvent>
