import type { PushedCommit } from '../../git/commits.ts'
import { ZERO_SHA } from '../../git/refs.ts'
import type { CheckRun, CheckSuite, Issue, Label, PlainIssue, Pull, Repository, User } from '../../store/records.ts'
import { fullName, isPull } from '../../store/records.ts'
import type { Pushed } from '../../store/events.ts'
import type { Links } from '../links.ts'
import type { Json } from './common.ts'
import { mergeRequestPayload, stateOf, titleOf } from './merge-requests.ts'
import { discussionOf, isLineNote, notePayload, type Note } from './notes.ts'
import { jobStatus, pipelineStatus } from './pipelines.ts'

/** Webhooks show users, projects and the rest in forms of their own, older than those of the API. */
export function hookUser(user: User): Json {
  return { id: user.id, name: user.name, username: user.login, avatar_url: null, email: '[REDACTED]' }
}

export function hookProject(links: Links, repository: Repository): Json {
  const url = links.git(repository)
  const ssh = `git@localhost:${fullName(repository)}.git`
  return {
    id: repository.id,
    name: repository.name,
    description: repository.description,
    web_url: links.webProject(repository),
    avatar_url: null,
    git_ssh_url: ssh,
    git_http_url: url,
    namespace: repository.owner.name,
    visibility_level: repository.private ? 0 : 20,
    path_with_namespace: fullName(repository),
    default_branch: repository.defaultBranch,
    ci_config_path: null,
    homepage: links.webProject(repository),
    url: ssh,
    ssh_url: ssh,
    http_url: url,
  }
}

export function hookRepository(links: Links, repository: Repository): Json {
  const { name, description } = repository
  return { name, url: links.git(repository), description, homepage: links.webProject(repository) }
}

export function hookLabel(repository: Repository, label: Label): Json {
  return {
    id: label.id,
    title: label.name,
    color: `#${label.color}`,
    project_id: repository.id,
    created_at: repository.createdAt,
    updated_at: repository.createdAt,
    template: false,
    description: label.description,
    type: 'ProjectLabel',
    group_id: null,
  }
}

const STATE_IDS: Readonly<Record<string, number>> = { opened: 1, closed: 2, merged: 3 }

/** An issue or a merge request as hooks show it: its author by number alone. */
export function threadAttributes(links: Links, repository: Repository, thread: Issue): Json {
  return {
    iid: thread.number,
    author_id: thread.author.id,
    assignee_ids: thread.assignees.map((user) => user.id),
    assignee_id: thread.assignees[0]?.id ?? null,
    created_at: thread.createdAt,
    updated_at: thread.updatedAt,
    last_edited_at: null,
    last_edited_by_id: null,
    milestone_id: null,
    description: thread.body,
    time_estimate: 0,
    total_time_spent: 0,
    url: links.webThread(repository, thread),
    labels: thread.labels.map((label) => hookLabel(repository, label)),
    ...(isPull(thread) ? pullAttributes(links, repository, thread) : issueAttributes(repository, thread)),
  }
}

function issueAttributes(repository: Repository, issue: PlainIssue): Json {
  const state = issue.state === 'open' ? 'opened' : 'closed'
  return {
    id: issue.id,
    project_id: repository.id,
    title: issue.title,
    type: 'Issue',
    confidential: issue.confidential,
    closed_at: issue.closedAt,
    state,
    state_id: STATE_IDS[state],
    due_date: null,
    moved_to_id: null,
    duplicated_to_id: null,
    severity: 'unknown',
  }
}

function pullAttributes(links: Links, repository: Repository, pull: Pull): Json {
  const state = stateOf(pull)
  const shown = mergeRequestPayload(links, repository, pull)
  return {
    id: pull.pullId,
    title: titleOf(pull),
    source_branch: pull.head,
    target_branch: pull.base,
    source_project_id: repository.id,
    target_project_id: repository.id,
    source: hookProject(links, repository),
    target: hookProject(links, repository),
    last_commit: { id: pull.headSha, url: links.webPage(repository, 'commit', pull.headSha) },
    reviewer_ids: pull.reviewers.map((user) => user.id),
    draft: pull.draft,
    work_in_progress: pull.draft,
    merge_status: shown.merge_status,
    detailed_merge_status: shown.detailed_merge_status,
    merge_commit_sha: shown.merge_commit_sha,
    merge_user_id: pull.merged?.by.id ?? null,
    blocking_discussions_resolved: true,
    first_contribution: false,
    prepared_at: pull.createdAt,
    state,
    state_id: STATE_IDS[state],
  }
}

export function noteAttributes(links: Links, repository: Repository, thread: Issue, note: Note): Json {
  const shown = notePayload(links, repository, thread, note)
  return {
    id: note.id,
    note: note.body,
    noteable_type: shown.noteable_type,
    noteable_id: isPull(thread) ? thread.pullId : thread.id,
    author_id: note.author.id,
    created_at: spacedTime(note.createdAt),
    updated_at: spacedTime(note.updatedAt),
    project_id: repository.id,
    attachment: null,
    line_code: null,
    commit_id: '',
    discussion_id: discussionOf(note),
    type: shown.type,
    system: false,
    internal: !isLineNote(note) && note.internal,
    st_diff: null,
    position: shown.position ?? null,
    original_position: shown.original_position ?? null,
    url: `${links.webThread(repository, thread)}#note_${note.id}`,
  }
}

/** Notes and jobs have their times in another form than the rest, and in whole seconds. */
export function spacedTime(at: string): string {
  return at.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ' UTC')
}

export function pushPayload(links: Links, event: Pushed): Json {
  const { repository, actor, commits, ref, before, after } = event
  const checkout = after === ZERO_SHA ? null : after
  return {
    object_kind: ref.startsWith('refs/tags/') ? 'tag_push' : 'push',
    event_name: ref.startsWith('refs/tags/') ? 'tag_push' : 'push',
    before,
    after,
    ref,
    ref_protected: repository.protection.has(ref.replace('refs/heads/', '')),
    checkout_sha: checkout,
    message: null,
    user_id: actor.id,
    user_name: actor.name,
    user_username: actor.login,
    user_email: null,
    user_avatar: null,
    project_id: repository.id,
    project: hookProject(links, repository),
    commits: commits.map((commit) => pushedCommit(links, repository, commit)),
    total_commits_count: commits.length,
    push_options: {},
    repository: hookRepository(links, repository),
  }
}

function pushedCommit(links: Links, repository: Repository, commit: PushedCommit): Json {
  return {
    id: commit.sha,
    message: `${commit.message}\n`,
    title: commit.message.split('\n')[0],
    timestamp: commit.committer.date,
    url: links.webPage(repository, 'commit', commit.sha),
    author: { name: commit.author.name, email: commit.author.email },
    added: commit.added,
    modified: commit.modified,
    removed: commit.removed,
  }
}

export function pipelineAttributes(links: Links, repository: Repository, suite: CheckSuite): Json {
  const status = pipelineStatus(suite)
  return {
    id: suite.id,
    iid: repository.suites.indexOf(suite) + 1,
    name: null,
    ref: suite.branch ?? repository.defaultBranch,
    tag: false,
    sha: suite.sha,
    before_sha: ZERO_SHA,
    source: 'push',
    status,
    detailed_status: status,
    stages: ['test'],
    created_at: spacedTime(suite.createdAt),
    finished_at: status === 'pending' || status === 'running' ? null : spacedTime(suite.updatedAt),
    duration: null,
    queued_duration: null,
    variables: [],
    url: links.webPage(repository, 'pipelines', suite.id),
  }
}

/** A job's own payload has its members under the name `build`, from the time when that was the word. */
export function jobEventPayload(links: Links, repository: Repository, actor: User, run: CheckRun): Json {
  const { suite } = run
  return {
    object_kind: 'build',
    ref: suite.branch ?? repository.defaultBranch,
    tag: false,
    before_sha: ZERO_SHA,
    sha: suite.sha,
    build_id: run.id,
    build_name: run.name,
    build_stage: 'test',
    build_status: jobStatus(run),
    build_created_at: spacedTime(suite.createdAt),
    build_started_at: run.startedAt && spacedTime(run.startedAt),
    build_finished_at: run.completedAt && spacedTime(run.completedAt),
    build_duration: null,
    build_queued_duration: null,
    build_allow_failure: run.conclusion === 'neutral',
    build_failure_reason: jobStatus(run) === 'failed' ? 'script_failure' : 'unknown_failure',
    retries_count: 0,
    pipeline_id: suite.id,
    runner: null,
    project_id: repository.id,
    project_name: fullName(repository).replaceAll('/', ' / '),
    user: hookUser(actor),
    commit: { id: suite.id, sha: suite.sha, status: pipelineStatus(suite) },
    project: hookProject(links, repository),
    repository: hookRepository(links, repository),
    environment: null,
  }
}
