import { createComment, createSystemNote } from '../store/comments.ts'
import type { ForgeEvent, PullChanged, ReviewChanged } from '../store/events.ts'
import type { World } from '../store/world.ts'

/** What GitLab writes under a merge request by itself. A review has no text of its own there: it becomes a note. */
export function noteByForge(world: World, event: ForgeEvent): void {
  if (event.repository.dialect !== 'gitlab') return
  if (event.type === 'pull.changed') noteChangeOf(world, event)
  if (event.type === 'review.submitted' || event.type === 'review.dismissed') noteReview(world, event)
}

function noteChangeOf(world: World, { action, repository, actor, pull, changes }: PullChanged): void {
  if (action === 'ready_for_review')
    createSystemNote(world, repository, actor, pull, 'marked this merge request as **ready**')
  if (action === 'converted_to_draft')
    createSystemNote(world, repository, actor, pull, 'marked this merge request as **draft**')
  const title = changes?.title
  if (title)
    createSystemNote(world, repository, actor, pull, `changed title from **${title.from}** to **${pull.title}**`)
}

function noteReview(world: World, { type, repository, actor, pull, review }: ReviewChanged): void {
  const text = type === 'review.dismissed' ? 'unapproved this merge request' : DECISIONS[review.state]
  if (text !== undefined) createSystemNote(world, repository, actor, pull, text)
  if (type === 'review.dismissed' || review.body.trim() === '') return
  createComment(world, repository, { user: actor, cap: 'admin', scopes: [] }, pull, review.body)
}

const DECISIONS: Readonly<Record<string, string>> = {
  APPROVED: 'approved this merge request',
  CHANGES_REQUESTED: 'requested changes',
}
