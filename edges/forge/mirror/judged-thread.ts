/** The words of maintainers in a thread, judged as a whole: each as far as it is known to be its author's own. */
import type { IssueFacts } from '../../../machines/issue/events.ts'
import { judgeThread, type Hands, type ThreadComment } from '../../../machines/rules/approval-grammar.ts'
import { isDeletedByAuthor, isTakenBack, writerOf } from './hands.ts'
import type { People } from './people.ts'
import type { MirroredComment } from './records.ts'

type Judged = Required<Pick<IssueFacts, 'approvals' | 'withdrawals' | 'takenBack' | 'unclear'>> &
  Pick<IssueFacts, 'withdrawnBy'>

export function judgedThread(thread: readonly MirroredComment[], people: People): Judged {
  const words = thread.filter(({ comment }) => comment.sort === 'comment' && people.isMaintainer(comment.author))
  const judged = judgeThread(
    words.filter((one) => !isDeletedByAuthor(one)).map(threadCommentOf),
    // An account of ours is no maintainer, whatever the lists say.
    { isMaintainer: () => true, isBot: () => false },
  )
  const { approvals, withdrawnBy, withdrawals, unclear } = judged
  return {
    approvals: [...approvals],
    ...(withdrawnBy === undefined ? {} : { withdrawnBy }),
    withdrawals: [...withdrawals],
    takenBack: words.filter(isTakenBack).map(({ comment }) => comment.id),
    unclear: [...unclear, ...(withdrawnBy === undefined ? [] : words.filter(isPerhapsTakenBack).map(idOf))],
  }
}

function idOf({ comment }: MirroredComment): string {
  return comment.id
}

/** He may have edited it himself, unheard: only he can say so, by a word of its own. */
function isPerhapsTakenBack(row: MirroredComment): boolean {
  return row.deletedAt === undefined && row.withdrawal !== undefined && writerOf(row) === 'unknown'
}

function threadCommentOf(row: MirroredComment): ThreadComment {
  const { id, author, createdAt } = row.comment
  const { text, at } = wordsOf(row)
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

/** What another wrote in his name is nobody's word. */
function wordsOf(row: MirroredComment): { readonly text: string; readonly at: number } {
  const { body, updatedAt } = row.comment
  return row.withdrawal ?? { text: writerOf(row) === 'other' ? '' : body, at: updatedAt }
}

function handsOf(row: MirroredComment): Hands {
  const writer = writerOf(row)
  if (row.deletedAt !== undefined || row.withdrawal !== undefined || writer === 'other') return 'gone'
  return writer === 'author' ? 'own' : 'unknown'
}
