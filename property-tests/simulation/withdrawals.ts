/** LAW-24 over the whole system: who withdrew, and who took it back, by the forge's own record of what people did. */
import { topicMarker } from '../../edges/forge/marker.ts'
import { people } from '../../standins/people.ts'
import type { HeldClaim } from '../../machines/issue/context.ts'
import type { IssueFacts, Withdrawal } from '../../machines/issue/events.ts'
import { judgeComment } from '../../machines/rules/approval-grammar.ts'
import { taskBranch } from '../../machines/rules/names.ts'
import type { ApprovalClaim } from '../../machines/task/events.ts'
import type { PlacedRow } from './evidence.ts'
import type { Entry } from './forge.ts'
import type { Outcome } from './live.ts'
import { nameOf } from './thread.ts'
import { decision, kindIn, nameIn, repositoryOf } from './trace.ts'

type Params = Readonly<Record<string, unknown>>

/** A merge is asked for on what the Issue knew by then; what comes while it is under way may come too late. */
export function withdrawalsStand({ audit, rows }: Pick<Outcome, 'audit' | 'rows'>): readonly string[] {
  const heads = headsIn(audit)
  return audit.flatMap((entry, index) => {
    if (entry.action !== 'pull.merge' || entry.actor !== people.bot) return []
    const asked = askedFor(entry, rows)
    if (!asked) return []
    const grants = (asked.params['grants'] ?? []) as readonly string[]
    const letsGo = (one: Entry): boolean => lets(one, asked.params, heads, entry)
    return grants
      .flatMap((issue) => knownOf(rows, issue, asked.place).map((one) => ({ issue, ...one })))
      .filter(({ commentId }) => stands(audit.slice(0, index), commentId, letsGo))
      .map(
        ({ issue, commentId }) =>
          `LAW-24: ${nameIn(entry)} was merged, and comment ${commentId} of ${issue} withdraws it`,
      )
  })
}

/**
 * The same of what was said in a merge request of the Task, in any of its places: the merge reads them all again, so
 * that whatever was said before it was asked for counts. A word in one merge request holds all of its Task.
 */
export function objectionsStand({
  audit,
  rows,
  objections,
}: Pick<Outcome, 'audit' | 'rows' | 'objections'>): readonly string[] {
  const heads = headsIn(audit)
  return audit.flatMap((entry, index) => {
    if (entry.action !== 'pull.merge' || entry.actor !== people.bot) return []
    const asked = askedFor(entry, rows)
    if (asked === undefined) return []
    return objections
      .filter((one) => heads.get(nameOf(one)) === heads.get(nameIn(entry)))
      .filter(({ steps, liftedAt = Infinity }) => steps < asked.place && liftedAt > index)
      .filter(({ entries }) => !audit.slice(entries, index).some((one) => lets(one, asked.params, heads, entry)))
      .map(({ place, ...one }) => `LAW-24: ${nameIn(entry)} was merged over the ${place} in ${nameOf(one)}`)
  })
}

/** LAW-24 of grants: a maintainer himself wrote what the Issue granted on, whoever wrote over it. */
export function grantsAreTheirs({ audit, rows }: Pick<Outcome, 'audit' | 'rows'>): readonly string[] {
  return rows.filter(isGranted).flatMap(({ address, seq, event }) => {
    const { commentId } = (event['claim'] as ApprovalClaim).citation ?? {}
    return commentId === undefined || audit.some((one) => approvedBy(one, commentId))
      ? []
      : [`LAW-24: ${address} ${seq} grants on comment ${commentId}, which no maintainer wrote`]
  })
}

/**
 * LAW-24 of plans (APPROVAL-19): when the maintainer approved, the issue showed the plan of the grant as the platform wrote
 * it. Three things are left out (decisions/0023). Forges date in whole seconds: what the platform wrote in the second of the
 * approval counts. Where no plan was shown, or its comment is gone at the claim, an approval older than the Task's first plan by the platform's clock speaks of
 * that one. And nobody looks at the comment where the Task has merged (APPROVAL-16).
 */
export function plansStand({ audit, rows }: Pick<Outcome, 'audit' | 'rows'>): readonly string[] {
  const heads = headsIn(audit)
  return rows.filter(isGranted).flatMap(({ address, seq, place, event }) => {
    const { task, planHash, claim } = event as unknown as HeldClaim
    const id = claim.citation?.commentId
    const known = audit.filter((one) => one.place < place)
    const at = known.findLastIndex((one) => approvedBy(one, id))
    const word = known[at]
    const isMerged = known.some((one) => one.action === 'pull.merge' && heads.get(nameIn(one)) === taskBranch(task))
    if (word === undefined || isMerged) return []
    const own = known
      .filter((one) => isPlan(one) && nameIn(one) === nameIn(word))
      .map(({ detail }) => detail?.['comment'])
    const isOfPlan = ({ detail }: Entry): boolean => own.includes(detail?.['comment'])
    const before = known.slice(0, at).findLast(isOfPlan)
    // What is gone at the claim has left no time of the forge.
    const isNone = [before, known.findLast(isOfPlan)].some(
      (one) => (one?.action ?? 'comment.delete') === 'comment.delete',
    )
    const isFirst = (one: PlacedRow): boolean => one.address === `task:${task}` && one.event['kind'] === 'plan'
    if (isNone && second(rows.find(isFirst)?.event.at ?? 0) >= second(word.at)) return []
    const inItsSecond = known.filter((one) => isOfPlan(one) && second(one.at) === second(word.at))
    return [before, ...inItsSecond].some((one) => one && isPlan(one, planHash))
      ? []
      : [`LAW-24: ${address} ${seq} grants a plan that was not shown when comment ${id} approved it`]
  })
}

function isGranted({ event, effects }: PlacedRow): boolean {
  const isGrant = (sent: unknown): boolean => (sent as { type?: string } | undefined)?.type === 'approval.granted'
  return event.type === 'approval.claimed' && effects.some(({ params }) => isGrant(params['event']))
}

/** As the platform wrote it: the plan with this hash, or any. */
function isPlan({ actor, detail }: Entry, hash = ''): boolean {
  const body = String(detail?.['body'])
  return actor === people.bot && body.includes(topicMarker('plan')) && body.includes(hash.slice(0, 8))
}

function second(at: string | number): number {
  return Math.floor(new Date(at).getTime() / 1000)
}

/** A maintainer wrote the comment so. */
function approvedBy(one: Entry, commentId: string | undefined): boolean {
  const isIt = one.action !== 'comment.delete' && String(one.detail?.['comment']) === commentId
  return isIt && one.actor === people.maintainer && judged(one) === 'approves'
}

/** The head branch of each merge request, by its name. */
export function headsIn(audit: readonly Entry[]): ReadonlyMap<string, unknown> {
  return new Map(
    audit.flatMap((entry) => (entry.action === 'pull.open' ? [[nameIn(entry), entry.detail?.['head']]] : [])),
  )
}

/** A maintainer's newer approval in any thread of the Task: its issues, and what it opened (MERGE-11). */
function lets(one: Entry, { grants }: Params, heads: ReadonlyMap<string, unknown>, merge: Entry): boolean {
  if (one.actor !== people.maintainer || !approves(one)) return false
  const issue = `/${repositoryOf(one)}-${one.number}`
  const isGranted = kindIn(one) === 'issue' && (grants as readonly string[]).some((grant) => grant.endsWith(issue))
  const head = heads.get(nameIn(one))
  return isGranted || (head !== undefined && head === heads.get(nameIn(merge)))
}

function askedFor(
  entry: Entry,
  rows: readonly PlacedRow[],
): { readonly params: Params; readonly place: number } | undefined {
  const isIt = (params: Params): boolean =>
    params['repository'] === repositoryOf(entry) && params['number'] === entry.number
  const asked = decision(rows, entry.place, 'mergeMergeRequest', isIt)
  const row = asked && rows.find(({ address, seq }) => asked.key.startsWith(`${address}/${seq}/`))
  return asked && { params: asked.params, place: row?.place ?? 0 }
}

function knownOf(rows: readonly PlacedRow[], issue: string, before: number): readonly Withdrawal[] {
  const told = rows.filter(
    ({ address, event, place }) => place <= before && event.type === 'issue.observed' && address.endsWith(issue),
  )
  return told.flatMap(({ event }) => (event['facts'] as IssueFacts).withdrawals ?? [])
}

/** A comment that approves, or an approving review. */
export function approves(one: Entry): boolean {
  if (one.action === 'review.create') return one.detail?.['event'] === 'APPROVE'
  return one.action === 'comment.create' && judged(one) === 'approves'
}

/** Its newest word by its own author withdraws, and after it nobody let go. */
function stands(before: readonly Entry[], commentId: string, letsGo: (one: Entry) => boolean): boolean {
  const own = before.findLastIndex(
    ({ actor, detail }) => actor === people.maintainer && String(detail?.['comment']) === commentId,
  )
  const word = before[own]
  if (!word || word.action === 'comment.delete' || judged(word) !== 'withdraws') return false
  return !before.slice(own + 1).some(letsGo)
}

function judged({ detail }: Entry): ReturnType<typeof judgeComment> {
  return judgeComment(String(detail?.['body'] ?? ''))
}
