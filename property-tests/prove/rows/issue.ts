/** The rows of an Issue: what each event tells it, and what follows from all it knows (ISSUE and APPROVAL, docs/rules.md). */
import { newIssue, type HeldClaim, type IssueContext } from '../../../machines/issue/context.ts'
import type { IssueEvent, IssueFacts, StandingApproval, Withdrawal } from '../../../machines/issue/events.ts'
import { taskName } from '../../../machines/rules/names.ts'
import { Asking, type Mutable, type Rows } from './draft.ts'

type EventOf<T extends IssueEvent['type']> = Extract<IssueEvent, { type: T }>
type Draft = Mutable<IssueContext>

const noOwner = { owner: '', claim: null, grant: null, implementRan: false }
const seconds = (at: number): number => Math.floor(at / 1000)

function isClosedByHuman({ facts, retired }: Draft): boolean {
  return retired || (facts !== null && facts.state === 'closed' && facts.closedBy !== 'bot')
}

/** APPROVAL-10: an approval is of the plan that could be seen when it was written, and speaks for no later one. */
function isOfNewestPlan(i: Draft, approval: StandingApproval): boolean {
  const newest = i.plans.at(-1)?.hash
  return newest === undefined || newest === planOf(i, approval)
}

/** The first plan is also of who approved in advance. */
function planOf(i: Draft, { commentId, at }: StandingApproval): string | undefined {
  const seen = i.plans.findLast((plan) => seconds(plan.at) <= seconds(at))
  return i.boundPlans[commentId] ?? (seen ?? i.plans[0])?.hash
}

function isUnedited(i: Draft, { commentId }: StandingApproval): boolean {
  return i.approvedBodies[commentId] === i.facts?.bodyHash
}

/** Decisions/0023: what was told to be withdrawn, and the newest view does not name. */
function forgottenHolds(i: Draft): readonly Withdrawal[] {
  const named = i.facts?.withdrawals ?? []
  return i.withdrawals.filter(({ commentId, at }) => !named.some((one) => one.commentId === commentId && one.at >= at))
}

function approvalsIn(i: Draft): readonly StandingApproval[] {
  const newest = Math.max(-Infinity, ...forgottenHolds(i).map(({ at }) => at))
  return (i.facts?.approvals ?? []).filter((one) => one.at > newest && !isSpent(i, one))
}

/** LAW-25: it was said of a Task that had delivered. */
function isSpent({ cameBackAt = -Infinity, boundPlans }: Draft, { commentId, at }: StandingApproval): boolean {
  return seconds(at) <= seconds(cameBackAt) || boundPlans[commentId] === ''
}

function isWithdrawn(i: Draft): boolean {
  return i.facts?.withdrawnBy !== undefined || (approvalsIn(i).length === 0 && forgottenHolds(i).length > 0)
}

function newestApproval(i: Draft): StandingApproval | undefined {
  return approvalsIn(i).findLast((one) => isUnedited(i, one) && isOfNewestPlan(i, one))
}

const sameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()
const levels = ['patch', 'minor', 'major']

/** The first conjunct of APPROVAL-2 that does not hold. */
function fault(i: Draft, held: HeldClaim): string | undefined {
  const { facts } = i
  const { claim, planHash, significance } = held
  const isNewest = planHash !== '' && i.plans.at(-1)?.hash === planHash
  if (facts === null || held.task !== i.owner) return 'issue-owned'
  if (i.delivered) return 'issue-done'
  if (isClosedByHuman(i)) return 'issue-closed'
  if (i.rejected !== '') return 'issue-rejected'
  if (claim.refusedBy !== undefined) return claim.refusedBy
  const { citation, approvingMaintainer } = claim
  if (citation === undefined) {
    const ceiling = facts.config.autoApproveMaxSignificance
    if (!facts.selfProposed || facts.humanCommented || ceiling === 'off') return 'comment-exists'
    if (isWithdrawn(i)) return 'not-withdrawn'
    const isLevel = significance !== undefined && levels.includes(significance)
    if (isLevel && levels.indexOf(significance) > levels.indexOf(ceiling)) return 'over-auto-approve-ceiling'
    return isNewest ? undefined : 'plan-newest'
  }
  const approval = approvalsIn(i).find(({ commentId }) => commentId === citation.commentId)
  if (approvingMaintainer !== undefined && !sameName(approvingMaintainer, citation.author)) return 'author-matches'
  if (approval && !sameName(approval.author, citation.author)) return 'author-is-maintainer'
  if (!approval && !isWithdrawn(i)) return 'comment-approves'
  if (isWithdrawn(i)) return 'not-withdrawn'
  if (approval && (approval.bodyHash !== citation.bodyHash || !isUnedited(i, approval))) return 'body-unchanged'
  if (isMergedByUs(i)) return undefined
  return isNewest && (!approval || isOfNewestPlan(i, approval)) ? undefined : 'plan-newest'
}

/** APPROVAL-16: its own Task merged it, and no plan speaks of it any more. */
function isMergedByUs({ facts, retired, owner }: Draft): boolean {
  if (retired || owner === '' || facts?.mergedFor !== owner) return false
  return facts.state === 'closed' && facts.closedBy === 'bot'
}

function observed(i: Draft, { facts: told, retry, at }: EventOf<'issue.observed'>, asking: Asking): void {
  const before = i.facts
  const facts =
    before?.revision !== undefined && told.revision !== undefined && before.revision > told.revision ? before : told
  i.approvedBodies = Object.fromEntries(
    facts.approvals.map(({ commentId }) => {
      const known = i.approvedBodies[commentId]
      const isCarried = known === undefined || (known === before?.bodyHash && !facts.editedByOther)
      return [commentId, isCarried ? facts.bodyHash : known]
    }),
  )
  const { withdrawals: named = [], takenBack = [] } = facts
  const kept = i.withdrawals.filter(
    (one) =>
      !takenBack.includes(one.commentId) &&
      named.every(({ commentId, at }) => commentId !== one.commentId || at < one.at),
  )
  i.withdrawals = [...kept, ...named.filter(({ commentId }) => kept.every((one) => one.commentId !== commentId))]
  i.facts = facts
  if (i.delivered) {
    if (retry === true) comeBack(i, at, asking)
    else if (before?.state !== facts.state && facts.state === 'open') showWay(i, asking)
    else if (before?.state !== facts.state) i.wayShown = false
    return
  }
  if (before?.state === 'closed' && facts.state === 'open') Object.assign(i, { held: false, retired: false })
  if (retry === true && i.owner === '') askAgain(i)
}

/** A person asks for a new Task: what stopped the last one counts no more. */
function askAgain(i: Draft): void {
  Object.assign(i, { held: false, rejected: '', urged: true })
}

/** ISSUE-9: a new life with nothing of the old one, or the word how to get it, once. */
function comeBack(i: Draft, at: number, asking: Asking): void {
  if (i.facts?.state !== 'open' || !i.facts.wanted) return showWay(i, asking)
  askAgain(i)
  const heard = [...Object.keys(i.boundPlans), ...i.facts.approvals.map(({ commentId }) => commentId)]
  const spent = { boundPlans: Object.fromEntries(heard.map((one) => [one, ''])), cameBackAt: at }
  Object.assign(i, { delivered: false, retired: false, offered: false, wayShown: false, plans: [] }, spent)
}

function showWay(i: Draft, asking: Asking): void {
  if (!i.facts || i.wayShown) return
  i.wayShown = true
  asking.ask('postComment', { ...place(i.facts), on: 'issue', body: 'words' })
}

function place({ project, repository, number }: IssueFacts): Readonly<Record<string, unknown>> {
  return { project, repository, number }
}

function owned(i: Draft, { task }: EventOf<'issue.owned'>, asking: Asking): void {
  if (i.mint?.task === task) i.mint = null
  if (i.owner !== '' && i.owner !== task) return asking.tell(`task:${task}`, 'issue.closed', { issue: i.id })
  if (i.owner !== task) Object.assign(i, noOwner, { owner: task, held: false, rejected: '' })
  if (i.offered) i.offered = false
}

function ended(i: Draft, { task, stage, reason }: EventOf<'task.ended'>): void {
  if (task === i.mint?.task) return void Object.assign(i, { mint: null, held: true })
  if (task !== i.owner) return
  if (i.projectGone) {
    Object.assign(i, noOwner, { held: false, urged: false })
    if (i.projectGone === 'back') i.projectGone = ''
    return
  }
  const isRejected = ['rejected', 'implement-declined'].includes(stage) && reason !== 'issue-closed'
  const rejected = isRejected && i.facts?.state !== 'closed' ? reason || stage : ''
  Object.assign(i, noOwner, { held: true, urged: false, rejected })
}

function commanded(i: Draft, event: EventOf<'issue.command'>, asking: Asking): void {
  const { command, by, amount = 0, at, state } = event
  const { owner, facts } = i
  if (i.delivered && command === 'retry') {
    if (facts && state) i.facts = { ...facts, state }
    return comeBack(i, at, asking)
  }
  if (command === 'retry') return owner === '' ? askAgain(i) : asking.tell(`task:${owner}`, 'task.retry', { by })
  if (command === 'cancel' && owner === '') return void (i.held = true)
  if (owner === '') return
  if (command === 'cancel') return asking.tell(`task:${owner}`, 'task.close', { by, reason: 'cancelled' })
  if (!facts) return
  const { project, tokensPerTurn } = facts.config
  if (tokensPerTurn === undefined) asking.tell(`task:${owner}`, 'budget.refused', { by, amount, left: 0 })
  else asking.tell(`ledger:${project}`, 'raise.asked', { task: owner, by, amount })
}

/** Answered in every state, and granted or refused by what is known now [APPROVAL-5]. */
function claimed(i: Draft, event: EventOf<'approval.claimed'>, asking: Asking): boolean {
  const { task, planHash, significance, claim } = event
  const held: HeldClaim = { task, planHash, claim, ...(significance === undefined ? {} : { significance }) }
  const reason = fault(i, held)
  const self = claim.citation === undefined
  if (reason === undefined) asking.tell(`task:${task}`, 'approval.granted', { issue: i.id, planHash, self })
  else asking.tell(`task:${task}`, 'approval.refused', { issue: i.id, reason })
  if (reason === undefined || (i.grant === null && task === i.owner)) i.claim = held
  return reason === undefined
}

function published(i: Draft, event: EventOf<'plan.written'>, asking: Asking): void {
  const { task, noteId, planHash, at } = event
  if (task !== i.owner || isMergedByUs(i) || i.plans.at(-1)?.hash === planHash) return
  i.plans = [...i.plans, { noteId, hash: planHash, at }].slice(-20)
  if (i.facts) asking.ask('postComment', { ...place(i.facts), on: 'issue', topic: 'plan', body: 'words' })
}

/** Whether the claim of this very event was granted in it. */
function hear(i: Draft, event: IssueEvent, asking: Asking): boolean {
  switch (event.type) {
    case 'issue.observed':
      observed(i, event, asking)
      break
    case 'issue.owned':
      owned(i, event, asking)
      break
    case 'issue.handedOver':
      if (event.task !== i.owner) break
      Object.assign(i, noOwner, { mint: { task: event.to, entry: event.entry, shared: true }, mints: i.mints + 1 })
      break
    case 'issue.offered':
      if (isOfferable(i)) i.offered = true
      break
    case 'issue.retired':
      Object.assign(i, { retired: true, held: true })
      break
    case 'issue.projectDeleted':
      Object.assign(i, { mint: null, projectGone: 'deleted' })
      break
    case 'issue.projectApplied':
      if (i.projectGone) i.projectGone = i.owner === '' ? '' : 'back'
      break
    case 'issue.agentRunning':
      if (event.task === i.owner && event.agentKind === 'implement') i.implementRan = true
      break
    case 'plan.written':
      published(i, event, asking)
      break
    case 'approval.claimed':
      return claimed(i, event, asking)
    case 'task.delivered':
      if (event.task !== i.owner) break
      if (i.facts?.state === 'open') asking.ask('closeIssue', place(i.facts))
      Object.assign(i, noOwner, { delivered: true, deliveredBy: event.task })
      break
    case 'task.ended':
      ended(i, event)
      break
    case 'issue.command':
      commanded(i, event, asking)
  }
  return false
}

function forward(i: Draft, event: EventOf<'issue.commented' | 'issue.event'>, asking: Asking): void {
  if (i.owner === '') return
  const { repository = '', number = 0 } = i.facts ?? {}
  const { author } = event
  if (event.type === 'issue.commented') {
    const { maintainer, text } = event
    const said = { repository, number, author, kind: 'issue_comment', maintainer, on: 'issue', text }
    return asking.tell(`task:${i.owner}`, 'human.commented', said)
  }
  const { kind, text } = event
  asking.tell(`task:${i.owner}`, 'forge.event', {
    repository,
    number,
    author,
    kind,
    ...(text === undefined ? {} : { text }),
  })
}

function judge(i: Draft, before: IssueContext, at: number): void {
  for (const approval of i.facts?.approvals ?? []) {
    const plan = isSpent(i, approval) ? '' : planOf(i, approval)
    if (plan !== undefined) i.boundPlans = { ...i.boundPlans, [approval.commentId]: plan }
  }
  const accepted = newestApproval(i)
  const isNew = accepted !== undefined && accepted.commentId !== before.accepted?.commentId
  if (isNew) Object.assign(i, { rejected: '', held: false })
  if (accepted) i.urged = true
  i.accepted = accepted ? { commentId: accepted.commentId, author: accepted.author } : null
  i.grant = i.claim && fault(i, i.claim) === undefined ? granted(i, i.claim, at) : null
  if (i.grant && !i.grant.self) i.boundPlans = { ...i.boundPlans, [i.grant.commentId]: i.grant.planHash }
  i.status = statusOf(i)
}

/** The grant keeps its own time while it stands. */
function granted(i: Draft, { task, planHash, claim: { citation } }: HeldClaim, at: number): IssueContext['grant'] {
  const { commentId = '', author = '', span: quote = '', bodyHash = '' } = citation ?? {}
  const fresh = { task, planHash, self: citation === undefined, commentId, author, quote, bodyHash, at }
  return i.grant && isSame(i.grant, fresh) ? i.grant : fresh
}

type Grant = NonNullable<IssueContext['grant']>

function isSame(one: Grant, other: Grant): boolean {
  const name = ({ task, planHash, commentId, bodyHash }: Grant): string =>
    [task, planHash, commentId, bodyHash].join('\n')
  return name(one) === name(other)
}

function statusOf({
  delivered,
  facts,
  retired,
  rejected,
  owner,
  grant,
  accepted,
  implementRan,
}: Draft): Draft['status'] {
  if (delivered) return 'done'
  if (retired || facts?.state === 'closed') return 'closed'
  if (rejected !== '') return 'rejected'
  if (facts === null || (owner === '' && !facts.wanted)) return 'observed'
  if (grant && implementRan) return 'implementing'
  return grant || accepted ? 'approved' : 'refined'
}

/** Unasked, the owner hears of changes, and once when it becomes the owner. */
function tellOwner(i: Draft, before: IssueContext, isAnswered: boolean, asking: Asking): void {
  const { owner, id, grant, accepted, facts } = i
  if (owner === '') return
  const isNew = owner !== before.owner
  const tell = (type: string, fields: object): void => asking.tell(`task:${owner}`, type, { ...fields })
  const stood = isNew ? null : before.grant
  if (!isAnswered && grant && !(stood && isSame(stood, grant)))
    tell('approval.granted', { issue: id, planHash: grant.planHash, self: grant.self })
  const isRevoked = !isAnswered && stood !== null && !grant
  if (isRevoked) tell('approval.revoked', { issue: id, reason: revocation(i) })
  const isCalledBack = isRevoked && accepted?.commentId !== stood.commentId && !isClosedByHuman(i)
  if (accepted && (isNew || isCalledBack || accepted.commentId !== before.accepted?.commentId))
    tell('approval.commented', { issue: id, by: accepted.author, commentId: accepted.commentId })
  if (!isNew && before.accepted && !accepted && !before.grant) tell('approval.lapsed', { issue: id })
  const [isClosed, wasClosed] = [isClosedByHuman(i), !isNew && isClosedByHuman({ ...before })]
  if (isClosed && !wasClosed) tell('issue.closed', { issue: id })
  if (!isClosed && wasClosed && facts?.state === 'open') tell('issue.reopened', { issue: id })
  if (facts?.unwantedByMaintainer && (isNew || !before.facts?.unwantedByMaintainer))
    tell('task.close', { by: 'maintainer', reason: 'the trigger label was removed' })
}

function revocation(i: Draft): string {
  if (isWithdrawn(i)) return 'withdrawn'
  return (i.claim ? fault(i, i.claim) : undefined) ?? 'withdrawn'
}

function mayMint({ owner, held, projectGone, facts, status }: Draft): boolean {
  if (projectGone === 'deleted') return false
  return owner === '' && !held && facts?.wanted === true && (status === 'refined' || status === 'approved')
}

function isForSweeps({ facts, offered, urged }: Draft): boolean {
  return facts?.swept === true && !offered && !urged
}

function isOfferable(i: Draft): boolean {
  return mayMint(i) && isForSweeps(i) && i.mint === null
}

/** One entry at most, and only while it is wanted and owned by nobody. */
function mintOrNot(i: Draft, asking: Asking): void {
  const { facts, mint } = i
  const isWanted = mayMint(i) && (mint !== null || !isForSweeps(i))
  if (!facts || mint?.shared || isWanted === (mint !== null)) return
  if (mint) {
    i.mint = null
    return asking.tell(`queue:${facts.config.project}`, 'queue.withdraw', { entry: mint.entry })
  }
  const [namespace = ''] = i.id.split('/')
  const { repository, number, selfProposed, humanCommented, url, config } = facts
  const task = `${namespace}/${taskName('implement', repository, number, `${i.id}/${i.mints}`)}`
  const priority = i.urged || humanCommented ? 20 : selfProposed ? 80 : 60
  Object.assign(i, { mint: { task, entry: `mint/${task}` }, mints: i.mints + 1, implementRan: false })
  asking.tell(`queue:${config.project}`, 'queue.enqueue', {
    ...{ entry: `mint/${task}`, sort: 'mint', task, class: 'normal', priority, kind: 'implement' },
    seed: {
      ...{ kind: 'implement', goal: 'words', repositories: [repository], mergeRequests: [], priority, config },
      issues: [{ repository, number, issue: i.id, selfProposed, humanCommented }],
      origin: { kind: 'webhook', ref: url },
    },
  })
}

/** LAW-10. */
function label(i: Draft, asking: Asking): void {
  const { facts, status } = i
  if (!facts) return
  const { brainstorming, approved, implementation, declined, priority = '' } = facts.labels
  const isInWork = ['refined', 'approved', 'implementing'].includes(status)
  const phase = status === 'refined' ? brainstorming : status === 'rejected' ? declined : isInWork ? approved : ''
  const wanted = [
    phase,
    isInWork && i.implementRan ? implementation : '',
    isInWork && (i.urged || facts.humanCommented) ? priority : '',
  ]
  const labels = [...new Set(wanted.filter((name) => name !== ''))]
  if (labels.join(' ') === (i.labels ?? []).join(' ')) return
  const names = [brainstorming, approved, implementation, declined, priority, ...(i.labels ?? [])]
  const managed = [...new Set(names.filter((name) => name !== ''))]
  i.labels = labels
  asking.ask('writeLabels', { ...place(facts), labels, managed })
}

/** Once for each comment, where its answer would change something (WORDS-3). */
function question(i: Draft, asking: Asking): void {
  const { facts } = i
  if (!facts) return
  const isOpen = i.status === 'refined' || i.status === 'rejected'
  const isFresh = facts.unclear.some((one) => !i.askedAbout.includes(one))
  i.askedAbout = facts.unclear.filter((one) => isOpen || i.askedAbout.includes(one))
  if (isOpen && isFresh) asking.ask('postComment', { ...place(facts), on: 'issue', body: 'words' })
}

const deaf: ReadonlySet<string> = new Set(['issue.owned', 'issue.retired'])
const forwarded: ReadonlySet<string> = new Set(['issue.commented', 'issue.event'])

export const issueRows: Rows = (before, told, id) => {
  const context = before ? (before.context as IssueContext) : newIssue(id)
  const event = told as unknown as IssueEvent
  const i: Draft = { ...context }
  const asking = new Asking()
  if (i.status === 'done' && deaf.has(event.type)) {
    if (event.type === 'issue.owned') asking.tell(`task:${event.task}`, 'issue.closed', { issue: i.id })
  } else if (i.status === 'done' && event.type === 'issue.commented') {
    if (/^\/retry\b/m.test(event.text)) showWay(i, asking)
    judge(i, context, event.at)
  } else if (forwarded.has(event.type)) forward(i, event as EventOf<'issue.event'>, asking)
  else if (event.type !== 'effect.failed') hearAndSettle(i, event, asking, context)
  return { leaves: [`live.${i.status}`], context: i, effects: asking.effects, timers: [] }
}

function hearAndSettle(i: Draft, event: IssueEvent, asking: Asking, before: IssueContext): void {
  const isAnswered = hear(i, event, asking)
  judge(i, before, event.at)
  tellOwner(i, before, isAnswered, asking)
  mintOrNot(i, asking)
  label(i, asking)
  question(i, asking)
}
