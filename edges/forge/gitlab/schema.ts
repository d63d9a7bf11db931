/**
 * GitLab's objects as far as we read them. Everything else in them is ignored, so that new fields never break us.
 */
import { Type, type Static } from 'typebox'
import { Count, Maybe } from '../transport/answer.ts'

const Iid = Type.Integer({ minimum: 1 })

/** ISO 8601 in answers; in payloads of webhooks also `2015-05-17 18:21:36 UTC`. */
export const Time = Type.String({ pattern: String.raw`^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}` })

export const Account = Type.Object({ username: Type.String(), id: Type.Integer(), bot: Maybe(Type.Boolean()) })
export type Account = Static<typeof Account>

export const Issue = Type.Object({
  iid: Iid,
  title: Type.String(),
  description: Maybe(Type.String()),
  state: Type.String(),
  author: Maybe(Account),
  labels: Type.Array(Type.String()),
  web_url: Type.String(),
  confidential: Maybe(Type.Boolean()),
  created_at: Time,
  updated_at: Time,
  closed_by: Maybe(Account),
  closed_at: Maybe(Time),
  user_notes_count: Type.Optional(Count),
})
export type Issue = Static<typeof Issue>

/** What an issue and a merge request have in common where the rest isn't read. */
export const Numbered = Type.Object({ iid: Iid, confidential: Maybe(Type.Boolean()) })

export const Position = Type.Object({
  head_sha: Maybe(Type.String()),
  new_path: Maybe(Type.String()),
  old_path: Maybe(Type.String()),
  new_line: Maybe(Type.Integer()),
  old_line: Maybe(Type.Integer()),
})

export const Note = Type.Object({
  id: Type.Integer(),
  type: Maybe(Type.String()),
  body: Maybe(Type.String()),
  author: Maybe(Account),
  system: Maybe(Type.Boolean()),
  internal: Maybe(Type.Boolean()),
  /** What `internal` was called before GitLab 15.5. */
  confidential: Maybe(Type.Boolean()),
  created_at: Time,
  updated_at: Time,
  position: Maybe(Position),
})
export type Note = Static<typeof Note>

export const Discussion = Type.Object({ id: Type.String(), notes: Type.Array(Note) })
export type Discussion = Static<typeof Discussion>

export const MergeRequest = Type.Object({
  iid: Iid,
  title: Type.String(),
  description: Maybe(Type.String()),
  state: Type.String(),
  author: Maybe(Account),
  labels: Type.Array(Type.String()),
  web_url: Type.String(),
  draft: Maybe(Type.Boolean()),
  sha: Maybe(Type.String()),
  source_branch: Type.String(),
  target_branch: Type.String(),
  source_project_id: Maybe(Type.Integer()),
  target_project_id: Type.Integer(),
  has_conflicts: Maybe(Type.Boolean()),
  merge_status: Maybe(Type.String()),
  detailed_merge_status: Maybe(Type.String()),
  merge_error: Maybe(Type.String()),
  merge_commit_sha: Maybe(Type.String()),
  squash_commit_sha: Maybe(Type.String()),
  merged_at: Maybe(Time),
  created_at: Time,
  updated_at: Time,
})
export type MergeRequest = Static<typeof MergeRequest>

export const FileDiff = Type.Object({
  old_path: Type.String(),
  new_path: Type.String(),
  new_file: Maybe(Type.Boolean()),
  renamed_file: Maybe(Type.Boolean()),
  deleted_file: Maybe(Type.Boolean()),
  diff: Maybe(Type.String()),
})
export type FileDiff = Static<typeof FileDiff>

/** One push to a merge request, newest first in lists. */
export const Version = Type.Object({
  id: Type.Integer(),
  head_commit_sha: Type.String(),
  // Of branches that have no commit in common there is none.
  base_commit_sha: Maybe(Type.String()),
  start_commit_sha: Maybe(Type.String()),
  created_at: Time,
})
export type Version = Static<typeof Version>

export const Approvals = Type.Object({
  approved_by: Type.Optional(Type.Array(Type.Object({ user: Maybe(Account), approved_at: Maybe(Time) }))),
})
export type Approvals = Static<typeof Approvals>

export const Reviewer = Type.Object({ user: Maybe(Account), state: Maybe(Type.String()), created_at: Maybe(Time) })
export type Reviewer = Static<typeof Reviewer>

export const DraftNote = Type.Object({ id: Type.Integer() })

export const Project = Type.Object({
  id: Type.Integer(),
  path_with_namespace: Type.String(),
  default_branch: Maybe(Type.String()),
  visibility: Maybe(Type.String()),
  merge_method: Maybe(Type.String()),
  squash_option: Maybe(Type.String()),
  only_allow_merge_if_pipeline_succeeds: Maybe(Type.Boolean()),
})
export type Project = Static<typeof Project>

export const Member = Type.Object({ access_level: Type.Integer(), state: Maybe(Type.String()) })

export const Pipeline = Type.Object({
  id: Type.Integer(),
  sha: Type.String(),
  ref: Maybe(Type.String()),
  source: Maybe(Type.String()),
  status: Type.String(),
  web_url: Maybe(Type.String()),
})
export type Pipeline = Static<typeof Pipeline>

/** A merge request as far as its checks are concerned; lists leave out its pipeline. */
export const HeadedMergeRequest = Type.Object({
  iid: Iid,
  state: Type.String(),
  sha: Maybe(Type.String()),
  head_pipeline: Maybe(Pipeline),
})

const JobFields = {
  id: Type.Integer(),
  name: Type.String(),
  status: Type.String(),
  allow_failure: Maybe(Type.Boolean()),
  web_url: Maybe(Type.String()),
}

export const Job = Type.Object({ ...JobFields, failure_reason: Maybe(Type.String()) })
export type Job = Static<typeof Job>

/** A trigger job; the pipeline that it started is perhaps another project's. */
export const Bridge = Type.Object({
  ...JobFields,
  downstream_pipeline: Maybe(Type.Object({ web_url: Maybe(Type.String()) })),
})
export type Bridge = Static<typeof Bridge>

/** Jobs, trigger jobs and what other systems reported about a commit, in one list. */
export const CommitStatus = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  status: Type.String(),
  allow_failure: Maybe(Type.Boolean()),
  target_url: Maybe(Type.String()),
  pipeline_id: Maybe(Type.Integer()),
})
export type CommitStatus = Static<typeof CommitStatus>

export const Hook = Type.Object({ id: Type.Integer(), url: Type.String(), alert_status: Maybe(Type.String()) })
export type Hook = Static<typeof Hook>

const Headers = Maybe(Type.Record(Type.String(), Type.Unknown()))
export const HookEvent = Type.Object({
  id: Type.Integer(),
  request_headers: Headers,
  response_status: Maybe(Type.Union([Type.String(), Type.Integer()])),
  created_at: Maybe(Time),
  response_headers: Headers,
})
export type HookEvent = Static<typeof HookEvent>

export const Label = Type.Object({ name: Type.String() })
export const Branch = Type.Object({ commit: Type.Object({ id: Type.String() }) })
export const Token = Type.Object({ scopes: Type.Optional(Type.Array(Type.String())) })
export const Compared = Type.Object({ commits: Type.Array(Type.Object({ id: Type.String() })) })
export const ListedCommit = Type.Object({
  id: Type.String(),
  message: Maybe(Type.String()),
  title: Maybe(Type.String()),
  author_name: Maybe(Type.String()),
  committed_date: Maybe(Time),
  created_at: Maybe(Time),
  web_url: Maybe(Type.String()),
})
export type ListedCommit = Static<typeof ListedCommit>
