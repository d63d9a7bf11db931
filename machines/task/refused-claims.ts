/** What lets a Task go on whose claim was refused, for each reason: its comment on the issue says it (APPROVAL-3). */
import type { citationConjuncts } from '../rules/citation.ts'

const comments = 'A maintainer can let the agent try again with a comment on this issue.'
const approves = 'A maintainer can approve with a new comment `/approve` on this issue.'

type Claimed = keyof typeof citationConjuncts | 'issue-closed' | 'issue-rejected' | 'over-auto-approve-ceiling'

const ways = new Map(
  Object.entries({
    'comment-exists': `The agent cited no comment on this issue. ${approves}`,
    'issue-owned':
      'This issue is not of the Task. A maintainer can continue the Task with a comment on an issue of its own.',
    'author-matches': `The agent named somebody else than the author of the comment. ${comments}`,
    'author-is-maintainer': `The author of the comment is no maintainer. ${approves}`,
    'quote-matches': `The words that the agent quoted do not stand in the comment. ${comments}`,
    'comment-approves': `The comment approves nothing by itself, or somebody else than its author edited or deleted it. ${approves}`,
    'not-withdrawn': `A maintainer withdrew the approval, and an ordinary comment does not undo that. ${approves}`,
    'body-unchanged': `The issue or the comment was edited after the approval. ${approves}`,
    'one-per-issue': `The agent has to cite one approval for each open issue of the Task. ${comments}`,
    'plan-newest': `There is a newer plan than the approved one. ${approves}`,
    'plan-shown': `The comment that shows the plan was not as the platform wrote it, or it changed after the approval. The platform has put it right: please read it. ${approves}`,
    'issue-closed': 'The issue is closed. A maintainer can reopen it and then approve with a new comment `/approve`.',
    'issue-rejected': `The issue was rejected. ${approves}`,
    'over-auto-approve-ceiling': `The change is too significant to go in without a maintainer. ${approves}`,
  } satisfies Record<Claimed, string>),
)

/** A reason that is none of these is the agent's own fault, as a plan that it did not write. */
export function wayOut(reason: string): string {
  return ways.get(reason) ?? comments
}
