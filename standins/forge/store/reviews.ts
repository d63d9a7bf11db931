import { demand } from './permissions.ts'
import { pullFiles } from './pulls.ts'
import type { Actor, Pull, Repository, Review, ReviewComment, ReviewState } from './records.ts'
import { Refusal } from './refusal.ts'
import { checkLength } from './text-limits.ts'
import { addReviewComment, anchorOf, type LineComment } from './review-comments.ts'
import { emit, record, timestamp, type World } from './world.ts'

export type ReviewEvent = 'COMMENT' | 'APPROVE' | 'REQUEST_CHANGES'

export interface ReviewInput {
  readonly body?: string
  /** Without one the review stays pending, visible to its author alone, until it is submitted. */
  readonly event?: ReviewEvent
  readonly commit?: string
  readonly comments?: readonly LineComment[]
}

const STATES: Readonly<Record<ReviewEvent, ReviewState>> = {
  COMMENT: 'COMMENTED',
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
}

/** All or nothing: every line is checked against the real diff before anything is written. */
export async function createReview(
  world: World,
  repository: Repository,
  actor: Actor,
  pull: Pull,
  input: ReviewInput,
): Promise<Review> {
  demand(repository, actor, 'read')
  const comments = input.comments ?? []
  checkLength(repository, 'comment', input.body ?? '', 'PullRequestReview')
  if (pendingOf(pull, actor)) throw new Refusal('pending-review')
  if (input.event)
    checkEvent(repository, pull, actor, { event: input.event, body: input.body ?? '', comments: comments.length })
  const commit = await commitOf(repository, pull, input.commit)
  const files = comments.length > 0 ? await pullFiles(repository, pull, commit) : []
  const anchors = comments.map((comment) => anchorOf(repository, files, comment))
  const review: Review = {
    id: world.nextId(),
    author: actor.user,
    body: input.body ?? '',
    state: 'PENDING',
    commit,
    submittedAt: null,
  }
  pull.reviews.set(review.id, review)
  for (const [index, comment] of comments.entries()) {
    addReviewComment(world, repository, pull, {
      id: world.nextId(),
      reviewId: review.id,
      author: actor.user,
      body: comment.body,
      path: comment.path,
      anchor: anchors[index] ?? null,
      commit,
    })
  }
  record(world, actor.user, 'review.create', repository, {
    number: pull.number,
    sha: commit,
    detail: {
      review: review.id,
      event: input.event ?? 'PENDING',
      // The text of a review on GitLab is a note, which has a line of its own.
      body: repository.dialect === 'gitlab' ? '' : review.body,
      comments: auditedLines(pull, review),
    },
  })
  if (input.event) publish(world, repository, actor, pull, review, input.event)
  return review
}

function auditedLines(pull: Pull, review: Review): readonly object[] {
  return commentsOf(pull, review).map(({ id, path, body }) => ({ comment: id, path, body }))
}

export function submitReview(
  world: World,
  repository: Repository,
  actor: Actor,
  pull: Pull,
  review: Review,
  event: ReviewEvent,
  body?: string,
): void {
  demand(repository, actor, 'read')
  if (review.state !== 'PENDING' || review.author !== actor.user) throw new Refusal('not-found')
  checkLength(repository, 'comment', body ?? '', 'PullRequestReview')
  if (body !== undefined) review.body = body
  checkEvent(repository, pull, actor, {
    event,
    body: review.body,
    comments: commentsOf(pull, review).length,
  })
  record(world, actor.user, 'review.submit', repository, {
    number: pull.number,
    sha: review.commit,
    detail: { review: review.id, event },
  })
  publish(world, repository, actor, pull, review, event)
}

/** Makes a review seen, and tells of it and of its comments. */
export function publish(
  world: World,
  repository: Repository,
  actor: Actor,
  pull: Pull,
  review: Review,
  event: ReviewEvent,
): void {
  review.state = STATES[event]
  review.submittedAt = timestamp(world, repository)
  pull.updatedAt = review.submittedAt
  emit(world, { type: 'review.submitted', repository, actor: actor.user, pull, review })
  for (const comment of commentsOf(pull, review))
    emit(world, { type: 'review-comment.changed', action: 'created', repository, actor: actor.user, pull, comment })
}

/** By anybody who may write; the review keeps its text and shows no more what it decided. */
export function dismissReview(
  world: World,
  repository: Repository,
  actor: Actor,
  pull: Pull,
  review: Review,
  reason: string,
): void {
  demand(repository, actor, 'write')
  checkLength(repository, 'comment', reason, 'PullRequestReview')
  if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED')
    throw new Refusal('review-undecided', { detail: review.state.toLowerCase() })
  review.state = 'DISMISSED'
  pull.updatedAt = timestamp(world, repository)
  record(world, actor.user, 'review.dismiss', repository, {
    number: pull.number,
    sha: review.commit,
    detail: { review: review.id, reason },
  })
  emit(world, { type: 'review.dismissed', repository, actor: actor.user, pull, review })
}

/** GitLab's free edition lets the author approve. */
function checkEvent(
  repository: Repository,
  pull: Pull,
  actor: Actor,
  { event, body, comments }: { readonly event: ReviewEvent; readonly body: string; readonly comments: number },
): void {
  if (event !== 'COMMENT' && pull.author === actor.user && repository.dialect === 'github')
    throw new Refusal('own-review', { detail: event === 'APPROVE' ? 'approve' : 'request changes on' })
  if (event !== 'APPROVE' && body.trim() === '' && comments === 0) throw new Refusal('review-empty')
}

/** The commit that a comment is on: the head, or an earlier one that the pull request has had. */
export async function commitOf(repository: Repository, pull: Pull, wanted: string | undefined): Promise<string> {
  if (wanted === undefined || wanted === pull.headSha) return pull.headSha
  const sha = await repository.git.resolveCommit(wanted)
  const inside = sha === wanted && !(await repository.git.isAncestor(sha, pull.diffBase))
  const known =
    inside &&
    ((await repository.git.isAncestor(sha, pull.headSha)) ||
      [...pull.reviews.values()].some((review) => review.commit === sha))
  if (!known)
    throw new Refusal('commit-not-in-pull', { resource: 'PullRequestReview', field: 'commit_id', detail: wanted })
  return wanted
}

function pendingOf(pull: Pull, actor: Actor): Review | undefined {
  return [...pull.reviews.values()].find((review) => review.state === 'PENDING' && review.author === actor.user)
}

export function commentsOf(pull: Pull, review: Review): ReviewComment[] {
  return [...pull.reviewComments.values()].filter((comment) => comment.reviewId === review.id)
}

/** Comments of a pending review are its author's alone. */
export function visibleComments(pull: Pull, actor: Actor | undefined): ReviewComment[] {
  const hidden = new Set(
    [...pull.reviews.values()]
      .filter((review) => review.state === 'PENDING' && review.author !== actor?.user)
      .map((review) => review.id),
  )
  return [...pull.reviewComments.values()].filter((comment) => !hidden.has(comment.reviewId))
}

export function findReview(pull: Pull, id: number, actor: Actor | undefined): Review {
  const review = pull.reviews.get(id)
  if (!review || (review.state === 'PENDING' && review.author !== actor?.user)) throw new Refusal('not-found')
  return review
}
