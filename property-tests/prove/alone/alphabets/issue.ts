import type { IssueContext } from '../../../../machines/issue/context.ts'
import type { IssueFacts } from '../../../../machines/issue/events.ts'
import type { TimelessEvent } from '../walk.ts'

const config = {
  project: 'default/demo',
  ...{ agentPodTTLSeconds: 3600, turnTimeoutSeconds: 1800, stallProbeGraceSeconds: 60, stallProbeMaxAttempts: 3 },
  autoApproveMaxSignificance: 'minor' as const,
  ...{ model: {}, effort: {}, permissionMode: 'bypassPermissions', repositories: [{ name: 'lib', base: 'main' }] },
}

const start = 1_800_000_000_000

const plain: IssueFacts = {
  ...{ project: 'default/demo', repository: 'lib', number: 1, state: 'open', title: 'T', author: 'rita' },
  ...{
    url: 'https://forge.test/lib/1',
    bodyHash: 'b1',
    editedByOther: false,
    selfProposed: false,
    humanCommented: false,
  },
  ...{ wanted: true, unwantedByMaintainer: false, approvals: [], unclear: [] },
  labels: {
    brainstorming: 'planning',
    approved: 'approved',
    implementation: 'in-work',
    declined: 'declined',
    priority: 'urgent',
  },
  config,
}

const approval = { commentId: 'c1', author: 'maya', bodyHash: 'h1', at: start + 5000 }
const hold = { commentId: 'c5', author: 'max', at: start + 50_000 }
const own = { selfProposed: true }

/** Each differs from the plain one in what it says. */
const variants: readonly Partial<IssueFacts>[] = [
  {},
  { wanted: false },
  { approvals: [approval] },
  { approvals: [approval], bodyHash: 'b2', editedByOther: true },
  { approvals: [approval], bodyHash: 'b2' },
  { approvals: [{ ...approval, bodyHash: 'h2' }] },
  { approvals: [{ ...approval, author: 'mona' }] },
  { approvals: [approval, { ...approval, commentId: 'c2', at: start + 90_000 }] },
  { withdrawnBy: 'maya' },
  { approvals: [approval], withdrawnBy: 'maya' },
  { withdrawnBy: 'max', withdrawals: [hold] },
  { approvals: [approval], withdrawals: [] },
  { approvals: [approval], takenBack: ['c5'] },
  { approvals: [approval], takenBack: ['c9'] },
  { approvals: [{ ...approval, at: hold.at }] },
  { approvals: [{ ...approval, at: hold.at }], withdrawals: [hold] },
  { withdrawals: [{ ...hold, at: start + 70_000 }], withdrawnBy: 'max' },
  { withdrawals: [{ ...hold, commentId: 'c6', at: start + 70_000 }], withdrawnBy: 'max' },
  { approvals: [approval, { ...approval, commentId: 'c2', at: start + 90_000 }], withdrawals: [] },
  { ...own, withdrawnBy: 'max', withdrawals: [hold] },
  { state: 'closed', closedBy: 'human' },
  { state: 'closed', closedBy: 'bot' },
  { state: 'closed', closedBy: 'bot', mergedFor: '' },
  { state: 'closed', closedBy: 'bot', mergedFor: 'default/a' },
  { state: 'closed', closedBy: 'bot', mergedFor: 'default/a', approvals: [approval] },
  { state: 'closed' },
  { ...own },
  { ...own, humanCommented: true },
  { ...own, config: { ...config, autoApproveMaxSignificance: 'off' } },
  { unwantedByMaintainer: true, wanted: false },
  { unwantedByMaintainer: true },
  { unclear: ['c7'] },
  { unclear: ['c7', 'c8'] },
  { swept: true },
  { swept: true, humanCommented: true },
  { labels: { ...plain.labels, priority: '', declined: 'planning' } },
  { config: { ...config, tokensPerTurn: 10 } },
]

function observed(more: Partial<IssueFacts>): TimelessEvent {
  return { type: 'issue.observed', facts: { ...plain, ...more } }
}

export const issueBirths: readonly TimelessEvent[] = [
  ...variants.map(observed),
  { type: 'issue.retired', reason: 'over' },
]

function claimsOf({ id, plans, owner }: IssueContext): readonly TimelessEvent[] {
  const planHash = plans.at(-1)?.hash ?? ''
  const citation = { commentId: 'c1', author: 'maya', quote: '/approve', span: '/approve', bodyHash: 'h1' }
  const claim = (more: object, fields: object = {}): TimelessEvent => ({
    type: 'approval.claimed',
    ...{ task: owner === '' ? 'default/a' : owner, planHash, claim: { issue: id, ...more } },
    ...fields,
  })
  return [
    claim({}),
    claim({}, { significance: 'major' }),
    claim({}, { significance: 'patch' }),
    claim({}, { planHash: 'older' }),
    claim({ citation, approvingMaintainer: 'maya' }),
    claim({ citation, approvingMaintainer: 'Maya' }),
    claim({ citation, approvingMaintainer: 'mona' }),
    claim({ citation: { ...citation, commentId: 'c2' } }),
    claim({ citation }, { planHash: 'older' }),
    claim({ citation }, { task: 'default/z' }),
    claim({ citation: { ...citation, bodyHash: 'h9' } }),
    claim({ citation: { ...citation, commentId: 'c9' } }),
    claim({ citation, refusedBy: 'quote-matches' }),
  ]
}

export function issueWords(context: object): readonly TimelessEvent[] {
  const known = context as IssueContext
  const tasks = [...new Set([known.owner, known.mint?.task ?? '', 'default/a', 'default/z'])].filter(
    (task) => task !== '',
  )
  const facts = known.facts ?? plain
  return [
    ...issueBirths,
    { type: 'issue.projectDeleted' },
    { type: 'issue.projectApplied' },
    { ...observed({}), retry: true },
    { ...observed({ wanted: false }), retry: true },
    ...[
      { approvals: [approval], revision: 2 },
      { approvals: [], revision: 1 },
      { approvals: [], revision: 2 },
      { withdrawnBy: 'maya', revision: 3 },
    ].map(observed),
    { ...observed({ wanted: false, revision: 1 }), retry: true },
    { type: 'issue.observed', facts: { ...facts, state: 'open' } },
    ...['human', 'bot'].map((closedBy) => ({
      type: 'issue.observed',
      facts: { ...facts, state: 'closed', closedBy, mergedFor: known.owner },
    })),
    { type: 'issue.observed', facts: { ...facts, closedBy: 'bot', mergedFor: known.owner } },
    { type: 'issue.commented', commentId: 'c3', author: 'rita', maintainer: false, text: 'hm' },
    { type: 'issue.event', kind: 'label', author: 'rita' },
    { type: 'issue.event', kind: 'label', author: 'rita', text: 't' },
    ...['cancel', 'retry'].map((command) => ({ type: 'issue.command', command, by: 'maya' })),
    { type: 'issue.command', command: 'retry', by: 'maya', state: 'open' },
    { type: 'issue.command', command: 'budget', by: 'maya', amount: 5 },
    { type: 'issue.commented', commentId: 'c4', author: 'rita', maintainer: false, text: '/retry' },
    { type: 'issue.offered' },
    { type: 'plan.written', task: '', noteId: 'n1', planHash: `p${known.plans.length}`, body: 'plan' },
    ...tasks.flatMap((task): readonly TimelessEvent[] => [
      { type: 'issue.owned', task },
      { type: 'issue.handedOver', task, to: 'default/heir', entry: 'mint/default/heir' },
      { type: 'issue.agentRunning', task, agentKind: 'implement' },
      { type: 'issue.agentRunning', task, agentKind: 'review' },
      { type: 'plan.written', task, noteId: 'n1', planHash: `p${known.plans.length}`, body: 'plan' },
      { type: 'task.delivered', task },
      { type: 'task.ended', task, stage: 'rejected', reason: 'because' },
      { type: 'task.ended', task, stage: 'rejected', reason: 'issue-closed' },
      { type: 'task.ended', task, stage: 'implement-declined', reason: '' },
      { type: 'task.ended', task, stage: 'failed', reason: 'stage-deadline' },
    ]),
    ...claimsOf(known),
    { type: 'effect.failed', effect: 'writeLabels', reason: 'no', key: 'k' },
  ]
}
