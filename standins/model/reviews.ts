/** What the reviews of a merge request say, read from its comments: the bundle has no element of its own for them. */
import type { BundleComment, BundleThread } from './bundle.ts'

export type Verdict = 'request_changes' | 'approve'

const stated = /\bverdict\W{0,8}(approve|request[_ -]?changes|changes requested)/i
const requests = /^\W*(request(ed|s)?[_ -]changes|changes requested)/im
const approves = /^\W*approved?\b/i

/** Oldest first. Inline comments, which have a path, are findings of a review and no review of their own. */
export function verdictsOf(mergeRequest: BundleThread | undefined): readonly Verdict[] {
  const comments = mergeRequest?.comments ?? []
  const said = comments.filter((comment) => comment.path === undefined).flatMap(verdictOf)
  const findings = comments.some(
    (comment) => comment.path !== undefined && comment.in_reply_to === undefined && comment.bot,
  )
  return said.length === 0 && findings ? ['request_changes'] : said
}

function verdictOf(comment: BundleComment): readonly Verdict[] {
  const word = stated.exec(comment.body)?.[1]
  if (word !== undefined) return [/^approve/i.test(word) ? 'approve' : 'request_changes']
  if (!comment.bot) return []
  if (requests.test(comment.body)) return ['request_changes']
  return approves.test(comment.body) ? ['approve'] : []
}
