/**
 * "Citation verified" (APPROVAL-2): every conjunct holds. The first false one, in this order, is the reason of
 * `approval.refused`, stands in `stageReason` and in the comment.
 */
export const citationConjuncts = {
  'comment-exists': 'the cited comment exists on the forge',
  'issue-owned': 'it stands on an issue that this Task owns',
  'author-matches': 'its author is the named `approving_maintainer`',
  'author-is-maintainer': 'its author is a maintainer now, and not a bot',
  'quote-matches': 'the quote is in its text',
  'comment-approves': 'the comment itself passes the approval grammar',
  'not-withdrawn': 'no maintainer withdrew it since',
  'body-unchanged': 'its text is the one that was mirrored',
  'one-per-issue': 'there is exactly one citation for each live issue',
  'plan-newest': 'the plan note is the newest plan of this Task, and the approval is not of an older one',
  'plan-shown':
    "the plan's comment stands as the platform wrote it, and nobody changed it after the approval; the platform writes it anew, then a new `/approve` is needed",
} as const
export type CitationConjunct = keyof typeof citationConjuncts

/** What was looked up; a conjunct that is not named was not looked at here. */
export type CitationChecks = Partial<Record<CitationConjunct, boolean>>

export function refusedConjunct(checks: CitationChecks): CitationConjunct | undefined {
  return (Object.keys(citationConjuncts) as CitationConjunct[]).find((conjunct) => checks[conjunct] === false)
}
