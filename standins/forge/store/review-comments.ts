import type { FileDiff } from '../git/diff.ts'
import { locate, locatePosition } from '../git/hunks.ts'
import type { Anchor, Pull, Repository, ReviewComment, Side, User } from './records.ts'
import { Refusal } from './refusal.ts'
import { checkLength } from './text-limits.ts'
import { timestamp, type World } from './world.ts'

export interface LineComment {
  readonly path: string
  readonly body: string
  readonly line?: number
  readonly side?: Side
  readonly startLine?: number
  readonly startSide?: Side
  /** The older way to name a line, still taken. */
  readonly position?: number
  /** On the file as a whole. */
  readonly wholeFile?: boolean
}

/** Only lines that the diff shows can be commented on, on their own side; anything else is refused before a word is written. */
export function anchorOf(repository: Repository, files: readonly FileDiff[], comment: LineComment): Anchor | null {
  checkCommentBody(repository, comment.body)
  const file = files.find((one) => one.path === comment.path)
  if (!file) throw new Refusal('path-not-in-diff', { field: 'path', detail: comment.path })
  if (comment.wholeFile) return null
  const anchor = file.patch === undefined ? undefined : findAnchor(file.patch, comment)
  if (!anchor)
    throw new Refusal('line-not-in-diff', {
      field: 'line',
      detail: `${comment.path}:${comment.line ?? comment.position ?? ''}`,
    })
  return anchor
}

function findAnchor(patch: string, comment: LineComment): Anchor | undefined {
  if (comment.line === undefined) return byPosition(patch, comment.position)
  const side = comment.side ?? 'RIGHT'
  const spot = locate(patch, comment.line, side)
  if (!spot) return undefined
  const startSide = comment.startLine === undefined ? null : (comment.startSide ?? side)
  if (comment.startLine !== undefined && !startsBefore(patch, comment.startLine, startSide ?? side, spot))
    return undefined
  return {
    line: comment.line,
    side,
    startLine: comment.startLine ?? null,
    startSide,
    position: spot.position,
    hunk: spot.excerpt,
  }
}

function byPosition(patch: string, position: number | undefined): Anchor | undefined {
  const spot = position === undefined ? undefined : locatePosition(patch, position)
  return (
    spot && {
      line: spot.line,
      side: spot.side,
      startLine: null,
      startSide: null,
      position: spot.position,
      hunk: spot.excerpt,
    }
  )
}

/** A range lies within one hunk and ends below its start. */
function startsBefore(patch: string, line: number, side: Side, end: { position: number; hunk: number }): boolean {
  const start = locate(patch, line, side)
  return start !== undefined && start.hunk === end.hunk && start.position < end.position
}

export function checkCommentBody(repository: Repository, body: string): void {
  if (body.trim() === '')
    throw new Refusal('blank', { resource: 'PullRequestReviewComment', field: 'body', detail: 'Body' })
  checkLength(repository, 'comment', body, 'PullRequestReviewComment')
}

export interface NewReviewComment {
  readonly id: number
  readonly reviewId: number
  readonly author: User
  readonly body: string
  readonly path: string
  readonly anchor: Anchor | null
  readonly commit: string
  readonly inReplyTo?: number
}

export function addReviewComment(
  world: World,
  repository: Repository,
  pull: Pull,
  input: NewReviewComment,
): ReviewComment {
  const at = timestamp(world, repository)
  const comment: ReviewComment = {
    ...input,
    inReplyTo: input.inReplyTo ?? null,
    current: input.commit === pull.headSha,
    originalCommit: input.commit,
    createdAt: at,
    updatedAt: at,
    resolution: null,
  }
  pull.reviewComments.set(comment.id, comment)
  return comment
}

/** After a move of the head: a comment whose file is unchanged moves along, one whose file has changed can't be pointed at any more. */
export async function outdateComments(repository: Repository, pull: Pull, previous: string): Promise<void> {
  for (const comment of pull.reviewComments.values()) {
    if (!comment.current || comment.commit !== previous) continue
    const [before, after] = await Promise.all(
      [previous, pull.headSha].map((sha) => repository.git.readRef(`${sha}:${comment.path}`)),
    )
    if (before === after) comment.commit = pull.headSha
    else comment.current = false
  }
}
