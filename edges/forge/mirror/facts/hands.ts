/**
 * Whose words a comment's text is (decisions/0023). Whoever may write to a repository may edit and delete what others
 * wrote, and a forge names him in the event alone: what is read says neither who edited nor who deleted. So an edit or
 * a deletion is its author's where an event names him, and what the author withheld outlives all other hands.
 */
import { judgeComment } from '../../../../machines/rules/approval-grammar.ts'
import { commandsIn, stoppingCommands } from '../../../../machines/rules/commands.ts'
import { withholdingIn } from '../../../../machines/rules/doubts.ts'
import { sameLogin } from '../../../../machines/rules/logins.ts'
import type { CommentAction } from '../../change.ts'
import { bodyHash } from '../../hash.ts'
import type { CommentEdits, ForgeAccount, ForgeComment } from '../../port.ts'
import type { Dismissal, MirroredComment, WithdrawnWords } from './records.ts'

export interface CommentHint {
  /** `read`: from the forge itself, which names nobody. */
  readonly action: CommentAction | 'read'
  readonly by?: ForgeAccount
  /** The text before this edit. */
  readonly from?: string
  /** Its actor has to hear of it. */
  readonly news: boolean
  /** Written before the platform knew its subject: a delivery of it is no news if it was read already. */
  readonly old?: boolean
}

type Writer = 'author' | 'other' | 'unknown'

type Signed = Pick<MirroredComment, 'comment' | 'editedBy'>

export function writerOf({ comment, editedBy }: Signed): Writer {
  if (editedBy === undefined) return 'author'
  if (editedBy === '') return 'unknown'
  return sameLogin(editedBy, comment.author.login) ? 'author' : 'other'
}

export function isDeletedByAuthor({ comment, deletedBy }: MirroredComment): boolean {
  return deletedBy !== undefined && sameLogin(deletedBy, comment.author.login)
}

/** A forge that lists a comment later than this, or whose clock differs by more, is none that we know. */
export const LISTED_WITHIN_MS = 60_000

/** A reading missed it that should have listed it: it grants nothing new until another one does (MIRROR-12). */
export function isDoubted({ comment, missingSince }: MirroredComment): boolean {
  return missingSince !== undefined && comment.createdAt < missingSince - LISTED_WITHIN_MS
}

/** The text that stands there now is its author's own: what a command and an approval have to be. */
export function isOwnText(row: MirroredComment): boolean {
  return row.deletedAt === undefined && writerOf(row) === 'author'
}

/**
 * Its author edited or deleted it himself, and nothing that he withdrew is left in it. An approval that its forge lists no more
 * was taken back too (GitLab: revoked, or reset by a push), unless it withholds by its words.
 */
export function isTakenBack(row: MirroredComment): boolean {
  const isRevoked = row.deletedAt !== undefined && row.comment.verdict === 'approved' && heldBy(row) === undefined
  if (isDeletedByAuthor(row) || isRevoked) return true
  return row.editedBy !== undefined && writerOf(row) === 'author' && !withdraws(row.comment.body)
}

/** What its forge says of a comment that was read, as a telling; of a text that has changed since, the next reading asks. */
export function tellingOf(
  comment: ForgeComment,
  { body, by: login }: CommentEdits,
): readonly [ForgeComment, CommentHint] | undefined {
  if (body !== comment.body) return undefined
  if (login === undefined)
    return [
      { ...comment, edited: false },
      { action: 'read', news: false },
    ]
  return [comment, { action: 'edited', by: { login, id: '', bot: false }, news: false }]
}

/** What the row becomes by this telling; undefined: nothing. Neither a late telling nor a second one undoes anything. */
export function withTelling(
  row: MirroredComment | undefined,
  shown: ForgeComment,
  hint: CommentHint,
  now: number,
): MirroredComment | undefined {
  if (hint.action === 'deleted') return deleted(row, shown, hint, now)
  const comment = dated(row, shown, hint, now)
  if (row === undefined) return firstSeen(comment, hint)
  if (isDeletedByAuthor(row)) return undefined
  const known = hint.action === 'read' ? listedAgain(row) : row
  const next = isLate(known, comment, hint) ? overtaken(known, comment, hint) : rewritten(known, comment, hint)
  // Reading it first made it no news; its own delivery does, once.
  const isNews = hint.action === 'created' && !row.heard && hint.old !== true
  return isNews ? { ...(next ?? row), notified: false, heard: true } : next
}

/** A review has no time of its edits, so one counts from when it was first heard of. What is only seen first may be old. */
function dated(row: MirroredComment | undefined, comment: ForgeComment, hint: CommentHint, now: number): ForgeComment {
  const isEdit = hint.action === 'edited' && hint.from !== undefined && row?.comment.publishedAt === undefined
  const isHeard = isEdit || (row !== undefined && bodyHash(comment.body) !== row.bodyHash)
  const isUndated = comment.sort === 'review' && comment.updatedAt <= (row?.comment.updatedAt ?? comment.createdAt)
  const publishedAt = Math.max(comment.publishedAt ?? 0, row?.comment.publishedAt ?? 0, isHeard && isUndated ? now : 0)
  return publishedAt === 0 ? comment : { ...comment, publishedAt }
}

/** No forge lists what is deleted, so it was only missed; but where a delivery told of its deletion, the list is late. */
function listedAgain(row: MirroredComment): MirroredComment {
  const { missingSince: _, deletedAt, ...listed } = row
  return row.deletedBy === undefined || deletedAt === undefined ? listed : { ...listed, deletedAt }
}

/** A creation is older than whatever else is known of its comment. */
function isLate(row: MirroredComment, comment: ForgeComment, hint: CommentHint): boolean {
  return comment.updatedAt < row.comment.updatedAt || hint.action === 'created' || isOutOfOrder(row, comment, hint)
}

/** An edit of a review has no time. One of another text than the known one may be older, so it ends nothing that withholds. */
function isOutOfOrder(
  row: MirroredComment,
  { sort, body, updatedAt }: ForgeComment,
  { action, from }: CommentHint,
): boolean {
  if (sort !== 'review' || action !== 'edited' || from === undefined || updatedAt > row.comment.updatedAt) return false
  if ([body, from].some((text) => bodyHash(text) === row.bodyHash)) return false
  const held = heldBy(row)
  return held !== undefined && !withdraws(body) && withholdingIn(body) !== withholdingIn(held.text)
}

function firstSeen(comment: ForgeComment, hint: CommentHint): MirroredComment {
  const editedBy = editorIn(comment, hint) ?? (mayBeEdited(comment, hint) ? '' : undefined)
  const withdrawal = editedBy === comment.author.login ? undefined : sternest([], wordsBefore(comment, hint))
  return {
    comment,
    bodyHash: bodyHash(comment.body),
    notified: !hint.news,
    heard: hint.action === 'created',
    ...(editedBy === undefined ? {} : { editedBy }),
    ...(withdrawal === undefined ? {} : { withdrawal }),
    ...dismissed(undefined, comment, hint),
  }
}

/** The event alone names who dismissed, and a dismissed review shows no more what it said. */
function dismissed(
  row: MirroredComment | undefined,
  { verdict }: ForgeComment,
  { action, by }: CommentHint,
): { readonly dismissal?: Dismissal } {
  if (verdict !== 'dismissed') return {}
  const was = row?.comment.verdict === 'dismissed' ? row.dismissal?.was : row?.comment.verdict
  const hand = row?.dismissal?.by ?? (action === 'other' ? by : undefined)
  return { dismissal: { ...(hand === undefined ? {} : { by: hand }), ...(was === undefined ? {} : { was }) } }
}

/**
 * A review carries no time of its last edit, and a comment none of an edit in its first second: where it matters, what is only
 * read may have been written over.
 */
function mayBeEdited(comment: ForgeComment, { action }: Pick<CommentHint, 'action'>): boolean {
  const { sort, createdAt, updatedAt, body, edited } = comment
  return edited ?? (updatedAt > createdAt || (action !== 'created' && (sort === 'review' || grants(body))))
}

/** It approves, or commands what a maintainer grants. */
function grants(text: string): boolean {
  return judgeComment(text) === 'approves' || commandsIn(text).some(({ name }) => !stoppingCommands.includes(name))
}

/** It would grant, if its forge said that no other hand wrote it. */
export function isUnproven(row: MirroredComment): boolean {
  return row.deletedAt === undefined && writerOf(row) === 'unknown' && grants(row.comment.body)
}

/** A creation is told in whole seconds, and perhaps with the text of an edit of its own second. */
function isEditedAtOnce({ createdAt, updatedAt, edited }: ForgeComment): boolean {
  return edited === true && updatedAt === createdAt
}

/** Its login, where the event names who edited; the author's login under another id is somebody else. */
function editorIn({ author }: ForgeComment, { action, by }: CommentHint): string | undefined {
  return action === 'edited' && by !== undefined ? loginOf(by, author) : undefined
}

function loginOf(by: ForgeAccount, author: ForgeAccount): string {
  if (!sameLogin(by.login, author.login)) return by.login
  return by.id === '' || author.id === '' || by.id === author.id ? author.login : ''
}

function rewritten(row: MirroredComment, comment: ForgeComment, hint: CommentHint): MirroredComment {
  const { editedBy: _, withdrawal: known, dismissal: __, ...kept } = row
  const hash = bodyHash(comment.body)
  const isChanged = hash !== row.bodyHash
  const editedBy = editorAfter(row, comment, hint, isChanged)
  const dismissal = dismissed(row, comment, hint)
  const written = { ...kept, ...dismissal, comment, bodyHash: hash, ...(editedBy === undefined ? {} : { editedBy }) }
  if (writerOf(written) === 'author') return written
  // A text that stayed and is now named as another's was his own only if it was known as such.
  const wasTheirs = isChanged || writerOf(row) === 'author'
  const withdrawal = sternest([known, wasTheirs ? heldBy(row) : undefined], wordsBefore(comment, hint))
  return withdrawal === undefined ? written : { ...written, withdrawal }
}

function editorAfter(
  row: MirroredComment,
  comment: ForgeComment,
  hint: CommentHint,
  isChanged: boolean,
): string | undefined {
  const named = editorIn(comment, hint)
  if (named === undefined && isChanged) return ''
  if (comment.edited === false) return undefined
  if (named === undefined) return isEditedAtOnce(comment) ? (row.editedBy ?? '') : row.editedBy
  if (!sameLogin(named, comment.author.login) || comment.updatedAt > row.comment.updatedAt) return named
  // Of one moment with a text of other hands: nobody can tell which of the two is the last.
  if (isChanged && writerOf(row) !== 'author') return ''
  return writerOf(row) === 'other' ? row.editedBy : named
}

/** A telling that came after a newer one, or after the end: the row stays, but for hands and words that it didn't know. */
function overtaken(row: MirroredComment, comment: ForgeComment, hint: CommentHint): MirroredComment {
  const signed = hint.action === 'created' ? withBeginning(row, comment) : row
  if (writerOf(signed) === 'author') return signed
  const withdrawal = sternest([row.withdrawal, heldBy(firstSeen(comment, hint))], wordsBefore(comment, hint))
  return withdrawal === undefined ? signed : { ...signed, withdrawal }
}

/** What its author began with: the text that was read is his own, or nobody has said who wrote it over. */
function withBeginning(row: MirroredComment, comment: ForgeComment): MirroredComment {
  const { editedBy, ...unsigned } = row
  if (bodyHash(comment.body) !== row.bodyHash)
    return editedBy === undefined && row.comment.edited !== false ? { ...row, editedBy: '' } : row
  // Unknown only because it was read first.
  const isUntouched = !mayBeEdited(row.comment, { action: 'created' }) && row.comment.sort !== 'review'
  return editedBy === '' && isUntouched ? unsigned : row
}

function deleted(
  row: MirroredComment | undefined,
  comment: ForgeComment,
  hint: CommentHint,
  now: number,
): MirroredComment | undefined {
  if (row?.deletedBy !== undefined) return undefined
  const deletedBy = hint.by && loginOf(hint.by, comment.author)
  const last = withTelling(row, comment, { action: 'read', news: false }, now) ?? row
  const deletedAt = row?.deletedAt ?? now
  return last && { ...last, notified: true, deletedAt, ...(deletedBy === undefined ? {} : { deletedBy }) }
}

/** What its author withheld: before other hands wrote over it, or by the text that stands, unless that is another's. */
export function heldBy(row: MirroredComment): WithdrawnWords | undefined {
  const { body, createdAt, updatedAt, publishedAt = 0 } = row.comment
  const standing = { text: body, at: Math.max(createdAt, updatedAt, publishedAt) }
  return sternest([row.withdrawal, writerOf(row) === 'other' ? undefined : standing])
}

/** The event of an edit says what stood there before. */
function wordsBefore({ updatedAt }: ForgeComment, { from }: CommentHint): WithdrawnWords | undefined {
  return from === undefined ? undefined : { text: from, at: updatedAt }
}

/**
 * The newest that withdraws, else the newest that leaves a doubt; words that withhold nothing need no keeping. `before` stood
 * until an edit, nobody knows since when: it counts where nothing else is known.
 */
function sternest(all: readonly (WithdrawnWords | undefined)[], before?: WithdrawnWords): WithdrawnWords | undefined {
  for (const how of ['withdraws', 'doubts']) {
    const known = all.flatMap((one) => (one && withholdingIn(one.text) === how ? [one] : []))
    const newest = known.reduce<WithdrawnWords | undefined>(
      (last, one) => (last && (one.at <= last.at || one.text === last.text) ? last : one),
      undefined,
    )
    if (newest !== undefined) return newest
    if (before !== undefined && withholdingIn(before.text) === how) return before
  }
  return undefined
}

export function withdraws(text: string): boolean {
  return judgeComment(text) === 'withdraws'
}
