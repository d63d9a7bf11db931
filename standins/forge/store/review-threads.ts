import { demand, textRight } from './permissions.ts'
import { pullFiles } from './pulls.ts'
import type { Actor, Pull, Repository, Review, ReviewComment } from './records.ts'
import { Refusal } from './refusal.ts'
import { addReviewComment, anchorOf, checkCommentBody, type LineComment } from './review-comments.ts'
import { commitOf, publish, visibleComments } from './reviews.ts'
import { emit, record, timestamp, type World } from './world.ts'

/** A single comment, or an answer to one, is a review of its own with nothing but that comment. */
export async function commentOnLine(
  world: World,
  repository: Repository,
  actor: Actor,
  pull: Pull,
  comment: LineComment,
  commit?: string,
): Promise<ReviewComment> {
  demand(repository, actor, 'read')
  const sha = await commitOf(repository, pull, commit)
  const anchor = anchorOf(repository, await pullFiles(repository, pull, sha), comment)
  return publishSingle(world, repository, actor, pull, { body: comment.body, path: comment.path, anchor, commit: sha })
}

export function replyToComment(
  world: World,
  repository: Repository,
  actor: Actor,
  pull: Pull,
  parentId: number,
  body: string,
): ReviewComment {
  demand(repository, actor, 'read')
  checkCommentBody(repository, body)
  const parent = visibleComments(pull, actor).find((comment) => comment.id === parentId)
  if (!parent) throw new Refusal('not-found')
  return publishSingle(world, repository, actor, pull, {
    body,
    path: parent.path,
    anchor: parent.anchor,
    commit: parent.commit,
    inReplyTo: parent.inReplyTo ?? parent.id,
  })
}

interface SingleComment {
  readonly body: string
  readonly path: string
  readonly anchor: ReviewComment['anchor']
  readonly commit: string
  readonly inReplyTo?: number
}

function publishSingle(
  world: World,
  repository: Repository,
  actor: Actor,
  pull: Pull,
  input: SingleComment,
): ReviewComment {
  const review: Review = {
    id: world.nextId(),
    author: actor.user,
    body: '',
    state: 'PENDING',
    commit: input.commit,
    submittedAt: null,
  }
  pull.reviews.set(review.id, review)
  const comment = addReviewComment(world, repository, pull, {
    id: world.nextId(),
    reviewId: review.id,
    author: actor.user,
    ...input,
  })
  record(world, actor.user, 'review-comment.create', repository, {
    number: pull.number,
    sha: input.commit,
    detail: { comment: comment.id, path: comment.path, inReplyTo: comment.inReplyTo, body: comment.body },
  })
  publish(world, repository, actor, pull, review, 'COMMENT')
  return comment
}

export interface FoundReviewComment {
  readonly pull: Pull
  readonly comment: ReviewComment
}

export function editReviewComment(
  world: World,
  repository: Repository,
  actor: Actor,
  { pull, comment }: FoundReviewComment,
  body: string,
): void {
  demand(repository, actor, comment.author === actor.user ? 'read' : textRight(repository))
  checkCommentBody(repository, body)
  const from = comment.body
  const at = timestamp(world, repository)
  Object.assign(comment, { body, updatedAt: at, edit: { by: actor.user.login, at } })
  record(world, actor.user, 'review-comment.edit', repository, { number: pull.number, detail: { comment: comment.id } })
  emit(world, {
    type: 'review-comment.changed',
    action: 'edited',
    repository,
    actor: actor.user,
    pull,
    comment,
    changes: { body: { from } },
  })
}

export function deleteReviewComment(
  world: World,
  repository: Repository,
  actor: Actor,
  { pull, comment }: FoundReviewComment,
): void {
  demand(repository, actor, comment.author === actor.user ? 'read' : textRight(repository))
  pull.reviewComments.delete(comment.id)
  record(world, actor.user, 'review-comment.delete', repository, {
    number: pull.number,
    detail: { comment: comment.id },
  })
  emit(world, { type: 'review-comment.changed', action: 'deleted', repository, actor: actor.user, pull, comment })
}
