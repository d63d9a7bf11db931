import { createComment } from '../store/comments.ts'
import { deleteDraft, draftsOf } from '../store/drafts.ts'
import { findLine } from '../git/hunks.ts'
import type { FileDiff } from '../git/diff.ts'
import { pullFiles } from '../store/pulls.ts'
import type { Comment, DraftNote, DraftPosition, Pull } from '../store/records.ts'
import { Refusal } from '../store/refusal.ts'
import type { LineComment } from '../store/review-comments.ts'
import { commentOnLine, replyToComment } from '../store/review-threads.ts'
import { createReview } from '../store/reviews.ts'
import type { Call } from './call.ts'
import { HttpRefusal } from '../rest.ts'
import { digest, discussionOf, isLineNote, type Note } from './payloads/notes.ts'
import { extractQuickActions, obeyQuickActions } from './quick-actions.ts'
import { notesOf } from './routes/notes.ts'

export interface Discussion {
  readonly id: string
  readonly notes: readonly Note[]
}

/** By their first note, the oldest first. */
export function discussionsOf(call: Call, pull: Pull): Discussion[] {
  const groups = Map.groupBy(notesOf(call, pull), discussionOf)
  return [...groups].map(([id, notes]) => ({ id, notes }))
}

export function findDiscussion(call: Call, pull: Pull, id: string): Discussion {
  const found = discussionsOf(call, pull).find((discussion) => discussion.id === id)
  if (!found) throw new HttpRefusal(404, '404 Discussion Not Found')
  return found
}

/** An answer to a note that stood alone makes a discussion of the two. */
export function reply(call: Call, pull: Pull, { id, notes }: Discussion, body: string): Note {
  const [first] = notes
  if (!first) throw new HttpRefusal(404, '404 Discussion Not Found')
  if (isLineNote(first)) return replyToComment(call.world, call.repository, call.writer, pull, first.id, body)
  if (first.system) throw new HttpRefusal(400, '400 Bad request')
  const note = createComment(call.world, call.repository, call.writer, pull, body, { discussion: id })
  first.discussion = id
  return note
}

export function startDiscussion(call: Call, pull: Pull, body: string): Comment {
  const discussion = digest(`discussion ${call.world.nextId()}`)
  return createComment(call.world, call.repository, call.writer, pull, body, { discussion })
}

export async function startOnLine(call: Call, pull: Pull, position: DraftPosition, body: string): Promise<Note> {
  const line = lineOf(await filesAt(call, pull, position.commit), position)
  if (!line) throw new Refusal('line-not-in-diff')
  return commentOnLine(call.world, call.repository, call.writer, pull, { ...line, body }, position.commit)
}

/** No files for a commit that the merge request never had as its head. */
async function filesAt(call: Call, pull: Pull, commit: string): Promise<FileDiff[]> {
  return pull.versions.some((version) => version.headSha === commit) ? pullFiles(call.repository, pull, commit) : []
}

/** Only a line with exactly these numbers: an added one has no old number, one between has both. */
function lineOf(files: readonly FileDiff[], position: DraftPosition): Omit<LineComment, 'body'> | undefined {
  const file = files.find((one) => one.path === position.newPath || one.path === position.oldPath)
  const line = file?.patch === undefined ? undefined : findLine(file.patch, position.oldLine, position.newLine)
  if (!file || !line) return undefined
  const side = line.newLine === null ? 'LEFT' : 'RIGHT'
  return { path: file.path, line: line.newLine ?? line.oldLine ?? 0, side }
}

/** What a line of the diff is called; null for a position that is not on one. */
export async function lineCodeOf(call: Call, pull: Pull, position: DraftPosition): Promise<string | null> {
  const line = lineOf(await filesAt(call, pull, position.commit), position)
  return line ? `${digest(line.path)}_${position.oldLine ?? 0}_${position.newLine ?? 0}` : null
}

/** As GitLab does: a draft whose position is on no line of the diff is gone afterwards, and no note has come of it. */
export async function publishDrafts(call: Call, pull: Pull, drafts = draftsOf(pull, call.writer)): Promise<void> {
  const placed = await Promise.all(drafts.map((draft) => placedLine(call, pull, draft)))
  const byCommit = Map.groupBy(
    placed.filter((one) => one !== undefined),
    (one) => one.commit,
  )
  for (const [commit, lines] of byCommit) {
    const comments = lines.map((one) => one.comment)
    await createReview(call.world, call.repository, call.writer, pull, { event: 'COMMENT', commit, comments })
  }
  const scene = { world: call.world, repository: call.repository, actor: call.writer }
  for (const draft of drafts) {
    const { text, actions } =
      draft.position === null ? extractQuickActions(draft.body) : { text: draft.body, actions: [] }
    if (text !== '' && draft.discussion !== null) reply(call, pull, findDiscussion(call, pull, draft.discussion), text)
    else if (text !== '' && draft.position === null) startDiscussion(call, pull, text)
    deleteDraft(call.world, call.repository, call.writer, pull, draft)
    await obeyQuickActions(scene, pull, actions)
  }
}

async function placedLine(
  call: Call,
  pull: Pull,
  { position, discussion, body }: DraftNote,
): Promise<{ commit: string; comment: LineComment } | undefined> {
  if (position === null || discussion !== null) return undefined
  const line = lineOf(await filesAt(call, pull, position.commit), position)
  return line && { commit: position.commit, comment: { ...line, body } }
}
