/** What an agent of a review pod said and the platform accepted, whatever the machines make of it, and what was merged on it. */
import { people } from '../../standins/people.ts'
import type { Said } from './agents.ts'
import type { Entry } from './forge.ts'
import type { Outcome } from './live.ts'
import { baseSeen, nameIn, repositoryOf } from './trace.ts'

type Evidence = Pick<Outcome, 'audit' | 'said' | 'rows' | 'looks'>

export function onlyReviewedHeadsAreMerged({ audit, said, rows }: Evidence): readonly string[] {
  return audit.flatMap((entry) =>
    !isOwnMerge(entry) || verdictOn(entry, said, rows)
      ? []
      : [`reviewed: ${nameIn(entry)} was merged at ${entry.sha?.slice(0, 7)}, which nobody had approved`],
  )
}

/** HEAD-1: a verdict is on a head against a base, which is the one that its turn named. */
export function mergesAreIntoTheJudgedBase({ audit, said, rows, looks }: Evidence): readonly string[] {
  return audit.flatMap((entry, index) => {
    const verdict = isOwnMerge(entry) ? verdictOn(entry, said, rows) : undefined
    const [read, base] = [verdict?.bases?.get(repositoryOf(entry)), baseSeen({ audit, looks }, index)]
    return verdict === undefined || read === base
      ? []
      : [`judged: ${nameIn(entry)} was merged into ${base}, and was approved against ${read ?? 'no base'}`]
  })
}

function isOwnMerge({ action, actor }: Entry): boolean {
  return action === 'pull.merge' && actor === people.bot
}

function verdictOn({ sha = '', place }: Entry, said: Evidence['said'], rows: Evidence['rows']): Said | undefined {
  return said.findLast(
    (one) =>
      one.kind === 'review' &&
      one.action === 'approve' &&
      one.place <= place &&
      JSON.stringify(one.payload).includes(sha) &&
      isTaken(one, rows),
  )
}

/** Of one that did not live to hear so, the journal says whether it was. */
function isTaken({ pod, status, payload }: Said, rows: Evidence['rows']): boolean {
  if (status !== undefined) return status === 200
  return rows.some(
    ({ address, event, answer }) =>
      `${address}/${String(event['pod'])}` === `task:${pod}` &&
      answer?.status === 200 &&
      JSON.stringify(event['payload']) === JSON.stringify(payload),
  )
}
