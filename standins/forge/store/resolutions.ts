import { demand } from './permissions.ts'
import type { Actor, Comment, Pull, Repository, ReviewComment } from './records.ts'
import { record, timestamp, type World } from './world.ts'

/** Of all that one discussion holds: the author of the merge request may, and who may write. */
export function setResolved(
  world: World,
  repository: Repository,
  actor: Actor,
  pull: Pull,
  notes: ReadonlyArray<Comment | ReviewComment>,
  resolved: boolean,
): void {
  demand(repository, actor, pull.author === actor.user ? 'read' : 'write')
  const resolution = resolved ? { by: actor.user, at: timestamp(world, repository) } : null
  for (const note of notes) note.resolution = resolution
  pull.updatedAt = timestamp(world, repository)
  record(world, actor.user, 'comment.resolve', repository, {
    number: pull.number,
    detail: { comments: notes.map((note) => note.id), resolved },
  })
}
