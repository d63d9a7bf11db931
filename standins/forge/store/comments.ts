import { demand, textRight } from './permissions.ts'
import type { Actor, Comment, Issue, Repository, User } from './records.ts'
import { Refusal } from './refusal.ts'
import { checkLength } from './text-limits.ts'
import { emit, noteChange, record, timestamp, type World } from './world.ts'

export interface FoundComment {
  readonly issue: Issue
  readonly comment: Comment
}

export interface CommentOptions {
  readonly internal?: boolean
  readonly discussion?: string
}

export function createComment(
  world: World,
  repository: Repository,
  actor: Actor,
  issue: Issue,
  body: string,
  { internal = false, discussion }: CommentOptions = {},
): Comment {
  demand(repository, actor, internal ? 'triage' : 'read')
  checkComment(repository, body)
  const at = timestamp(world, repository)
  const comment: Comment = {
    ...{ id: world.nextId(), body, author: actor.user, createdAt: at, updatedAt: at },
    ...{ system: false, internal, discussion: discussion ?? null, resolution: null },
  }
  issue.comments.set(comment.id, comment)
  issue.updatedAt = at
  record(world, actor.user, 'comment.create', repository, {
    number: issue.number,
    kind: issue.kind,
    detail: { comment: comment.id, body },
  })
  emit(world, { type: 'comment.changed', action: 'created', repository, actor: actor.user, issue, comment })
  return comment
}

/** By the forge itself, about what the actor has just done: no hook carries it and no audit line repeats it. */
export function createSystemNote(world: World, repository: Repository, actor: User, issue: Issue, body: string): void {
  const at = timestamp(world, repository)
  const comment: Comment = {
    ...{ id: world.nextId(), body, author: actor, createdAt: at, updatedAt: at },
    ...{ system: true, internal: false, discussion: null, resolution: null },
  }
  issue.comments.set(comment.id, comment)
  noteChange(world)
}

export function editComment(
  world: World,
  repository: Repository,
  actor: Actor,
  { issue, comment }: FoundComment,
  body: string,
): void {
  demand(repository, actor, comment.author === actor.user ? 'read' : textRight(repository))
  checkComment(repository, body)
  const from = comment.body
  // Another request than the one that created it: never in the same thousandth of a second.
  const now = timestamp(world, repository)
  const isSameInstant = repository.dialect === 'gitlab' && now === comment.createdAt
  const at = isSameInstant ? new Date(Date.parse(now) + 1).toISOString() : now
  Object.assign(comment, { body, updatedAt: at, edit: { by: actor.user.login, at } })
  issue.updatedAt = comment.updatedAt
  record(world, actor.user, 'comment.edit', repository, {
    number: issue.number,
    kind: issue.kind,
    detail: { comment: comment.id, body },
  })
  emit(world, {
    type: 'comment.changed',
    action: 'edited',
    repository,
    actor: actor.user,
    issue,
    comment,
    changes: { body: { from } },
  })
}

export function deleteComment(
  world: World,
  repository: Repository,
  actor: Actor,
  { issue, comment }: FoundComment,
): void {
  demand(repository, actor, comment.author === actor.user ? 'read' : textRight(repository))
  issue.comments.delete(comment.id)
  issue.updatedAt = timestamp(world, repository)
  record(world, actor.user, 'comment.delete', repository, {
    number: issue.number,
    kind: issue.kind,
    detail: { comment: comment.id },
  })
  emit(world, { type: 'comment.changed', action: 'deleted', repository, actor: actor.user, issue, comment })
}

export function findComment(repository: Repository, id: number): FoundComment {
  for (const issue of repository.issues.values()) {
    const comment = issue.comments.get(id)
    if (comment) return { issue, comment }
  }
  throw new Refusal('not-found')
}

function checkComment(repository: Repository, body: string): void {
  if (body.trim() === '') throw new Refusal('blank', { resource: 'IssueComment', field: 'data', detail: 'Body' })
  checkLength(repository, 'comment', body, 'IssueComment')
}
