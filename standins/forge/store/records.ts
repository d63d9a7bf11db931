/**
 * What the forge remembers, in words of neither dialect. Records are mutable, live in memory and point at each other;
 * `saved/` puts them on disk, so a new member of a record is a new member there.
 */
import type { Git } from '../git/store.ts'

export type Permission = 'none' | 'read' | 'triage' | 'write' | 'maintain' | 'admin'
export type MergeMethod = 'merge' | 'squash' | 'rebase'
export type Side = 'LEFT' | 'RIGHT'
/** Whose rules a repository lives by, and whose words a hook is sent in. Both APIs answer for every repository. */
export type Dialect = 'github' | 'gitlab'

export interface User {
  readonly id: number
  readonly login: string
  readonly type: 'User' | 'Bot'
  readonly name: string
  readonly email: string
  readonly createdAt: string
}

/** Who acts. `cap` is the most that the token allows, whatever the user's own permission is. */
export interface Actor {
  readonly user: User
  readonly cap: Permission
  readonly scopes: readonly string[]
  /**
   * An App's installation at GitHub: it writes contents, issues, pull requests and hooks, reads checks, statuses and actions, and
   * administers nothing, whatever its user may.
   */
  readonly isInstallation?: boolean
}

export interface Label {
  readonly id: number
  name: string
  color: string
  description: string | null
}

/** The last one, and the login of who made it. */
export interface Edit {
  readonly by: string
  readonly at: string
}

export interface Comment {
  readonly id: number
  body: string
  readonly author: User
  edit?: Edit
  /** Written by the forge itself about what the author did. */
  readonly system: boolean
  /** For members alone. */
  readonly internal: boolean
  /** What it and its answers have in common; null for one that stands alone. */
  discussion: string | null
  resolution: Resolution | null
  readonly createdAt: string
  updatedAt: string
}

export interface Resolution {
  readonly by: User
  readonly at: string
}

interface Thread {
  readonly id: number
  readonly number: number
  title: string
  body: string | null
  state: 'open' | 'closed'
  stateReason: 'completed' | 'not_planned' | 'reopened' | null
  readonly author: User
  labels: Label[]
  assignees: User[]
  readonly comments: Map<number, Comment>
  readonly createdAt: string
  updatedAt: string
  closedAt: string | null
  closedBy: User | null
  /** For its author and members who may sort issues. */
  confidential: boolean
}

export interface PlainIssue extends Thread {
  readonly kind: 'issue'
}

/** `diffBase` is the merge base at the last move of the head: after the merge it can't be found out any more. */
export interface Pull extends Thread {
  readonly kind: 'pull'
  readonly pullId: number
  readonly head: string
  base: string
  headSha: string
  baseSha: string
  diffBase: string
  draft: boolean
  merged: Merge | null
  stats: PullStats
  mergeability: Mergeability | null
  readonly reviews: Map<number, Review>
  readonly reviewComments: Map<number, ReviewComment>
  readonly drafts: Map<number, DraftNote>
  /** Who was asked to review it. */
  reviewers: User[]
  /** Each place where its head has been, the oldest first. */
  readonly versions: PullVersion[]
}

/** Of one comment that its author has not published yet. */
export interface DraftNote {
  readonly id: number
  readonly author: User
  body: string
  readonly position: DraftPosition | null
  /** The discussion that it answers. */
  readonly discussion: string | null
}

/** As it was asked for: whether the diff has such a line is found out when it is published. */
export interface DraftPosition {
  readonly oldPath: string
  readonly newPath: string
  readonly oldLine: number | null
  readonly newLine: number | null
  readonly commit: string
}

export interface PullVersion {
  readonly id: number
  readonly headSha: string
  readonly baseSha: string
  readonly diffBase: string
  readonly createdAt: string
}

export type Issue = PlainIssue | Pull

export interface Merge {
  readonly at: string
  readonly by: User
  readonly sha: string
  readonly method: MergeMethod | 'push'
  /** In GitLab's dialect, where a merge commit takes in one commit of all: that one. */
  readonly squash?: string
}

export interface PullStats {
  readonly commits: number
  readonly additions: number
  readonly deletions: number
  readonly changedFiles: number
}

/** The answer for one pair of tips. A read after either has moved answers "not known yet" and starts a new look. */
export interface Mergeability {
  readonly headSha: string
  readonly baseSha: string
  clean: boolean | null
}

export type ReviewState = 'PENDING' | 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED' | 'DISMISSED'

export interface Review {
  readonly id: number
  readonly author: User
  body: string
  state: ReviewState
  readonly commit: string
  submittedAt: string | null
}

export interface ReviewComment {
  readonly id: number
  readonly reviewId: number
  readonly inReplyTo: number | null
  readonly author: User
  edit?: Edit
  body: string
  readonly path: string
  readonly anchor: Anchor | null
  /** False once the file has changed since: the line can't be pointed at any more. */
  current: boolean
  commit: string
  readonly originalCommit: string
  readonly createdAt: string
  updatedAt: string
  resolution: Resolution | null
}

/** Where in a diff a review comment stands; null for a comment on the whole file. */
export interface Anchor {
  readonly line: number
  readonly side: Side
  readonly startLine: number | null
  readonly startSide: Side | null
  readonly position: number
  readonly hunk: string
}

export type CheckStatus = 'queued' | 'in_progress' | 'completed'
export type CheckConclusion =
  | 'success'
  | 'failure'
  | 'neutral'
  | 'cancelled'
  | 'skipped'
  | 'timed_out'
  | 'action_required'

export interface CheckOutput {
  readonly title: string | null
  readonly summary: string | null
  readonly text: string | null
}

export interface CheckRun {
  readonly id: number
  readonly suite: CheckSuite
  readonly name: string
  status: CheckStatus
  conclusion: CheckConclusion | null
  startedAt: string | null
  completedAt: string | null
  externalId: string
  detailsUrl: string | null
  output: CheckOutput
}

export interface CheckSuite {
  readonly id: number
  readonly sha: string
  readonly branch: string | null
  readonly app: string
  readonly runs: CheckRun[]
  /** Others of its runs are still to begin. */
  isHeld: boolean
  readonly createdAt: string
  updatedAt: string
}

export interface CommitStatus {
  readonly id: number
  readonly sha: string
  readonly state: 'error' | 'failure' | 'pending' | 'success'
  /** The finer word of a forge that has more than the four. */
  readonly phase: 'running' | 'canceled' | 'skipped' | null
  readonly context: string
  readonly description: string | null
  readonly targetUrl: string | null
  readonly creator: User
  readonly createdAt: string
}

export interface Protection {
  /** Names of check runs or contexts of statuses that must be green on the head. */
  readonly requiredChecks: readonly string[]
  /** The head must contain the tip of the base. */
  readonly strict: boolean
  readonly requiredApprovals: number
  readonly enforceAdmins: boolean
}

/** Of GitHub's rulesets what requires checks. Everybody who reads may read it. */
export interface Ruleset {
  readonly id: number
  readonly branches: readonly string[]
  readonly requiredChecks: readonly string[]
  /** Logins whose merges pass it by. */
  readonly bypass?: readonly string[]
}

export interface Hook {
  readonly id: number
  url: string
  secret: string | null
  contentType: 'json' | 'form'
  events: string[]
  active: boolean
  readonly createdAt: string
  updatedAt: string
  lastResponse: { code: number | null; status: string; message: string | null }
  readonly dialect: Dialect
  /** In a row. */
  failures: number
  /** Nothing is sent before. */
  disabledUntil: string | null
}

export interface CiSettings {
  /** Run by `sh -c` at the root of a fresh clone. Without it: `npm test` where package.json has such a script, else no CI. */
  readonly command?: string
  readonly enabled: boolean
  readonly checkName: string
  readonly timeoutMs: number
}

export interface Repository {
  readonly id: number
  readonly dialect: Dialect
  readonly owner: User
  readonly name: string
  readonly path: string
  readonly git: Git
  readonly private: boolean
  readonly description: string | null
  defaultBranch: string
  readonly permissions: Map<string, Permission>
  mergeMethods: ReadonlySet<MergeMethod>
  deleteBranchOnMerge: boolean
  readonly protection: Map<string, Protection>
  readonly rulesets: readonly Ruleset[]
  readonly ci: CiSettings
  readonly labels: Map<string, Label>
  /** By `threadKey`. */
  readonly issues: Map<number, Issue>
  nextNumber: number
  /** Of merge requests, where they are not counted among the issues. */
  nextPullNumber: number
  readonly hooks: Map<number, Hook>
  readonly suites: CheckSuite[]
  readonly statuses: CommitStatus[]
  readonly createdAt: string
  updatedAt: string
  pushedAt: string
}

export function fullName(repository: Repository): string {
  return `${repository.owner.login}/${repository.name}`
}

/** GitLab counts merge requests apart from issues: there they lie below zero, so that one map can hold both. */
export function threadKey(repository: Pick<Repository, 'dialect'>, kind: Issue['kind'], number: number): number {
  return repository.dialect === 'gitlab' && kind === 'pull' ? -number : number
}

export function isPull(issue: Issue): issue is Pull {
  return issue.kind === 'pull'
}
