import { Type } from 'typebox'
import { createDraft, deleteDraft, draftsOf, editDraft } from '../../store/drafts.ts'
import type { DraftNote, Pull } from '../../store/records.ts'
import { Refusal } from '../../store/refusal.ts'
import { numberParam } from '../../rest.ts'
import { inputOf, type Call, type Route } from '../call.ts'
import { findDiscussion, lineCodeOf, publishDrafts } from '../discussions.ts'
import { listAnswer } from '../paging.ts'
import type { Json } from '../payloads/common.ts'
import { placeOf, Position } from './discussions.ts'
import { pullOf } from './merge-requests.ts'

const DRAFTS = '/projects/:id/merge_requests/:iid/draft_notes'
const ONE = `${DRAFTS}/:draft`

const readNewDraft = inputOf(
  Type.Object({
    note: Type.String(),
    in_reply_to_discussion_id: Type.Optional(Type.String()),
    position: Type.Optional(Position),
  }),
)
const readNote = inputOf(Type.Object({ note: Type.String() }))

/** Each works on what its user has drafted, and knows of no other's. */
export const draftNoteRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: DRAFTS,
    needsUser: true,
    async run(call) {
      const pull = pullOf(call)
      const shown = await Promise.all(draftsOf(pull, call.writer).map((draft) => show(call, pull, draft)))
      return listAnswer(call, shown, (draft) => draft)
    },
  },
  {
    method: 'POST',
    path: DRAFTS,
    async run(call) {
      const pull = pullOf(call)
      const { note, position, in_reply_to_discussion_id: answered } = readNewDraft(call)
      if (answered !== undefined) findDiscussion(call, pull, answered)
      const draft = createDraft(call.world, call.repository, call.writer, pull, {
        body: note,
        position: position ? placeOf(pull, position) : null,
        discussion: answered ?? null,
      })
      return { status: 201, body: await show(call, pull, draft) }
    },
  },
  {
    method: 'POST',
    path: `${DRAFTS}/bulk_publish`,
    async run(call) {
      await publishDrafts(call, pullOf(call))
      return { status: 204 }
    },
  },
  {
    method: 'GET',
    path: ONE,
    needsUser: true,
    async run(call) {
      const pull = pullOf(call)
      return { body: await show(call, pull, draftOf(call, pull)) }
    },
  },
  {
    method: 'PUT',
    path: ONE,
    async run(call) {
      const pull = pullOf(call)
      const draft = draftOf(call, pull)
      editDraft(call.world, call.repository, call.writer, pull, draft, readNote(call).note)
      return { body: await show(call, pull, draft) }
    },
  },
  {
    method: 'DELETE',
    path: ONE,
    run(call) {
      const pull = pullOf(call)
      deleteDraft(call.world, call.repository, call.writer, pull, draftOf(call, pull))
      return { status: 204 }
    },
  },
  {
    method: 'PUT',
    path: `${ONE}/publish`,
    async run(call) {
      const pull = pullOf(call)
      await publishDrafts(call, pull, [draftOf(call, pull)])
      return { status: 204 }
    },
  },
]

function draftOf(call: Call, pull: Pull): DraftNote {
  const id = numberParam(call, 'draft')
  const draft = draftsOf(pull, call.writer).find((one) => one.id === id)
  if (!draft) throw new Refusal('not-found')
  return draft
}

async function show(call: Call, pull: Pull, draft: DraftNote): Promise<Json> {
  const { position } = draft
  const version = pull.versions.findLast((one) => one.headSha === position?.commit)
  return {
    id: draft.id,
    author_id: draft.author.id,
    merge_request_id: pull.pullId,
    resolve_discussion: false,
    discussion_id: draft.discussion,
    note: draft.body,
    commit_id: null,
    // Null is all that GitLab tells of a position that is on no line.
    line_code: position && (await lineCodeOf(call, pull, position)),
    position: {
      base_sha: version?.diffBase ?? null,
      start_sha: version?.baseSha ?? null,
      head_sha: position?.commit ?? null,
      old_path: position?.oldPath ?? null,
      new_path: position?.newPath ?? null,
      position_type: 'text',
      old_line: position?.oldLine ?? null,
      new_line: position?.newLine ?? null,
      line_range: null,
    },
  }
}
