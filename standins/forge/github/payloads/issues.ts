import { associationOf } from '../../store/permissions.ts'
import type { Comment, Issue, Repository } from '../../store/records.ts'
import type { Links } from '../links.ts'
import { labelPayload, nodeId, reactionsPayload, userPayload, type Json } from './common.ts'

/** An issue, or the issue face of a pull request: the two differ by `pull_request`. */
export function issuePayload(links: Links, repository: Repository, issue: Issue): Json {
  const url = links.issue(repository, issue)
  return {
    url,
    repository_url: links.repository(repository),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: links.webIssue(repository, issue),
    id: issue.id,
    node_id: nodeId('Issue', issue.id),
    number: issue.number,
    title: issue.title,
    user: userPayload(links, issue.author),
    labels: issue.labels.map((label) => labelPayload(links, repository, label)),
    state: issue.state,
    locked: false,
    assignee: issue.assignees[0] ? userPayload(links, issue.assignees[0]) : null,
    assignees: issue.assignees.map((user) => userPayload(links, user)),
    milestone: null,
    comments: issue.comments.size,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    author_association: associationOf(repository, issue.author),
    active_lock_reason: null,
    body: issue.body,
    state_reason: issue.stateReason,
    performed_via_github_app: null,
    reactions: reactionsPayload(url),
    ...pullFace(links, repository, issue),
  }
}

/** As the API shows it. Webhooks do not name who closed it. */
export function fullIssuePayload(links: Links, repository: Repository, issue: Issue): Json {
  const closedBy = issue.closedBy ? userPayload(links, issue.closedBy) : null
  return { ...issuePayload(links, repository, issue), closed_by: closedBy }
}

function pullFace(links: Links, repository: Repository, issue: Issue): Json {
  if (issue.kind !== 'pull') return {}
  const html = links.webIssue(repository, issue)
  return {
    draft: issue.draft,
    pull_request: {
      url: links.pull(repository, issue.number),
      html_url: html,
      diff_url: `${html}.diff`,
      patch_url: `${html}.patch`,
      merged_at: issue.merged?.at ?? null,
    },
  }
}

export function commentPayload(links: Links, repository: Repository, issue: Issue, comment: Comment): Json {
  const url = `${links.repository(repository)}/issues/comments/${comment.id}`
  return {
    url,
    html_url: `${links.webIssue(repository, issue)}#issuecomment-${comment.id}`,
    issue_url: links.issue(repository, issue),
    id: comment.id,
    node_id: nodeId('IssueComment', comment.id),
    user: userPayload(links, comment.author),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    author_association: associationOf(repository, comment.author),
    body: comment.body,
    reactions: reactionsPayload(url),
    performed_via_github_app: null,
  }
}
