/**
 * GitHub's objects as far as we read them: answers of the API and payloads of webhooks share these shapes. Everything
 * else in them is ignored, so that new fields never break us.
 */
import { Type, type Static } from 'typebox'
import { Count, Maybe } from '../transport/answer.ts'

export const Account = Type.Object({ login: Type.String(), id: Type.Integer(), type: Type.Optional(Type.String()) })
export type Account = Static<typeof Account>

const Label = Type.Union([Type.String(), Type.Object({ name: Maybe(Type.String()) })])

export const Issue = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  title: Type.String(),
  body: Maybe(Type.String()),
  state: Type.String(),
  user: Maybe(Account),
  labels: Type.Array(Label),
  html_url: Type.String(),
  created_at: Type.String(),
  updated_at: Type.String(),
  closed_by: Maybe(Account),
  closed_at: Maybe(Type.String()),
  comments: Type.Optional(Count),
  pull_request: Type.Optional(Type.Unknown()),
})
export type Issue = Static<typeof Issue>

export const Comment = Type.Object({
  id: Type.Integer(),
  node_id: Maybe(Type.String()),
  body: Maybe(Type.String()),
  user: Maybe(Account),
  html_url: Type.String(),
  issue_url: Type.Optional(Type.String()),
  created_at: Type.String(),
  updated_at: Type.String(),
})
export type Comment = Static<typeof Comment>

const Ref = Type.Object({
  ref: Type.String(),
  sha: Type.String(),
  repo: Maybe(Type.Object({ full_name: Type.String() })),
})

export const PullRequest = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  title: Type.String(),
  body: Maybe(Type.String()),
  state: Type.String(),
  user: Maybe(Account),
  labels: Type.Optional(Type.Array(Label)),
  html_url: Type.String(),
  draft: Type.Optional(Type.Boolean()),
  head: Ref,
  base: Ref,
  merged: Maybe(Type.Boolean()),
  merged_at: Maybe(Type.String()),
  merge_commit_sha: Maybe(Type.String()),
  mergeable: Maybe(Type.Boolean()),
  created_at: Type.String(),
  updated_at: Type.String(),
})
export type PullRequest = Static<typeof PullRequest>

export const Review = Type.Object({
  id: Type.Integer(),
  node_id: Maybe(Type.String()),
  body: Maybe(Type.String()),
  user: Maybe(Account),
  state: Type.String(),
  html_url: Type.String(),
  commit_id: Maybe(Type.String()),
  submitted_at: Maybe(Type.String()),
})
export type Review = Static<typeof Review>

export const ReviewComment = Type.Object({
  id: Type.Integer(),
  node_id: Maybe(Type.String()),
  body: Type.String(),
  user: Maybe(Account),
  path: Type.String(),
  line: Maybe(Type.Integer()),
  original_line: Maybe(Type.Integer()),
  in_reply_to_id: Maybe(Type.Integer()),
  pull_request_review_id: Maybe(Type.Integer()),
  commit_id: Maybe(Type.String()),
  pull_request_url: Type.Optional(Type.String()),
  html_url: Type.String(),
  created_at: Type.String(),
  updated_at: Type.String(),
})
export type ReviewComment = Static<typeof ReviewComment>

/** Null is what is gone, or hidden. */
export const Edits = Type.Object({
  nodes: Type.Array(
    Type.Union([
      Type.Null(),
      Type.Object({
        body: Type.Optional(Type.String()),
        lastEditedAt: Maybe(Type.String()),
        editor: Maybe(Type.Object({ login: Type.String() })),
      }),
    ]),
  ),
})

export const Repository = Type.Object({
  id: Type.Integer(),
  full_name: Type.String(),
  default_branch: Type.String(),
  private: Type.Boolean(),
  allow_merge_commit: Type.Optional(Type.Boolean()),
  allow_squash_merge: Type.Optional(Type.Boolean()),
  allow_rebase_merge: Type.Optional(Type.Boolean()),
})
export type Repository = Static<typeof Repository>

export const File = Type.Object({
  filename: Type.String(),
  previous_filename: Type.Optional(Type.String()),
  status: Type.String(),
  additions: Count,
  deletions: Count,
  patch: Type.Optional(Type.String()),
})
export type File = Static<typeof File>

export const CheckRun = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  status: Type.String(),
  conclusion: Maybe(Type.String()),
  details_url: Maybe(Type.String()),
  html_url: Maybe(Type.String()),
  output: Maybe(
    Type.Object({ title: Maybe(Type.String()), summary: Maybe(Type.String()), text: Maybe(Type.String()) }),
  ),
  app: Maybe(Type.Object({ slug: Maybe(Type.String()) })),
  check_suite: Maybe(Type.Object({ id: Type.Integer() })),
})
export type CheckRun = Static<typeof CheckRun>

export const CheckSuite = Type.Object({
  id: Type.Optional(Type.Integer()),
  status: Maybe(Type.String()),
  conclusion: Maybe(Type.String()),
  latest_check_runs_count: Type.Optional(Count),
})
export type CheckSuite = Static<typeof CheckSuite>

export const CommitStatus = Type.Object({
  context: Type.String(),
  state: Type.String(),
  target_url: Maybe(Type.String()),
  description: Maybe(Type.String()),
})
export type CommitStatus = Static<typeof CommitStatus>

export const Hook = Type.Object({
  id: Type.Integer(),
  active: Type.Boolean(),
  events: Type.Array(Type.String()),
  config: Type.Object({ url: Type.Optional(Type.String()), content_type: Type.Optional(Type.String()) }),
})
export type Hook = Static<typeof Hook>

export const HookDelivery = Type.Object({
  id: Type.Integer(),
  guid: Type.String(),
  event: Type.String(),
  delivered_at: Type.String(),
  status_code: Type.Integer(),
})
export type HookDelivery = Static<typeof HookDelivery>

export const NamedLabel = Type.Object({ name: Type.String() })
export const Text = Type.String()
export const NumberedPull = Type.Object({ number: Type.Integer({ minimum: 1 }) })
const RequiredStatusChecks = Type.Object({
  contexts: Type.Optional(Type.Array(Type.String())),
  checks: Type.Optional(Type.Array(Type.Object({ context: Type.String() }))),
})
export const Branch = Type.Object({
  commit: Type.Object({ sha: Type.String() }),
  protected: Type.Optional(Type.Boolean()),
  protection: Maybe(
    Type.Object({
      enabled: Type.Optional(Type.Boolean()),
      required_status_checks: Maybe(RequiredStatusChecks),
    }),
  ),
})
export type Branch = Static<typeof Branch>
/** A rule of a ruleset that holds for a branch. */
export const BranchRule = Type.Object({
  type: Type.String(),
  parameters: Maybe(
    Type.Object({ required_status_checks: Type.Optional(Type.Array(Type.Object({ context: Type.String() }))) }),
  ),
})
export type BranchRule = Static<typeof BranchRule>
export const Merged = Type.Object({ sha: Type.String(), merged: Type.Boolean() })
export const Permission = Type.Object({ permission: Type.String(), role_name: Type.Optional(Type.String()) })
export const Compared = Type.Object({ ahead_by: Count })
export const CommitSha = Type.Object({ sha: Type.String() })
const Signature = Type.Object({ name: Type.Optional(Type.String()), date: Type.Optional(Type.String()) })
export const ListedCommit = Type.Object({
  sha: Type.String(),
  html_url: Type.String(),
  commit: Type.Object({ message: Type.String(), author: Maybe(Signature), committer: Maybe(Signature) }),
  author: Maybe(Type.Object({ login: Type.Optional(Type.String()) })),
})
export type ListedCommit = Static<typeof ListedCommit>
export const CombinedStatus = Type.Object({
  state: Type.String(),
  statuses: Type.Array(CommitStatus),
  total_count: Count,
})
export type CombinedStatus = Static<typeof CombinedStatus>
