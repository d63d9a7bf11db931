/**
 * The words of maintainers about an issue, judged as a whole: each as far as it is known to be its author's own. In the merge
 * requests of its Task (`elsewhere`) they withdraw and take back as on the issue itself; what is planned is approved on the issue alone.
 */
import type { IssueFacts } from '../../../../machines/issue/events.ts'
import {
  judgeThread,
  type Elsewhere,
  type Hands,
  type ThreadComment,
} from '../../../../machines/rules/approval-grammar.ts'
import { heldBy, isDeletedByAuthor, isTakenBack, withdraws, writerOf } from './hands.ts'
import type { People } from './people.ts'
import type { MirroredComment } from './records.ts'
import { standingText, wordsIn, type Thread } from './words.ts'

type Judged = Required<Pick<IssueFacts, 'approvals' | 'withdrawals' | 'takenBack' | 'unclear'>> &
  Pick<IssueFacts, 'withdrawnBy'>

export function judgedThread(
  thread: readonly MirroredComment[],
  people: People,
  elsewhere: readonly Thread[] = [],
): Judged {
  const words = thread.filter(({ comment }) => comment.sort === 'comment' && people.isMaintainer(comment.author))
  const judged = judgeThread(
    words.filter((one) => !isDeletedByAuthor(one)).map(threadCommentOf),
    // An account of ours is no maintainer, whatever the lists say.
    { isMaintainer: () => true, isBot: () => false },
    wordsElsewhere(elsewhere),
  )
  const { approvals, withdrawnBy, withdrawals, unclear } = judged
  return {
    approvals: [...approvals],
    ...(withdrawnBy === undefined ? {} : { withdrawnBy }),
    withdrawals: [...withdrawals],
    takenBack: [...words.filter(isTakenBack).map(idOf), ...elsewhere.flatMap(takenBackIn)],
    unclear: [...unclear, ...(withdrawnBy === undefined ? [] : words.filter(isPerhapsTakenBack).map(idOf))],
  }
}

function idOf({ comment }: MirroredComment): string {
  return comment.id
}

/** Ids are unique within one repository only. */
function nameOf({ repository, number }: Thread['threadRef'], commentId: string): string {
  return `${repository}!${number}/${commentId}`
}

function wordsElsewhere(threads: readonly Thread[]): Elsewhere {
  const words = threads.map(wordsIn)
  const holds = words.flatMap(({ withheld }) => withheld).filter(({ kind }) => kind === 'hold')
  return {
    withdrawals: holds.map(({ threadRef, commentId, author, at }) => ({
      commentId: nameOf(threadRef, commentId),
      author,
      at,
    })),
    lifts: words.flatMap(({ lifts }) => lifts.map(({ at }) => at)),
  }
}

function takenBackIn({ threadRef, rows, people }: Thread): readonly string[] {
  const taken = rows.filter((row) => people.isMaintainer(row.comment.author) && isTakenBack(row))
  return taken.map(({ comment }) => nameOf(threadRef, comment.id))
}

/** He may have edited it himself, unheard: only he can say so, by a word of its own. */
function isPerhapsTakenBack(row: MirroredComment): boolean {
  return row.deletedAt === undefined && writerOf(row) === 'unknown' && isWithdrawn(row)
}

/** Other hands left words of it that withdraw. */
function isWithdrawn({ withdrawal }: MirroredComment): boolean {
  return withdrawal !== undefined && withdraws(withdrawal.text)
}

/** A doubt takes no grant away (WORDS-7): of words kept, only those that withdraw stand for the text. */
function threadCommentOf(row: MirroredComment): ThreadComment {
  const { id, author, createdAt } = row.comment
  const held = heldBy(row)
  const { text, at } = held && withdraws(held.text) ? held : standingText(row)
  return {
    commentId: id,
    author: author.login,
    text,
    hands: handsOf(row),
    bodyHash: row.bodyHash,
    at: createdAt,
    ...(at > createdAt ? { editedAt: at } : {}),
  }
}

function handsOf(row: MirroredComment): Hands {
  const writer = writerOf(row)
  if (row.deletedAt !== undefined || isWithdrawn(row) || writer === 'other') return 'gone'
  return writer === 'author' ? 'own' : 'unknown'
}
