import { fullName, type Issue, type PlainIssue, type Repository } from '../../store/records.ts'
import type { Links } from '../links.ts'
import { nullable, userPayload, type Json } from './common.ts'

export function issuePayload(links: Links, repository: Repository, issue: PlainIssue): Json {
  const self = `${links.project(repository)}/issues/${issue.number}`
  return {
    ...threadPayload(links, repository, issue),
    state: issue.state === 'open' ? 'opened' : 'closed',
    type: 'ISSUE',
    issue_type: 'issue',
    confidential: issue.confidential,
    merge_requests_count: 0,
    due_date: null,
    has_tasks: false,
    task_status: '',
    severity: 'UNKNOWN',
    moved_to_id: null,
    service_desk_reply_to: null,
    references: references(repository, `#${issue.number}`),
    _links: {
      self,
      notes: `${self}/notes`,
      award_emoji: `${self}/award_emoji`,
      project: links.project(repository),
      closed_as_duplicate_of: null,
    },
  }
}

/** What issues and merge requests show alike. */
export function threadPayload(links: Links, repository: Repository, thread: Issue): Json {
  const assignees = thread.assignees.map((user) => userPayload(links, user))
  return {
    id: thread.id,
    iid: thread.number,
    project_id: repository.id,
    title: thread.title,
    description: thread.body,
    created_at: thread.createdAt,
    updated_at: thread.updatedAt,
    closed_at: thread.closedAt,
    closed_by: nullable(thread.closedBy, (user) => userPayload(links, user)),
    labels: thread.labels.map((label) => label.name).toSorted(),
    milestone: null,
    assignees,
    assignee: assignees[0] ?? null,
    author: userPayload(links, thread.author),
    user_notes_count: [...thread.comments.values()].filter((comment) => !comment.system).length,
    upvotes: 0,
    downvotes: 0,
    discussion_locked: null,
    imported: false,
    imported_from: 'none',
    web_url: links.webThread(repository, thread),
    time_stats: { time_estimate: 0, total_time_spent: 0, human_time_estimate: null, human_total_time_spent: null },
    task_completion_status: { count: 0, completed_count: 0 },
  }
}

export function references(repository: Repository, short: string): Json {
  return { short, relative: short, full: `${fullName(repository)}${short}` }
}
