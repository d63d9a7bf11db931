import type { FileDiff } from '../../git/diff.ts'
import type { MergeView } from '../../store/mergeability.ts'
import { associationOf } from '../../store/permissions.ts'
import type { Pull, Repository, Review, ReviewComment } from '../../store/records.ts'
import type { Links } from '../links.ts'
import { linkObjects } from './addresses.ts'
import { labelPayload, nodeId, reactionsPayload, repositoryPayload, userPayload, type Json } from './common.ts'

/** A pull request as lists and most webhooks show it. */
export function pullPayload(links: Links, repository: Repository, pull: Pull): Json {
  const url = links.pull(repository, pull.number)
  const html = links.webIssue(repository, pull)
  const hanging = {
    issue_url: links.issue(repository, pull),
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: `${links.repository(repository)}/pulls/comments{/number}`,
    comments_url: `${links.issue(repository, pull)}/comments`,
    statuses_url: `${links.repository(repository)}/statuses/${pull.headSha}`,
  }
  return {
    url,
    id: pull.pullId,
    node_id: nodeId('PullRequest', pull.pullId),
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    number: pull.number,
    state: pull.state,
    locked: false,
    title: pull.title,
    user: userPayload(links, pull.author),
    body: pull.body,
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    closed_at: pull.closedAt,
    merged_at: pull.merged?.at ?? null,
    merge_commit_sha: pull.merged?.sha ?? null,
    assignee: pull.assignees[0] ? userPayload(links, pull.assignees[0]) : null,
    assignees: pull.assignees.map((user) => userPayload(links, user)),
    requested_reviewers: [],
    requested_teams: [],
    labels: pull.labels.map((label) => labelPayload(links, repository, label)),
    milestone: null,
    draft: pull.draft,
    ...hanging,
    _links: linkObjects({
      self: url,
      html,
      issue: hanging.issue_url,
      comments: hanging.comments_url,
      review_comments: hanging.review_comments_url,
      review_comment: hanging.review_comment_url,
      commits: hanging.commits_url,
      statuses: hanging.statuses_url,
    }),
    head: endPayload(links, repository, pull.head, pull.headSha),
    base: endPayload(links, repository, pull.base, pull.baseSha),
    author_association: associationOf(repository, pull.author),
    auto_merge: null,
    active_lock_reason: null,
  }
}

function endPayload(links: Links, repository: Repository, ref: string, sha: string): Json {
  return {
    label: `${repository.owner.login}:${ref}`,
    ref,
    sha,
    user: userPayload(links, repository.owner),
    repo: repositoryPayload(links, repository),
  }
}

/** With what a look at the single one adds. */
export function fullPullPayload(links: Links, repository: Repository, pull: Pull, view: MergeView): Json {
  const { commits, additions, deletions, changedFiles } = pull.stats
  return {
    ...pullPayload(links, repository, pull),
    merged: pull.merged !== null,
    mergeable: view.mergeable,
    rebaseable: view.mergeable,
    mergeable_state: view.state,
    merged_by: pull.merged ? userPayload(links, pull.merged.by) : null,
    comments: pull.comments.size,
    review_comments: pull.reviewComments.size,
    maintainer_can_modify: false,
    commits,
    additions,
    deletions,
    changed_files: changedFiles,
  }
}

export function filePayload(links: Links, repository: Repository, head: string, file: FileDiff): Json {
  const url = links.repository(repository)
  const path = file.path.split('/').map(encodeURIComponent).join('/')
  return {
    sha: file.sha,
    filename: file.path,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: `${links.webRepository(repository)}/blob/${head}/${path}`,
    raw_url: `${links.webRepository(repository)}/raw/${head}/${path}`,
    contents_url: `${url}/contents/${path}?ref=${head}`,
    ...(file.patch === undefined ? {} : { patch: file.patch }),
    ...(file.previousPath === null ? {} : { previous_filename: file.previousPath }),
  }
}

export function reviewPayload(links: Links, repository: Repository, pull: Pull, review: Review): Json {
  const html = `${links.webIssue(repository, pull)}#pullrequestreview-${review.id}`
  return {
    id: review.id,
    node_id: nodeId('PullRequestReview', review.id),
    user: userPayload(links, review.author),
    body: review.body,
    state: review.state,
    html_url: html,
    pull_request_url: links.pull(repository, pull.number),
    author_association: associationOf(repository, review.author),
    _links: linkObjects({ html, pull_request: links.pull(repository, pull.number) }),
    ...(review.submittedAt ? { submitted_at: review.submittedAt } : {}),
    commit_id: review.commit,
  }
}

export function reviewCommentPayload(links: Links, repository: Repository, pull: Pull, comment: ReviewComment): Json {
  const { anchor } = comment
  const now = <T>(value: T): T | null => (comment.current ? value : null)
  const html = `${links.webIssue(repository, pull)}#discussion_r${comment.id}`
  const url = `${links.repository(repository)}/pulls/comments/${comment.id}`
  return {
    url,
    pull_request_review_id: comment.reviewId,
    id: comment.id,
    node_id: nodeId('PullRequestReviewComment', comment.id),
    diff_hunk: anchor?.hunk ?? '',
    path: comment.path,
    position: now(anchor?.position ?? 1),
    original_position: anchor?.position ?? 1,
    commit_id: comment.commit,
    original_commit_id: comment.originalCommit,
    ...(comment.inReplyTo === null ? {} : { in_reply_to_id: comment.inReplyTo }),
    user: userPayload(links, comment.author),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    html_url: html,
    pull_request_url: links.pull(repository, pull.number),
    author_association: associationOf(repository, comment.author),
    _links: linkObjects({ self: url, html, pull_request: links.pull(repository, pull.number) }),
    reactions: reactionsPayload(url),
    start_line: now(anchor?.startLine ?? null),
    original_start_line: anchor?.startLine ?? null,
    start_side: anchor?.startSide ?? null,
    line: now(anchor?.line ?? null),
    original_line: anchor?.line ?? null,
    side: anchor?.side ?? 'RIGHT',
    subject_type: anchor ? 'line' : 'file',
  }
}
