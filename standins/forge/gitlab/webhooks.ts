import { randomUUID } from 'node:crypto'
import type {
  CheckRunChanged,
  Changes,
  ForgeEvent,
  IssueChanged,
  PullChanged,
  ReviewChanged,
  StatusPosted,
} from '../store/events.ts'
import { alertStatus } from '../store/hooks.ts'
import { isPull, type CheckSuite, type Hook, type Issue, type Repository, type User } from '../store/records.ts'
import type { Attempt, Message } from '../webhooks/sender.ts'
import type { Links } from './links.ts'
import type { Json } from './payloads/common.ts'
import {
  hookLabel,
  hookProject,
  hookRepository,
  hookUser,
  jobEventPayload,
  noteAttributes,
  pipelineAttributes,
  pushPayload,
  spacedTime,
  threadAttributes,
} from './payloads/events.ts'
import { flagOf } from './payloads/hooks.ts'
import { approvalsPayload } from './payloads/merge-requests.ts'
import type { Note } from './payloads/notes.ts'
import { statusState } from './payloads/pipelines.ts'

/** An event of the store in GitLab's words: no message, one, or one for the job and one for its pipeline. */
export function formatEvent(links: Links, event: ForgeEvent): Message[] {
  const { repository, actor } = event
  switch (event.type) {
    case 'issue.changed':
      return [threadMessage(links, event, event.issue, issueAction(event))]
    case 'pull.changed':
      return [threadMessage(links, event, event.pull, pullAction(event))]
    case 'review.submitted':
    case 'review.dismissed':
      return reviewMessages(links, event)
    case 'comment.changed':
      return noteMessages(links, event, event.issue, event.comment)
    case 'review-comment.changed':
      return noteMessages(links, event, event.pull, event.comment)
    case 'branch.pushed':
      return [message(event.ref.startsWith('refs/tags/') ? 'Tag Push Hook' : 'Push Hook', pushPayload(links, event))]
    case 'check-run.changed':
      return checkMessages(links, event)
    case 'check-suite.completed':
      return [pipelineMessage(links, repository, actor, event.suite)]
    case 'status.posted':
      return [statusMessage(links, event)]
    case 'hook.created':
      return []
  }
}

function message(event: string, payload: Json): Message {
  const attributes = payload.object_attributes as { action?: string } | undefined
  return { event, action: attributes?.action, payload: JSON.parse(JSON.stringify(payload)) as unknown }
}

const ACTIONS: Readonly<Record<string, string>> = { opened: 'open', closed: 'close', reopened: 'reopen' }

function issueAction({ action }: IssueChanged): string {
  return ACTIONS[action] ?? 'update'
}

function pullAction({ action, pull }: PullChanged): string {
  return action === 'closed' && pull.merged ? 'merge' : (ACTIONS[action] ?? 'update')
}

function threadMessage(
  links: Links,
  event: IssueChanged | PullChanged | ReviewChanged,
  thread: Issue,
  action: string,
): Message {
  const { repository, actor } = event
  const kind = isPull(thread) ? 'merge_request' : 'issue'
  const before = event.type === 'pull.changed' && event.action === 'synchronize' ? event.before : undefined
  const header = isPull(thread) ? 'Merge Request Hook' : thread.confidential ? 'Confidential Issue Hook' : 'Issue Hook'
  return message(header, {
    object_kind: kind,
    event_type: thread.confidential ? 'confidential_issue' : kind,
    user: hookUser(actor),
    project: hookProject(links, repository),
    repository: hookRepository(links, repository),
    object_attributes: {
      ...threadAttributes(links, repository, thread),
      action,
      ...(before === undefined ? {} : { oldrev: before }),
    },
    labels: thread.labels.map((label) => hookLabel(repository, label)),
    changes: changesOf(event, thread),
    assignees: thread.assignees.map(hookUser),
    ...(isPull(thread) ? { reviewers: thread.reviewers.map(hookUser) } : {}),
  })
}

/** `previous` and `current` of each member that has changed; none where a thread is new. */
function changesOf(event: IssueChanged | PullChanged | ReviewChanged, thread: Issue): Json {
  if ('review' in event) return {}
  const { action, label, repository } = event
  if (label && (action === 'labeled' || action === 'unlabeled')) {
    const others = thread.labels.filter((one) => one !== label)
    const previous = action === 'labeled' ? others : [...others, label]
    const shown = (labels: typeof others): Json[] => labels.map((one) => hookLabel(repository, one))
    return { labels: { previous: shown(previous), current: shown(thread.labels) } }
  }
  if (action === 'closed' || action === 'reopened') {
    const closed = isPull(thread) && thread.merged ? 3 : 2
    return { state_id: action === 'closed' ? { previous: 1, current: closed } : { previous: 2, current: 1 } }
  }
  if (action === 'ready_for_review') return { draft: { previous: true, current: false } }
  if (action === 'converted_to_draft') return { draft: { previous: false, current: true } }
  return textChanges(event.changes ?? {}, thread)
}

function textChanges(changes: Changes, thread: Issue): Json {
  const current: Readonly<Record<string, readonly [string, unknown]>> = {
    title: ['title', thread.title],
    body: ['description', thread.body],
    confidential: ['confidential', thread.confidential],
    ...(isPull(thread)
      ? { base: ['target_branch', thread.base], reviewers: ['reviewers', thread.reviewers.map(hookUser)] }
      : {}),
  }
  return Object.fromEntries(
    Object.entries(changes).flatMap(([name, { from }]) => {
      const [shown, now] = current[name] ?? []
      return shown === undefined ? [] : [[shown, { previous: previousOf(name, from), current: now }]]
    }),
  )
}

function previousOf(name: string, from: string): unknown {
  if (name === 'confidential') return from === 'true'
  if (name !== 'reviewers') return from
  return from
    .split(',')
    .filter(Boolean)
    .map((username) => ({ username }))
}

/** A comment alone is carried by the hooks of its notes. */
function reviewMessages(links: Links, event: ReviewChanged): Message[] {
  const { repository, pull, review } = event
  const isEnough = approvalsPayload(links, repository, pull, undefined).approved === true
  if (event.type === 'review.dismissed')
    return [threadMessage(links, event, pull, isEnough ? 'unapproval' : 'unapproved')]
  if (review.state === 'APPROVED') return [threadMessage(links, event, pull, isEnough ? 'approved' : 'approval')]
  return review.state === 'CHANGES_REQUESTED' ? [threadMessage(links, event, pull, 'update')] : []
}

/** Nothing is sent of a note that is deleted. Of an edit the author is named as who acts, whoever it was (`Notes::UpdateService`). */
function noteMessages(
  links: Links,
  { repository, action }: { readonly repository: Repository; readonly action: string },
  thread: Issue,
  note: Note,
): Message[] {
  if (action === 'deleted') return []
  const isHidden = thread.confidential || ('internal' in note && note.internal)
  return [
    message(isHidden ? 'Confidential Note Hook' : 'Note Hook', {
      object_kind: 'note',
      event_type: isHidden ? 'confidential_note' : 'note',
      user: hookUser(note.author),
      project_id: repository.id,
      project: hookProject(links, repository),
      repository: hookRepository(links, repository),
      object_attributes: {
        ...noteAttributes(links, repository, thread, note),
        action: action === 'created' ? 'create' : 'update',
      },
      [isPull(thread) ? 'merge_request' : 'issue']: threadAttributes(links, repository, thread),
    }),
  ]
}

function checkMessages(links: Links, { action, repository, actor, run }: CheckRunChanged): Message[] {
  const job = message('Job Hook', jobEventPayload(links, repository, actor, run))
  return action === 'created' ? [job, pipelineMessage(links, repository, actor, run.suite)] : [job]
}

function pipelineMessage(links: Links, repository: Repository, actor: User, suite: CheckSuite): Message {
  return message('Pipeline Hook', {
    object_kind: 'pipeline',
    object_attributes: pipelineAttributes(links, repository, suite),
    merge_request: null,
    user: hookUser(actor),
    project: hookProject(links, repository),
    commit: { id: suite.sha, url: links.webPage(repository, 'commit', suite.sha) },
    builds: [],
  })
}

/** To hooks a status of another system is a pipeline whose source is external. */
function statusMessage(links: Links, { repository, actor, status, branches }: StatusPosted): Message {
  const state = statusState(status)
  return message('Pipeline Hook', {
    object_kind: 'pipeline',
    object_attributes: {
      id: status.id,
      ref: branches[0] ?? repository.defaultBranch,
      tag: false,
      sha: status.sha,
      source: 'external',
      status: state,
      detailed_status: state,
      stages: ['external'],
      created_at: spacedTime(status.createdAt),
      finished_at: null,
      variables: [],
    },
    merge_request: null,
    user: hookUser(actor),
    project: hookProject(links, repository),
    commit: { id: status.sha, url: links.webPage(repository, 'commit', status.sha) },
    builds: [],
  })
}

/** One that has failed too often is left out until it is put back. */
export function subscribes(hook: Hook, event: string, now: number): boolean {
  if (!hook.active || alertStatus(hook, now) !== 'executable') return false
  return hook.events.includes('*') || hook.events.includes(flagOf(event) ?? '')
}

/** Headers and body of one delivery. The token is sent as it is; only `Idempotency-Key` stays the same when it is sent again. */
export function signDelivery(
  hook: Hook,
  guid: string,
  { event, payload }: Message,
  uuid: () => string = randomUUID,
): Attempt {
  const { project } = payload as { project: { web_url: string } }
  return {
    body: JSON.stringify(payload),
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'GitLab/18.6.0',
      'Idempotency-Key': guid,
      'X-Gitlab-Event': event,
      'X-Gitlab-Webhook-UUID': uuid(),
      'X-Gitlab-Instance': new URL(project.web_url).origin,
      'X-Gitlab-Event-UUID': uuid(),
      ...(hook.secret === null ? {} : { 'X-Gitlab-Token': hook.secret }),
    },
  }
}
