/**
 * One forge as the platform sees it, in words of neither provider. A port is bound to one Project: its token, its
 * request budget. `path` is the forge's own name of a repository, `owner/name`. Calls never repeat themselves: a
 * failed one throws (see errors.ts) and the outbox asks again. Times are epoch milliseconds.
 */
import type { CiState } from '../../machines/merge-request/events.ts'

export type ForgeSubjectKind = 'issue' | 'mr'

export interface ForgeAccount {
  readonly login: string
  /** The forge's numeric id as text: logins are renamable and reusable (PEOPLE-3). */
  readonly id: string
  /** What the forge itself says; a bot by name is judged elsewhere (PEOPLE-1). */
  readonly bot: boolean
}

interface ForgeToken extends ForgeAccount {
  /** Scopes as the forge names them; empty when the forge doesn't tell. */
  readonly scopes: readonly string[]
}

export type MergeMethod = 'merge' | 'squash' | 'rebase'

export interface ForgeRepository {
  readonly path: string
  readonly id: string
  readonly defaultBranch: string
  readonly private: boolean
  /** Those that the repository allows, in the order in which we try them (MERGE-7). */
  readonly mergeMethods: readonly MergeMethod[]
}

export type ForgePermission = 'none' | 'read' | 'triage' | 'write' | 'maintain' | 'admin'

export interface ForgeIssue {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly state: 'open' | 'closed'
  readonly author: ForgeAccount
  readonly labels: readonly string[]
  readonly url: string
  readonly createdAt: number
  readonly updatedAt: number
  /** Both absent while it is open. */
  readonly closedBy?: ForgeAccount
  readonly closedAt?: number
  /** How many comments the forge counts; tells whether a thread is complete. */
  readonly comments: number
}

type CommentSort = 'comment' | 'review' | 'inline'

/** A comment, a review's own text, or a comment on a line: one shape, because a thread is judged as a whole. */
export interface ForgeComment {
  /** Unique within its repository: plain for comments, `review-<id>` and `inline-<id>` for the others. */
  readonly id: string
  readonly sort: CommentSort
  readonly on: ForgeSubjectKind
  readonly number: number
  readonly author: ForgeAccount
  readonly body: string
  /** Of a note that members alone may read: its body names the kind of its word, and no word of it is here. */
  readonly withoutWords?: true
  /** Members alone may read it: nothing public quotes it. */
  readonly internal?: true
  readonly url: string
  readonly createdAt: number
  readonly updatedAt: number
  /**
   * When these words were said, where the forge dates them earlier: a line's comment before its review was submitted, and a
   * review before its edit. What withholds counts from it, and what grants never does.
   */
  readonly publishedAt?: number
  /** Whether it was ever edited, where the forge says so more exactly than by these times. */
  readonly edited?: boolean
  /** The forge's own name of it, where `editsOf` needs one. */
  readonly node?: string
  /** Of a review. */
  readonly verdict?: ReviewVerdict
  readonly sha?: string
  /** Of a comment on a line. */
  readonly path?: string
  readonly line?: number
  readonly inReplyTo?: string
}

/** What a forge says of a comment's edits. */
export interface CommentEdits {
  readonly id: string
  /** The text that it speaks of. */
  readonly body: string
  /** Login of the last editor; absent: it was never edited. */
  readonly by?: string
}

export type ReviewVerdict = 'commented' | 'approved' | 'changesRequested' | 'dismissed' | 'pending'

export interface ForgeMergeRequest {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly state: 'open' | 'merged' | 'closed'
  readonly author: ForgeAccount
  readonly url: string
  readonly draft: boolean
  readonly headSha: string
  readonly headBranch: string
  /** `owner/name` that holds the head branch; absent when that repository is gone. */
  readonly headRepository?: string
  readonly baseBranch: string
  readonly labels: readonly string[]
  /** null: the forge has not found out yet. */
  readonly mergeable: boolean | null
  readonly mergeCommit?: string
  readonly mergedAt?: number
  readonly createdAt: number
  readonly updatedAt: number
}

export interface ChangedFile {
  readonly path: string
  readonly previousPath?: string
  readonly status: 'added' | 'modified' | 'removed' | 'renamed'
  readonly additions: number
  readonly deletions: number
  /** Unified hunks; absent for binary or very large files. */
  readonly patch?: string
}

/** One check, status or job on a head (CI-RULE-1). */
export interface CiCheck {
  readonly name: string
  readonly status: CiState
  readonly conclusion?: string
  readonly url?: string
  /** What the check says of itself. */
  readonly log?: string
  /** What `jobLog` takes; absent where the log lies elsewhere. */
  readonly job?: string
  /** Told by another system about the commit: its page is at `url`, and a log there is none. */
  readonly external?: true
}

/** The checks without which the forge merges nothing into a branch, as far as the token may read it. */
export interface RequiredChecks {
  readonly names: readonly string[]
  /** Each check of a head is required, whatever its name. */
  readonly all?: true
  /** What could not be read: nobody knows of a check that is not named whether it is required. */
  readonly unread?: string
}

export interface CiReport {
  readonly sha: string
  /** What the forge itself says of the head, not what its checks come to (TOOL-CI-9). */
  readonly status: CiState
  /** Something of it has not ended, whatever is red already. */
  readonly unfinished: boolean
  readonly checks: readonly CiCheck[]
}

export interface ReviewLine {
  readonly path: string
  readonly line: number
  readonly body: string
}

export interface LabelSpec {
  readonly name: string
  readonly color: string
  readonly description: string
}

interface HookSpec {
  readonly url: string
  readonly secret: string
}

interface ForgeHook {
  readonly id: string
  readonly url: string
}

export interface ForgeDelivery {
  /** Of this attempt: what `redeliver` takes. */
  readonly id: string
  /** Of the event, the same over its redeliveries. */
  readonly delivery: string
  readonly event: string
  readonly at: number
  readonly ok: boolean
}

/** A part of a list that is read piece by piece; `next` names the following part in the forge's own words. */
export interface ForgePage<Item> {
  readonly items: readonly Item[]
  readonly next?: string
}

export interface IssueQuery {
  readonly since?: number
  readonly state?: 'open' | 'all'
}

export interface MergeRequestQuery {
  readonly since?: number
  readonly state?: 'open' | 'all'
  readonly headBranch?: string
}

interface NewMergeRequest {
  readonly branch: string
  readonly base: string
  readonly title: string
  readonly body: string
}

interface CommentRef {
  readonly on: ForgeSubjectKind
  readonly number: number
  readonly id: string
}

export interface ForgeCommit {
  readonly sha: string
  readonly message: string
  readonly author: string
  readonly at: number
  readonly url: string
}

export interface ForgePort {
  /** How many deliveries may be asked for again at once. */
  readonly resendsAtOnce: number
  whoAmI(): Promise<ForgeToken>
  repository(path: string): Promise<ForgeRepository>
  permissionOf(path: string, login: string): Promise<ForgePermission>

  listIssues(path: string, query?: IssueQuery): Promise<readonly ForgeIssue[]>
  /** All issues there ever were, newest change first. `from` is the `next` of the page before. */
  issueHistory(path: string, from?: string): Promise<ForgePage<ForgeIssue>>
  issue(path: string, number: number): Promise<ForgeIssue>
  createIssue(
    path: string,
    issue: { readonly title: string; readonly body: string; readonly labels?: readonly string[] },
  ): Promise<ForgeIssue>
  editIssue(
    path: string,
    number: number,
    change: { readonly title?: string; readonly body?: string },
  ): Promise<ForgeIssue>
  closeIssue(path: string, number: number): Promise<void>
  /** Opening what is open is fine. */
  reopenIssue(path: string, number: number): Promise<void>

  /** The plain comments of one thread, oldest first. */
  listComments(path: string, on: ForgeSubjectKind, number: number): Promise<readonly ForgeComment[]>
  /** Plain comments and line comments of the whole repository that changed since, as far as the forge can tell. */
  listCommentsSince(path: string, since: number): Promise<readonly ForgeComment[]>
  /** Of comments of whose edits `edited` says nothing; the forge may know nothing of some. */
  editsOf(comments: readonly ForgeComment[]): Promise<readonly CommentEdits[]>
  createComment(path: string, on: ForgeSubjectKind, number: number, body: string): Promise<ForgeComment>
  editComment(path: string, ref: CommentRef, body: string): Promise<ForgeComment>
  /** Answers a comment on a line in its thread; a plain comment or review gets a plain comment. `to` is a ForgeComment id. */
  reply(path: string, number: number, to: string, body: string): Promise<ForgeComment>

  ensureLabels(path: string, labels: readonly LabelSpec[]): Promise<void>
  /** Labels of one issue: adds and takes away, leaves all others alone. Taking away what isn't there is fine. */
  changeLabels(
    path: string,
    number: number,
    change: { readonly add: readonly string[]; readonly remove: readonly string[] },
  ): Promise<void>

  listMergeRequests(path: string, query?: MergeRequestQuery): Promise<readonly ForgeMergeRequest[]>
  /** All merge requests there ever were, as `issueHistory`; none says whether it can be merged. */
  mergeRequestHistory(path: string, from?: string): Promise<ForgePage<ForgeMergeRequest>>
  mergeRequest(path: string, number: number): Promise<ForgeMergeRequest>
  /** Its own commits, oldest first, as far as the forge lists them; merged or not. */
  mergeRequestCommits(path: string, number: number): Promise<readonly ForgeCommit[]>
  files(path: string, number: number): Promise<readonly ChangedFile[]>
  diff(path: string, number: number): Promise<string>
  /** Reviews with their verdicts and comments on lines, oldest first. */
  listReviews(path: string, number: number): Promise<readonly ForgeComment[]>
  createMergeRequest(path: string, wanted: NewMergeRequest): Promise<ForgeMergeRequest>
  /** Merges exactly `sha`. Throws HeadMoved, NotMergeable or Forbidden; returns the commit on the base branch. */
  mergeMergeRequest(
    path: string,
    number: number,
    how: { readonly sha: string; readonly method: MergeMethod },
  ): Promise<string>
  /** A comment-type review. Throws ValidationError when a line is not part of the diff. */
  postReview(
    path: string,
    number: number,
    review: { readonly sha: string; readonly body: string; readonly lines: readonly ReviewLine[] },
  ): Promise<ForgeComment>

  ci(path: string, sha: string): Promise<CiReport>
  /** The log of a job; undefined where there is none any more, or the token may not read it. */
  jobLog(path: string, job: string): Promise<string | undefined>
  requiredChecks(path: string, branch: string): Promise<RequiredChecks>
  /** Commits of the default branch since then, newest first. */
  commits(path: string, query: { readonly since: number; readonly limit: number }): Promise<readonly ForgeCommit[]>
  /** Newest commits of a branch, newest first. */
  recentHeads(path: string, branch: string, limit: number): Promise<readonly string[]>
  branchHead(path: string, branch: string): Promise<string | undefined>
  /** Commits that `head` has and `base` has not. */
  commitsAhead(path: string, base: string, head: string): Promise<number>
  deleteBranch(path: string, branch: string): Promise<void>

  ensureHook(path: string, hook: HookSpec): Promise<ForgeHook>
  /** Newest attempts back to `since`, newest first. */
  listDeliveries(path: string, hook: string, since: number): Promise<readonly ForgeDelivery[]>
  redeliver(path: string, hook: string, attempt: string): Promise<void>
}

/** Called right before each request that writes, when nothing is waited for any more; the request goes out if it returns. */
export type Fence = () => void

/** The port of one Project, with the token as it is at this moment. */
export type OpenForge = (project: string, fence?: Fence) => Promise<ForgePort>
