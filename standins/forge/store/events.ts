import type { PushedCommit } from '../git/commits.ts'
import type {
  CheckRun,
  CheckSuite,
  Comment,
  CommitStatus,
  Hook,
  Issue,
  Label,
  PlainIssue,
  Pull,
  Repository,
  Review,
  ReviewComment,
  User,
} from './records.ts'

/** Former values of what an edit changed. */
export type Changes = Readonly<Record<string, { readonly from: string }>>

interface Base {
  readonly repository: Repository
  readonly actor: User
}

export type ThreadAction = 'opened' | 'edited' | 'closed' | 'reopened' | 'labeled' | 'unlabeled'

export interface IssueChanged extends Base {
  readonly type: 'issue.changed'
  readonly action: ThreadAction | 'deleted' | 'transferred'
  readonly issue: PlainIssue
  readonly label?: Label
  readonly changes?: Changes
}

export interface PullChanged extends Base {
  readonly type: 'pull.changed'
  readonly action: ThreadAction | 'synchronize' | 'ready_for_review' | 'converted_to_draft'
  readonly pull: Pull
  readonly label?: Label
  readonly changes?: Changes
  readonly before?: string
  readonly after?: string
}

export interface CommentChanged extends Base {
  readonly type: 'comment.changed'
  readonly action: 'created' | 'edited' | 'deleted'
  readonly issue: Issue
  readonly comment: Comment
  readonly changes?: Changes
}

export interface ReviewChanged extends Base {
  readonly type: 'review.submitted' | 'review.dismissed'
  readonly pull: Pull
  readonly review: Review
}

export interface ReviewCommentChanged extends Base {
  readonly type: 'review-comment.changed'
  readonly action: 'created' | 'edited' | 'deleted'
  readonly pull: Pull
  readonly comment: ReviewComment
  readonly changes?: Changes
}

export interface Pushed extends Base {
  readonly type: 'branch.pushed'
  readonly ref: string
  readonly before: string
  readonly after: string
  readonly forced: boolean
  readonly commits: readonly PushedCommit[]
}

export interface CheckRunChanged extends Base {
  readonly type: 'check-run.changed'
  readonly action: 'created' | 'completed'
  readonly run: CheckRun
}

export interface CheckSuiteCompleted extends Base {
  readonly type: 'check-suite.completed'
  readonly suite: CheckSuite
}

export interface StatusPosted extends Base {
  readonly type: 'status.posted'
  readonly status: CommitStatus
  /** Whose tip is the commit. */
  readonly branches: readonly string[]
}

export interface HookCreated extends Base {
  readonly type: 'hook.created'
  readonly hook: Hook
}

/** What has just happened, told while the records still show it: a listener that wants to keep the picture copies it at once. */
export type ForgeEvent =
  | IssueChanged
  | PullChanged
  | CommentChanged
  | ReviewChanged
  | ReviewCommentChanged
  | Pushed
  | CheckRunChanged
  | CheckSuiteCompleted
  | StatusPosted
  | HookCreated
