import type {
  ChangedFile,
  ForgeAccount,
  ForgeComment,
  ForgeCommit,
  ForgeIssue,
  ForgeMergeRequest,
  ForgeRepository,
  ForgeSubjectKind,
  MergeMethod,
  ReviewVerdict,
} from '../port.ts'
import type {
  Account,
  Comment,
  File,
  Issue,
  ListedCommit,
  PullRequest,
  Repository,
  Review,
  ReviewComment,
} from './schema.ts'

/** Deleted accounts: GitHub shows them as `ghost`. */
const GHOST: Account = { login: 'ghost', id: 10137, type: 'User' }

export function accountOf(account: Account | null | undefined): ForgeAccount {
  const { login, id, type } = account ?? GHOST
  return { login, id: String(id), bot: type === 'Bot' || type === 'Mannequin' }
}

export function issueOf(issue: Issue): ForgeIssue {
  return {
    number: issue.number,
    title: issue.title,
    body: issue.body ?? '',
    state: issue.state === 'closed' ? 'closed' : 'open',
    author: accountOf(issue.user),
    labels: labelsOf(issue.labels),
    url: issue.html_url,
    createdAt: Date.parse(issue.created_at),
    updatedAt: Date.parse(issue.updated_at),
    ...(issue.closed_by ? { closedBy: accountOf(issue.closed_by) } : {}),
    ...(issue.closed_at ? { closedAt: Date.parse(issue.closed_at) } : {}),
    comments: issue.comments ?? 0,
  }
}

/** GitHub lists merge requests among the issues. Some senders write the absent face out as null. */
export function isMergeRequest({ pull_request: face }: Issue): boolean {
  return face !== undefined && face !== null
}

export function commentOf(comment: Comment, on: ForgeSubjectKind, number: number): ForgeComment {
  return {
    id: String(comment.id),
    sort: 'comment',
    on,
    number,
    author: accountOf(comment.user),
    body: comment.body ?? '',
    url: comment.html_url,
    createdAt: Date.parse(comment.created_at),
    updatedAt: Date.parse(comment.updated_at),
    ...nodeOf(comment),
  }
}

function nodeOf({ node_id }: Pick<Comment, 'node_id'>): Pick<ForgeComment, 'node'> {
  return node_id ? { node: node_id } : {}
}

/** The number at the end of the API's `issue_url` or `pull_request_url`. */
export function numberIn(url: string | undefined): number {
  return Number(/\/(\d+)$/.exec(url ?? '')?.[1] ?? 0)
}

export function mergeRequestOf(pull: PullRequest): ForgeMergeRequest {
  const merged = pull.merged === true || (pull.merged_at ?? null) !== null
  return {
    number: pull.number,
    title: pull.title,
    body: pull.body ?? '',
    state: merged ? 'merged' : pull.state === 'closed' ? 'closed' : 'open',
    author: accountOf(pull.user),
    url: pull.html_url,
    draft: pull.draft ?? false,
    headSha: pull.head.sha,
    headBranch: pull.head.ref,
    ...(pull.head.repo ? { headRepository: pull.head.repo.full_name } : {}),
    baseBranch: pull.base.ref,
    labels: labelsOf(pull.labels ?? []),
    mergeable: pull.mergeable ?? null,
    // Before the merge this field names GitHub's test merge, which is no fact about the base branch.
    ...(merged && pull.merge_commit_sha ? { mergeCommit: pull.merge_commit_sha } : {}),
    ...(pull.merged_at ? { mergedAt: Date.parse(pull.merged_at) } : {}),
    createdAt: Date.parse(pull.created_at),
    updatedAt: Date.parse(pull.updated_at),
  }
}

export function commitOf({ sha, commit, author, html_url }: ListedCommit): ForgeCommit {
  return {
    sha,
    message: commit.message,
    author: author?.login ?? commit.author?.name ?? '',
    at: Date.parse(commit.committer?.date ?? commit.author?.date ?? ''),
    url: html_url,
  }
}

const verdicts: Readonly<Record<string, ReviewVerdict>> = {
  approved: 'approved',
  changes_requested: 'changesRequested',
  commented: 'commented',
  dismissed: 'dismissed',
  pending: 'pending',
}

/** A review has one time only; an edit shows in its body alone. */
export function reviewOf(review: Review, number: number): ForgeComment {
  const at = review.submitted_at ? Date.parse(review.submitted_at) : 0
  return {
    id: `review-${review.id}`,
    sort: 'review',
    on: 'mr',
    number,
    author: accountOf(review.user),
    body: review.body ?? '',
    url: review.html_url,
    createdAt: at,
    updatedAt: at,
    verdict: verdicts[review.state.toLowerCase()] ?? 'commented',
    ...(review.commit_id ? { sha: review.commit_id } : {}),
    ...nodeOf(review),
  }
}

/** It is dated when it was drafted, and nobody sees it before its review is submitted. */
export function reviewCommentOf(comment: ReviewComment, number: number, reviews: readonly Review[] = []): ForgeComment {
  const line = comment.line ?? comment.original_line
  const submitted = reviews.find(({ id }) => id === comment.pull_request_review_id)?.submitted_at
  const publishedAt = submitted ? Date.parse(submitted) : 0
  return {
    id: `inline-${comment.id}`,
    sort: 'inline',
    on: 'mr',
    number,
    author: accountOf(comment.user),
    body: comment.body,
    url: comment.html_url,
    createdAt: Date.parse(comment.created_at),
    updatedAt: Date.parse(comment.updated_at),
    ...(publishedAt > Date.parse(comment.created_at) ? { publishedAt } : {}),
    ...(comment.commit_id ? { sha: comment.commit_id } : {}),
    path: comment.path,
    ...(typeof line === 'number' ? { line } : {}),
    ...(typeof comment.in_reply_to_id === 'number' ? { inReplyTo: `inline-${comment.in_reply_to_id}` } : {}),
    ...nodeOf(comment),
  }
}

export function repositoryOf(repository: Repository): ForgeRepository {
  const allowed: [MergeMethod, boolean | undefined][] = [
    ['merge', repository.allow_merge_commit],
    ['squash', repository.allow_squash_merge],
    ['rebase', repository.allow_rebase_merge],
  ]
  return {
    path: repository.full_name,
    id: String(repository.id),
    defaultBranch: repository.default_branch,
    private: repository.private,
    // A token without push rights isn't told: then every method is tried in turn.
    mergeMethods: allowed.filter(([, is]) => is !== false).map(([method]) => method),
  }
}

export function fileOf(file: File): ChangedFile {
  const known = ['added', 'modified', 'removed', 'renamed'] as const
  return {
    path: file.filename,
    ...(file.previous_filename === undefined ? {} : { previousPath: file.previous_filename }),
    status: known.find((status) => status === file.status) ?? 'modified',
    additions: file.additions,
    deletions: file.deletions,
    ...(file.patch === undefined ? {} : { patch: file.patch }),
  }
}

function labelsOf(labels: Issue['labels']): string[] {
  return labels.map((label) => (typeof label === 'string' ? label : (label.name ?? ''))).filter((name) => name !== '')
}
