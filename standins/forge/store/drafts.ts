import { demand } from './permissions.ts'
import type { Actor, DraftNote, Pull, Repository } from './records.ts'
import { Refusal } from './refusal.ts'
import { checkLength } from './text-limits.ts'
import { record, type World } from './world.ts'

export type DraftInput = Pick<DraftNote, 'body' | 'position' | 'discussion'>

/** Seen by its author alone until it is published. */
export function createDraft(
  world: World,
  repository: Repository,
  actor: Actor,
  pull: Pull,
  input: DraftInput,
): DraftNote {
  demand(repository, actor, 'read')
  checkDraft(repository, input.body)
  const draft: DraftNote = { id: world.nextId(), author: actor.user, ...input }
  pull.drafts.set(draft.id, draft)
  record(world, actor.user, 'draft-note.create', repository, { number: pull.number, detail: { draft: draft.id } })
  return draft
}

export function editDraft(
  world: World,
  repository: Repository,
  actor: Actor,
  pull: Pull,
  draft: DraftNote,
  body: string,
): void {
  checkDraft(repository, body)
  draft.body = body
  record(world, actor.user, 'draft-note.edit', repository, { number: pull.number, detail: { draft: draft.id } })
}

/** Also what happens to a published one: what was published is on record by itself. */
export function deleteDraft(world: World, repository: Repository, actor: Actor, pull: Pull, draft: DraftNote): void {
  pull.drafts.delete(draft.id)
  record(world, actor.user, 'draft-note.delete', repository, { number: pull.number, detail: { draft: draft.id } })
}

export function draftsOf(pull: Pull, actor: Actor): DraftNote[] {
  return [...pull.drafts.values()].filter((draft) => draft.author === actor.user)
}

function checkDraft(repository: Repository, body: string): void {
  if (body.trim() === '') throw new Refusal('blank', { resource: 'DraftNote', field: 'note', detail: 'Note' })
  checkLength(repository, 'comment', body, 'DraftNote')
}
