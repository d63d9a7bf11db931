/**
 * The forge's memory as one JSON document, `world.json`. Records that point at each other are named in it: users by
 * login, labels and hooks by id, repositories by their full name. What can be found again is left out: tokens (the
 * seed gives them again), paths, and what was known about mergeability.
 */
import { Type, type Static, type TSchema } from 'typebox'

/** Raised with every change that an older reader would misread. */
export const WORLD_VERSION = 1

const Nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])
const Text = Type.String()
const Id = Type.Integer()
const Login = Type.String()

const SavedUser = Type.Object({
  id: Id,
  login: Login,
  type: Type.Enum(['User', 'Bot']),
  name: Text,
  email: Text,
  createdAt: Text,
})

const SavedLabel = Type.Object({ id: Id, name: Text, color: Text, description: Nullable(Text) })

const Edit = Type.Optional(Type.Object({ by: Login, at: Text }))
const Resolution = Type.Optional(Nullable(Type.Object({ by: Login, at: Text })))

export const SavedComment = Type.Object({
  id: Id,
  body: Text,
  author: Login,
  system: Type.Optional(Type.Boolean()),
  internal: Type.Optional(Type.Boolean()),
  discussion: Type.Optional(Nullable(Text)),
  resolution: Resolution,
  edit: Edit,
  createdAt: Text,
  updatedAt: Text,
})
export type SavedComment = Static<typeof SavedComment>

const thread = {
  id: Id,
  number: Type.Integer({ minimum: 1 }),
  title: Text,
  body: Nullable(Text),
  state: Type.Enum(['open', 'closed']),
  stateReason: Nullable(Type.Enum(['completed', 'not_planned', 'reopened'])),
  author: Login,
  labels: Type.Array(Id),
  assignees: Type.Array(Login),
  comments: Type.Array(SavedComment),
  createdAt: Text,
  updatedAt: Text,
  closedAt: Nullable(Text),
  closedBy: Nullable(Login),
  confidential: Type.Optional(Type.Boolean()),
}

const SavedPlainIssue = Type.Object({ kind: Type.Literal('issue'), ...thread })
export type SavedThread = Omit<Static<typeof SavedPlainIssue>, 'kind'>

export const SavedReview = Type.Object({
  id: Id,
  author: Login,
  body: Text,
  state: Type.Enum(['PENDING', 'COMMENTED', 'APPROVED', 'CHANGES_REQUESTED', 'DISMISSED']),
  commit: Text,
  submittedAt: Nullable(Text),
})
export type SavedReview = Static<typeof SavedReview>

const Side = Type.Enum(['LEFT', 'RIGHT'])
const Anchor = Type.Object({
  line: Type.Integer(),
  side: Side,
  startLine: Nullable(Type.Integer()),
  startSide: Nullable(Side),
  position: Type.Integer(),
  hunk: Text,
})

export const SavedReviewComment = Type.Object({
  id: Id,
  reviewId: Id,
  inReplyTo: Nullable(Id),
  author: Login,
  body: Text,
  path: Text,
  anchor: Nullable(Anchor),
  current: Type.Boolean(),
  commit: Text,
  originalCommit: Text,
  createdAt: Text,
  updatedAt: Text,
  resolution: Resolution,
  edit: Edit,
})
export type SavedReviewComment = Static<typeof SavedReviewComment>

const Count = Type.Integer({ minimum: 0 })

const SavedDraft = Type.Object({
  id: Id,
  author: Login,
  body: Text,
  position: Nullable(
    Type.Object({
      oldPath: Text,
      newPath: Text,
      oldLine: Nullable(Type.Integer()),
      newLine: Nullable(Type.Integer()),
      commit: Text,
    }),
  ),
  discussion: Nullable(Text),
})

const SavedVersion = Type.Object({ id: Id, headSha: Text, baseSha: Text, diffBase: Text, createdAt: Text })

export const SavedPull = Type.Object({
  kind: Type.Literal('pull'),
  ...thread,
  pullId: Id,
  head: Text,
  base: Text,
  headSha: Text,
  baseSha: Text,
  diffBase: Text,
  draft: Type.Boolean(),
  merged: Nullable(
    Type.Object({
      at: Text,
      by: Login,
      sha: Text,
      method: Type.Optional(Type.Enum(['merge', 'squash', 'rebase', 'push'])),
      squash: Type.Optional(Type.String()),
    }),
  ),
  stats: Type.Object({ commits: Count, additions: Count, deletions: Count, changedFiles: Count }),
  reviews: Type.Array(SavedReview),
  reviewComments: Type.Array(SavedReviewComment),
  drafts: Type.Optional(Type.Array(SavedDraft)),
  reviewers: Type.Optional(Type.Array(Login)),
  versions: Type.Optional(Type.Array(SavedVersion)),
})
export type SavedPull = Static<typeof SavedPull>

export const SavedIssue = Type.Union([SavedPlainIssue, SavedPull])
export type SavedIssue = Static<typeof SavedIssue>

const SavedRun = Type.Object({
  id: Id,
  name: Text,
  status: Type.Enum(['queued', 'in_progress', 'completed']),
  conclusion: Nullable(
    Type.Enum(['success', 'failure', 'neutral', 'cancelled', 'skipped', 'timed_out', 'action_required']),
  ),
  startedAt: Nullable(Text),
  completedAt: Nullable(Text),
  externalId: Text,
  detailsUrl: Nullable(Text),
  output: Type.Object({ title: Nullable(Text), summary: Nullable(Text), text: Nullable(Text) }),
})

export const SavedSuite = Type.Object({
  id: Id,
  sha: Text,
  branch: Nullable(Text),
  app: Text,
  runs: Type.Array(SavedRun),
  isHeld: Type.Optional(Type.Boolean()),
  createdAt: Text,
  updatedAt: Text,
})
export type SavedSuite = Static<typeof SavedSuite>

export const SavedStatus = Type.Object({
  id: Id,
  sha: Text,
  state: Type.Enum(['error', 'failure', 'pending', 'success']),
  phase: Type.Optional(Nullable(Type.Enum(['running', 'canceled', 'skipped']))),
  context: Text,
  description: Nullable(Text),
  targetUrl: Nullable(Text),
  creator: Login,
  createdAt: Text,
})
export type SavedStatus = Static<typeof SavedStatus>

/** An older forge's is GitHub's. */
const Dialect = Type.Optional(Type.Enum(['github', 'gitlab']))

const SavedHook = Type.Object({
  id: Id,
  url: Text,
  secret: Nullable(Text),
  contentType: Type.Enum(['json', 'form']),
  events: Type.Array(Text),
  active: Type.Boolean(),
  createdAt: Text,
  updatedAt: Text,
  lastResponse: Type.Object({ code: Nullable(Type.Integer()), status: Text, message: Nullable(Text) }),
  dialect: Dialect,
  failures: Type.Optional(Count),
  disabledUntil: Type.Optional(Nullable(Text)),
})

const Permission = Type.Enum(['none', 'read', 'triage', 'write', 'maintain', 'admin'])
const Protection = Type.Object({
  requiredChecks: Type.Array(Text),
  strict: Type.Boolean(),
  requiredApprovals: Count,
  enforceAdmins: Type.Boolean(),
})

const Ruleset = Type.Object({
  id: Id,
  branches: Type.Array(Text),
  requiredChecks: Type.Array(Text),
  bypass: Type.Optional(Type.Array(Text)),
})

export const SavedRepository = Type.Object({
  id: Id,
  dialect: Dialect,
  owner: Login,
  name: Type.String({ pattern: '^[A-Za-z0-9._-]+$' }),
  private: Type.Boolean(),
  description: Nullable(Text),
  defaultBranch: Text,
  permissions: Type.Record(Type.String(), Permission),
  mergeMethods: Type.Array(Type.Enum(['merge', 'squash', 'rebase'])),
  deleteBranchOnMerge: Type.Boolean(),
  protection: Type.Record(Type.String(), Protection),
  rulesets: Type.Optional(Type.Array(Ruleset)),
  ci: Type.Object({
    command: Type.Optional(Text),
    enabled: Type.Boolean(),
    checkName: Text,
    timeoutMs: Type.Integer({ minimum: 1 }),
  }),
  labels: Type.Array(SavedLabel),
  issues: Type.Array(SavedIssue),
  nextNumber: Type.Integer({ minimum: 1 }),
  nextPullNumber: Type.Optional(Type.Integer({ minimum: 1 })),
  hooks: Type.Array(SavedHook),
  suites: Type.Array(SavedSuite),
  statuses: Type.Array(SavedStatus),
  createdAt: Text,
  updatedAt: Text,
  pushedAt: Text,
})
export type SavedRepository = Static<typeof SavedRepository>

/** Signed anew when it is read: the hook's own secret is in the document once. */
export const SavedDelivery = Type.Object({
  id: Id,
  guid: Text,
  hook: Id,
  repository: Text,
  message: Type.Object({ event: Text, action: Type.Optional(Text), payload: Type.Unknown() }),
  redelivery: Type.Boolean(),
  deliveredAt: Text,
  durationMs: Count,
  status: Type.Enum(['pending', 'delivered', 'failed', 'dropped']),
  statusText: Text,
  statusCode: Type.Integer(),
  response: Type.Object({ headers: Type.Record(Type.String(), Text), body: Text }),
})
export type SavedDelivery = Static<typeof SavedDelivery>

export const WorldDocument = Type.Object({
  version: Type.Literal(WORLD_VERSION),
  lastId: Id,
  users: Type.Array(SavedUser),
  repositories: Type.Array(SavedRepository),
  deliveries: Type.Array(SavedDelivery),
})
export type WorldDocument = Static<typeof WorldDocument>
