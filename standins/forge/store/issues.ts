import type { Changes, ThreadAction } from './events.ts'
import { ensureLabels, withoutSiblings } from './labels.ts'
import { demand, may } from './permissions.ts'
import {
  isPull,
  threadKey,
  type Actor,
  type Issue,
  type Label,
  type PlainIssue,
  type Repository,
  type User,
} from './records.ts'
import { Refusal } from './refusal.ts'
import { checkLength } from './text-limits.ts'
import { emit, findUser, noteChange, record, timestamp, type World } from './world.ts'

export interface IssueInput {
  readonly title: string
  readonly body?: string | null
  readonly labels?: readonly string[]
  readonly assignees?: readonly string[]
  readonly confidential?: boolean
}

export interface IssuePatch {
  readonly title?: string
  readonly body?: string | null
  readonly state?: 'open' | 'closed'
  readonly stateReason?: 'completed' | 'not_planned' | 'reopened' | null
  readonly labels?: readonly string[]
  readonly assignees?: readonly string[]
  readonly confidential?: boolean
}

export function openIssue(world: World, repository: Repository, actor: Actor, input: IssueInput): PlainIssue {
  demand(repository, actor, 'read')
  checkText(repository, input.title, input.body, 'Issue')
  // Labels and assignees of someone without triage right are left out without a word, as GitHub does.
  const trusted = may(repository, actor, 'triage')
  const issue: PlainIssue = {
    kind: 'issue',
    ...newThread(world, repository, actor.user, 'issue', input.title, input.body ?? null),
    labels: trusted ? possible(repository, ensureLabels(world, repository, input.labels ?? []), []) : [],
    assignees: trusted ? usersOf(world, input.assignees ?? []) : [],
    confidential: input.confidential ?? false,
  }
  repository.issues.set(threadKey(repository, 'issue', issue.number), issue)
  record(world, actor.user, 'issue.open', repository, {
    number: issue.number,
    detail: { title: issue.title, labels: issue.labels.map((label) => label.name) },
  })
  emit(world, { type: 'issue.changed', action: 'opened', repository, actor: actor.user, issue })
  for (const label of issue.labels)
    emit(world, { type: 'issue.changed', action: 'labeled', repository, actor: actor.user, issue, label })
  return issue
}

/** What an issue and a merge request have in common at their birth. GitHub has one sequence of numbers for both. */
export function newThread(
  world: World,
  repository: Repository,
  author: User,
  kind: Issue['kind'],
  title: string,
  body: string | null,
): Omit<PlainIssue, 'kind'> {
  const at = timestamp(world, repository)
  return {
    id: world.nextId(),
    number: takeNumber(repository, kind),
    title,
    body,
    state: 'open',
    stateReason: null,
    author,
    labels: [],
    assignees: [],
    comments: new Map(),
    createdAt: at,
    updatedAt: at,
    closedAt: null,
    closedBy: null,
    confidential: false,
  }
}

function takeNumber(repository: Repository, kind: Issue['kind']): number {
  const counter = repository.dialect === 'gitlab' && kind === 'pull' ? 'nextPullNumber' : 'nextNumber'
  const number = repository[counter]
  repository[counter] += 1
  return number
}

/** `kind` matters where merge requests are not counted among the issues. */
export function findIssue(repository: Repository, number: number, kind: Issue['kind'] = 'issue'): Issue {
  const issue = repository.issues.get(threadKey(repository, kind, number))
  if (!issue) throw new Refusal('not-found')
  return issue
}

/** Authors edit their own; everybody else needs the triage right, and write for the text of others. */
export function editIssue(world: World, repository: Repository, actor: Actor, issue: Issue, patch: IssuePatch): void {
  const own = issue.author === actor.user
  demand(repository, actor, own ? 'read' : patch.title !== undefined || patch.body !== undefined ? 'write' : 'triage')
  if (patch.title !== undefined || patch.body !== undefined) editText(world, repository, actor.user, issue, patch)
  if (patch.labels && may(repository, actor, 'triage'))
    replaceLabels(world, repository, actor.user, issue, ensureLabels(world, repository, patch.labels))
  if (patch.assignees && may(repository, actor, 'triage')) {
    issue.assignees = usersOf(world, patch.assignees)
    noteChange(world)
  }
  if (patch.confidential !== undefined && patch.confidential !== issue.confidential)
    setConfidential(world, repository, actor, issue, patch.confidential)
  if (patch.state && patch.state !== issue.state)
    setState(world, repository, actor.user, issue, patch.state, patch.stateReason)
}

function setConfidential(
  world: World,
  repository: Repository,
  actor: Actor,
  issue: Issue,
  confidential: boolean,
): void {
  demand(repository, actor, 'triage')
  const changes: Changes = { confidential: { from: String(issue.confidential) } }
  issue.confidential = confidential
  record(world, actor.user, 'issue.edit', repository, { number: issue.number, detail: { changed: ['confidential'] } })
  tellThread(world, repository, actor.user, issue, 'edited', { changes })
}

function editText(world: World, repository: Repository, actor: User, issue: Issue, patch: IssuePatch): void {
  const title = patch.title ?? issue.title
  const body = patch.body === undefined ? issue.body : patch.body
  checkText(repository, title, body, isPull(issue) ? 'PullRequest' : 'Issue')
  const changes: Changes = {
    ...(title === issue.title ? {} : { title: { from: issue.title } }),
    ...(body === issue.body ? {} : { body: { from: issue.body ?? '' } }),
  }
  if (Object.keys(changes).length === 0) return
  Object.assign(issue, { title, body })
  record(world, actor, isPull(issue) ? 'pull.edit' : 'issue.edit', repository, {
    number: issue.number,
    detail: { changed: Object.keys(changes) },
  })
  tellThread(world, repository, actor, issue, 'edited', { changes })
}

export function setState(
  world: World,
  repository: Repository,
  actor: User,
  issue: Issue,
  state: 'open' | 'closed',
  reason?: Issue['stateReason'],
): void {
  issue.state = state
  issue.closedAt = state === 'closed' ? timestamp(world, repository) : null
  issue.closedBy = state === 'closed' ? actor : null
  issue.stateReason = isPull(issue) ? null : (reason ?? (state === 'closed' ? 'completed' : 'reopened'))
  const verb = state === 'closed' ? 'close' : 'reopen'
  record(world, actor, isPull(issue) ? `pull.${verb}` : `issue.${verb}`, repository, { number: issue.number })
  tellThread(world, repository, actor, issue, state === 'closed' ? 'closed' : 'reopened')
}

export function replaceLabels(
  world: World,
  repository: Repository,
  actor: User,
  issue: Issue,
  wanted: readonly Label[],
): void {
  const labels = possible(repository, wanted, issue.labels)
  const added = labels.filter((label) => !issue.labels.includes(label))
  const removed = issue.labels.filter((label) => !labels.includes(label))
  for (const label of added) {
    issue.labels = [...issue.labels, label]
    record(world, actor, 'label.add', repository, {
      number: issue.number,
      kind: issue.kind,
      detail: { label: label.name },
    })
    tellThread(world, repository, actor, issue, 'labeled', { label })
  }
  for (const label of removed) {
    issue.labels = issue.labels.filter((one) => one !== label)
    record(world, actor, 'label.remove', repository, {
      number: issue.number,
      kind: issue.kind,
      detail: { label: label.name },
    })
    tellThread(world, repository, actor, issue, 'unlabeled', { label })
  }
}

function possible(repository: Repository, labels: readonly Label[], old: readonly Label[]): Label[] {
  return repository.dialect === 'gitlab' ? withoutSiblings(labels, old) : [...labels]
}

function tellThread(
  world: World,
  repository: Repository,
  actor: User,
  issue: Issue,
  action: ThreadAction,
  more: { label?: Label; changes?: Changes } = {},
): void {
  issue.updatedAt = timestamp(world, repository)
  if (isPull(issue)) emit(world, { type: 'pull.changed', action, repository, actor, pull: issue, ...more })
  else emit(world, { type: 'issue.changed', action, repository, actor, issue, ...more })
}

export function checkText(
  repository: Repository,
  title: string,
  body: string | null | undefined,
  resource: 'Issue' | 'PullRequest',
): void {
  if (title.trim() === '') throw new Refusal('missing', { resource, field: 'title' })
  checkLength(repository, 'title', title, resource)
  checkLength(repository, 'body', body ?? '', resource)
}

function usersOf(world: World, logins: readonly string[]): User[] {
  return logins.map((login) => findUser(world, login)).filter((user) => user !== undefined)
}
