import { createHash } from 'node:crypto'
import { lastLine } from '../../git/hunks.ts'
import type { Comment, Issue, Pull, Repository, Resolution, ReviewComment, User } from '../../store/records.ts'
import { isPull } from '../../store/records.ts'
import type { Links } from '../links.ts'
import { nullable, userPayload, type Json } from './common.ts'

/** What GitLab calls a note: a comment, or a line comment of a merge request. */
export type Note = Comment | ReviewComment

export function isLineNote(note: Note): note is ReviewComment {
  return 'path' in note
}

/** The answers to a note have their discussion's name in common with it; a note that stands alone has one too. */
export function discussionOf(note: Note): string {
  if (isLineNote(note)) return digest(`line ${note.inReplyTo ?? note.id}`)
  return note.discussion ?? digest(`note ${note.id}`)
}

export function digest(text: string): string {
  return createHash('sha1').update(text).digest('hex')
}

export function notePayload(links: Links, repository: Repository, thread: Issue, note: Note): Json {
  const resolvable = isLineNote(note) || (isPull(thread) && note.discussion !== null)
  return {
    id: note.id,
    type: isLineNote(note) ? 'DiffNote' : note.discussion === null ? null : 'DiscussionNote',
    body: note.body,
    author: userPayload(links, note.author),
    created_at: note.createdAt,
    updated_at: note.updatedAt,
    system: !isLineNote(note) && note.system,
    noteable_id: thread.id,
    noteable_type: isPull(thread) ? 'MergeRequest' : 'Issue',
    project_id: repository.id,
    ...(isLineNote(note) && isPull(thread) ? positionPart(thread, note) : {}),
    resolvable,
    ...(resolvable ? resolutionPart(links, note.resolution) : {}),
    confidential: !isLineNote(note) && note.internal,
    internal: !isLineNote(note) && note.internal,
    imported: false,
    imported_from: 'none',
    noteable_iid: thread.number,
    commands_changes: {},
  }
}

function resolutionPart(links: Links, resolution: Resolution | null): Json {
  return {
    resolved: resolution !== null,
    resolved_by: nullable(resolution?.by, (user: User) => userPayload(links, user)),
    resolved_at: resolution?.at ?? null,
  }
}

function positionPart(pull: Pull, note: ReviewComment): Json {
  const version = pull.versions.findLast((one) => one.headSha === note.originalCommit)
  const position = {
    base_sha: version?.diffBase ?? pull.diffBase,
    start_sha: version?.baseSha ?? pull.baseSha,
    head_sha: note.originalCommit,
    old_path: note.path,
    new_path: note.path,
    position_type: note.anchor === null ? 'file' : 'text',
    ...linesOf(note),
    line_range: null,
  }
  return { commit_id: null, position, original_position: position }
}

/** An added line has a new number alone, a removed one an old number alone, one between them both. */
function linesOf({ anchor }: ReviewComment): Json {
  const line = anchor === null ? undefined : lastLine(anchor.hunk)
  return { old_line: line?.oldLine ?? null, new_line: line?.newLine ?? null }
}

export function discussionPayload(
  links: Links,
  repository: Repository,
  thread: Issue,
  id: string,
  notes: readonly Note[],
): Json {
  const [first] = notes
  return {
    id,
    individual_note: first !== undefined && !isLineNote(first) && first.discussion === null,
    notes: notes.map((note) => notePayload(links, repository, thread, note)),
  }
}
