/** LAW-24 over the whole system: who withdrew, and who took it back, by the forge's own record of what people did. */
import { people } from '../../cli/local/people.ts'
import type { IssueFacts, Withdrawal } from '../../machines/issue/events.ts'
import { judgeComment } from '../../machines/rules/approval-grammar.ts'
import type { PlacedRow } from './evidence.ts'
import type { Entry } from './forge.ts'
import type { Outcome } from './live.ts'
import { decision, repositoryOf } from './trace.ts'

/** A merge is asked for on what the Issue knew by then; what comes while it is under way may come too late. */
export function withdrawalsStand({ audit, rows }: Pick<Outcome, 'audit' | 'rows'>): readonly string[] {
  return audit.flatMap((entry) => {
    if (entry.action !== 'pull.merge' || entry.actor !== people.bot) return []
    const isIt = (params: Readonly<Record<string, unknown>>): boolean =>
      params['repository'] === repositoryOf(entry) && params['number'] === entry.number
    const asked = decision(rows, entry.place, 'mergeMergeRequest', isIt)
    if (!asked) return []
    const askedAt = rows.find(({ address, seq }) => asked.key.startsWith(`${address}/${seq}/`))?.place ?? 0
    const grants = (asked.params['grants'] ?? []) as readonly string[]
    return grants
      .flatMap((issue) => knownOf(rows, issue, askedAt).map((one) => ({ issue, ...one })))
      .filter(({ commentId }) => stands(audit.slice(0, audit.indexOf(entry)), commentId))
      .map(
        ({ issue, commentId }) =>
          `LAW-24: ${repositoryOf(entry)}#${entry.number} was merged, and comment ${commentId} of ${issue} withdraws it`,
      )
  })
}

function knownOf(rows: readonly PlacedRow[], issue: string, before: number): readonly Withdrawal[] {
  const told = rows.filter(
    ({ address, event, place }) => place <= before && event.type === 'issue.observed' && address.endsWith(issue),
  )
  return told.flatMap(({ event }) => (event['facts'] as IssueFacts).withdrawals ?? [])
}

/** Its newest word by its own author withdraws, and no maintainer approved after it. */
function stands(audit: readonly Entry[], commentId: string): boolean {
  const own = audit.findLastIndex(
    ({ actor, detail }) => actor === people.maintainer && String(detail?.['comment']) === commentId,
  )
  const word = audit[own]
  if (!word || word.action === 'comment.delete' || judged(word) !== 'withdraws') return false
  return !audit
    .slice(own + 1)
    .some(
      (one) =>
        one.action === 'comment.create' &&
        isSameThread(one, word) &&
        one.actor === people.maintainer &&
        judged(one) === 'approves',
    )
}

function isSameThread(one: Entry, other: Entry): boolean {
  return one.repository === other.repository && one.number === other.number
}

function judged({ detail }: Entry): ReturnType<typeof judgeComment> {
  return judgeComment(String(detail?.['body'] ?? ''))
}
