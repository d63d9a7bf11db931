/**
 * What maintainers said in the threads of one Task, wherever they said it: a comment, the body of a review, a comment on a
 * line, a review's verdict. A word that withholds stands until a maintainer says a newer one that lets go, in any of the
 * threads, or its author takes it back by his own hand (decisions/0023, 0031). A new head takes nothing back.
 */
import { judgeComment } from '../../../../machines/rules/approval-grammar.ts'
import { doubtIn } from '../../../../machines/rules/doubts.ts'
import type { ForgeAccount } from '../../port.ts'
import type { ThreadRef } from '../../task-threads.ts'
import { heldBy, isDeletedByAuthor, isOwnText, writerOf } from './hands.ts'
import type { People } from './people.ts'
import type { MirroredComment, WithdrawnWords } from './records.ts'

/** One thread, and who people are to its repository. */
export interface Thread {
  readonly threadRef: ThreadRef
  readonly rows: readonly MirroredComment[]
  readonly people: Pick<People, 'isMaintainer'>
}

/** A word that withholds the merge. */
export interface Word {
  /** `hold`: it withdraws. `changes`: a review that requests changes. `doubt`: it perhaps stops (WORDS-7). */
  readonly kind: 'hold' | 'changes' | 'doubt'
  readonly threadRef: ThreadRef
  readonly commentId: string
  readonly author: string
  /** Epoch ms; of a withdrawal also when it was last edited. */
  readonly at: number
  readonly isEdited?: true
  readonly url: string
  /** The text as it was written, empty for a review without one and for an internal note; of a doubt its line. */
  readonly text: string
}

/** A word that lets go. */
type Lift = Pick<Word, 'threadRef' | 'commentId' | 'at'>

interface ThreadWords {
  readonly withheld: readonly Word[]
  readonly lifts: readonly Lift[]
}

export function wordsIn({ threadRef, rows, people }: Thread): ThreadWords {
  const isMaintainers = ({ comment }: MirroredComment): boolean => people.isMaintainer(comment.author)
  const standing = rows.filter((row) => !isDeletedByAuthor(row))
  const heard = standing.filter((row) => row.byMaintainer === true || isMaintainers(row))
  return {
    withheld: heard.flatMap((row) => withheldBy(row, threadRef, people)),
    lifts: heard
      .filter((row) => isMaintainers(row) && letsGo(row))
      .map(({ comment: { id, createdAt } }) => ({ threadRef, commentId: id, at: createdAt })),
  }
}

/** Every word that no newer one lifts, oldest first. */
export function standingWords(threads: readonly Thread[]): readonly Word[] {
  const words = threads.map(wordsIn)
  const lifts = words.flatMap((one) => one.lifts)
  return words
    .flatMap(({ withheld }) => withheld)
    .filter((word) => !lifts.some((lift) => isNewer(lift, word)))
    .toSorted((one, other) => one.at - other.at)
}

/** Forges date in whole seconds. Of one second only plain comments of one thread have an order, as they were written: their ids count up. */
function isNewer(lift: Lift, word: Word): boolean {
  if (lift.at !== word.at || word.isEdited === true) return lift.at > word.at
  const [later, earlier] = [lift, word].map(({ commentId }) => Number(commentId)) as [number, number]
  return lift.threadRef === word.threadRef && later > earlier
}

/** The words of the author: what withholds, whoever wrote over it, else what stands there. */
function authorsWords(row: MirroredComment): WithdrawnWords {
  return heldBy(row) ?? standingText(row)
}

export function standingText(row: MirroredComment): WithdrawnWords {
  const { body, updatedAt } = row.comment
  return { text: writerOf(row) === 'other' ? '' : body, at: updatedAt }
}

function withheldBy(row: MirroredComment, threadRef: ThreadRef, people: Thread['people']): readonly Word[] {
  const { id: commentId, author, url, createdAt, body } = row.comment
  const quoted = (words: string): string => (row.comment.internal === true ? '' : words)
  const { text, at } = authorsWords(row)
  const word = {
    threadRef,
    commentId,
    author: author.login,
    url,
    ...(at > createdAt ? { isEdited: true as const } : {}),
  }
  if (judgeComment(text) === 'withdraws')
    return [{ ...word, kind: 'hold', at: Math.max(createdAt, at), text: quoted(text) }]
  if (asksForChanges(row, people)) return [{ ...word, kind: 'changes', at: createdAt, text: quoted(body) }]
  const isAnswered = row.comment.verdict === 'dismissed' && isByMaintainer(row.dismissal?.by, people)
  const line = isAnswered ? undefined : doubtIn(text)
  return line === undefined ? [] : [{ ...word, kind: 'doubt', at: Math.max(createdAt, at), text: quoted(line) }]
}

/** Only a maintainer's dismissal takes a request back; of one that was never seen before it was dismissed nobody knows what it said. */
function asksForChanges({ comment, dismissal }: MirroredComment, people: Thread['people']): boolean {
  if (comment.verdict === 'changesRequested') return true
  if (comment.verdict !== 'dismissed') return false
  const wasRequest = dismissal?.was === undefined || dismissal.was === 'changesRequested'
  return wasRequest && !isByMaintainer(dismissal?.by, people)
}

function isByMaintainer(by: ForgeAccount | undefined, people: Thread['people']): boolean {
  return by !== undefined && people.isMaintainer(by)
}

/** A verdict is its author's whoever wrote over its text, as long as the forge lists it; words have to be his own. */
export function letsGo(row: MirroredComment): boolean {
  const judgement = judgeComment(authorsWords(row).text)
  if (judgement === 'withdraws' || row.comment.verdict === 'dismissed') return false
  const isApproval = row.comment.verdict === 'approved' && row.deletedAt === undefined
  return isApproval || (judgement === 'approves' && isOwnText(row))
}
