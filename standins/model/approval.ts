/**
 * Which comment a scripted agent would cite as the go-ahead. A reading of the approval grammar (WORDS,
 * docs/rules.md) that is good enough to choose a comment; the orchestrator alone decides whether it counts.
 */
import { people } from '../people.ts'
import type { BundleComment, BundleThread } from './bundle.ts'

export interface Approval {
  readonly external_id: string
  readonly author: string
  readonly body: string
  /** The line that approves, verbatim. */
  readonly quote: string
}

const approves =
  /^(\/approve(\s.*)?|(approved?|lgtm|go ahead|ship it|please (proceed|implement)|sounds good|\+1)[.!]*)$/i
const withdraws =
  /^(\/unapprove(\s.*)?|\/hold(\s.*)?|(hold off|stop|do not implement|don't implement|revoke|withdraw)[.!]*)$/i

/** Of the platform, below an approval that it refused: that one counts no more, unless the citation alone was wrong. */
export const refused = 'The platform could not verify the approval'
export const citesAnew = 'let the agent try again'

/** Of the local forge's people: a bundle does not tell who is a maintainer, and a claim by their words parks the Task. */
const others: readonly string[] = [people.reporter, people.stranger]

/** Of a time, as far as the bundle has it. */
const minutes = 'yyyy-mm-ddThh:mm'.length

/**
 * The newest human comment that decides wins; a withdrawal does so in any thread of the Task. `plannedAt`: an approval from before
 * the newest plan is of another one.
 */
export function approvalOf(
  issue: BundleThread | undefined,
  requests: readonly Pick<BundleThread, 'comments'>[] = [],
  plannedAt = '',
): Approval | undefined {
  const withdrawn = requests
    .flatMap(({ comments }) => comments)
    .filter((comment) => counts(comment) && lineOf(comment, withdraws) !== undefined)
  for (const comment of (issue?.comments ?? []).toReversed()) {
    if (comment.bot && comment.body.startsWith(refused) && !comment.body.includes(citesAnew)) return undefined
    if (!counts(comment)) continue
    if (lineOf(comment, withdraws) !== undefined || withdrawn.some((one) => !isBefore(one, comment))) return undefined
    const quote = lineOf(comment, approves)
    if (quote !== undefined && comment.at.slice(0, minutes) < plannedAt.slice(0, minutes)) return undefined
    if (quote !== undefined)
      return { external_id: comment.external_id, author: comment.author, body: comment.body, quote }
  }
  return undefined
}

function counts({ bot, author }: BundleComment): boolean {
  return !bot && !others.includes(author)
}

/** Bundles name the minute; within it ids grow. */
function isBefore(one: BundleComment, other: BundleComment): boolean {
  return one.at === other.at ? Number(one.external_id) < Number(other.external_id) : one.at < other.at
}

function lineOf(comment: BundleComment, pattern: RegExp): string | undefined {
  const lines = comment.body.split('\n').map((line) => line.trim())
  return lines.find((line) => !line.startsWith('>') && pattern.test(line.replaceAll(/@[\w-]+/g, '').trim()))
}
