/**
 * What maintainers said, read from the forge's own audit log: in its order, and by a grammar that is not the platform's. On
 * GitLab a review has no words: they are a comment of their own.
 */
import type { AuditEntry } from '../local/standins.ts'
import { people } from '../../standins/people.ts'

export interface MaintainerComment {
  /** Place in the audit log. */
  readonly index: number
  readonly at: string
  readonly author: string
  readonly number: number
  /** As the platform names comments, reviews and comments on lines. */
  readonly id: string
  readonly means: 'withholds' | 'lifts' | 'nothing'
  readonly text: string
}

export function maintainerComments(audit: readonly AuditEntry[]): readonly MaintainerComment[] {
  return audit.flatMap((entry, index) => (entry.actor === people.maintainer ? commentsIn(entry, index) : []))
}

interface Details {
  readonly comment?: number
  readonly review?: number
  readonly event?: string
  readonly body?: string
  readonly comments?: readonly { readonly comment: number; readonly body: string }[]
}

function commentsIn(entry: AuditEntry, index: number): readonly MaintainerComment[] {
  const { comment, review, event, body = '', comments = [] } = (entry.detail ?? {}) as Details
  const word = (id: string, text: string, means = meaningOf(text)): MaintainerComment => {
    return { index, at: entry.at, author: entry.actor, number: entry.number ?? 0, id, means, text }
  }
  if (entry.action === 'comment.create') return [word(String(comment), body)]
  if (entry.action !== 'review.create') return []
  const whole = word(`review-${review}`, body, verdictOf(event, body))
  const lines = comments.map((line) => word(`inline-${line.comment}`, line.body))
  return body === '' && whole.means === 'nothing' ? lines : [whole, ...lines]
}

function verdictOf(event: string | undefined, body: string): MaintainerComment['means'] {
  const means = meaningOf(body)
  if (event === 'REQUEST_CHANGES') return 'withholds'
  return means === 'nothing' && event === 'APPROVE' ? 'lifts' : means
}

/** Whatever could mean a stop withholds: the people of the demo write nothing else that sounds like one. */
function meaningOf(text: string): MaintainerComment['means'] {
  if (/\/hold|\/unapprove|hold off/i.test(text)) return 'withholds'
  return /^(?:\/approve\b|approve$)/m.test(text) ? 'lifts' : 'nothing'
}

/**
 * The platform reads all threads, and then asks for the merge. A word in between comes too late for anybody, and nobody
 * but the platform knows when it read: on a busy machine that is some tenths of a second before.
 */
const underWayMs = 1_000

/** Words that withheld each merge at the moment when the forge was asked for it, answered in no thread. */
export function mergedWhileWithheld(audit: readonly AuditEntry[]): readonly string[] {
  const comments = maintainerComments(audit)
  return audit.flatMap((entry, index) => {
    if (entry.action !== 'pull.merge') return []
    const askedAt = Date.parse(String(entry.detail?.['askedAt'] ?? entry.at))
    const before = comments.filter((word) => word.index < index)
    const lastLift = before.findLastIndex(({ means }) => means === 'lifts')
    return before
      .filter((word, at) => word.means === 'withholds' && at > lastLift && Date.parse(word.at) < askedAt - underWayMs)
      .map(
        ({ author, number, text }) =>
          `#${entry.number} was merged while ${author} withheld it on #${number}: ${firstLine(text) || 'a request for changes'}`,
      )
  })
}

export function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]?.slice(0, 100) ?? ''
}
