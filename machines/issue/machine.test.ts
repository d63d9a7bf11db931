import { describe, expect, test } from 'vitest'
import { drive, sent, types, type Drive, type DrivenEffect } from '../drive.ts'
import { grantHolds } from './context.ts'
import { aTaskConfig as config } from '../testing/a-project.ts'
import { issueMachine } from './machine.ts'

const id = 'default/lib-1'
const labels = { brainstorming: 'b', approved: 'a', implementation: 'i', declined: 'd' }
const facts = {
  project: 'default/demo',
  repository: 'lib',
  number: 1,
  state: 'open',
  title: 'Slugs lose digits',
  author: 'ann',
  url: 'http://forge/lib/issues/1',
  bodyHash: 'body-1',
  editedByOther: false,
  selfProposed: false,
  humanCommented: false,
  wanted: true,
  unwantedByMaintainer: false,
  approvals: [] as object[],
  unclear: [] as string[],
  labels,
  config,
}
const clock = 1_000_000_000
const approval = (commentId = 'c1', at = clock + 60_000) => ({
  commentId,
  author: 'maya',
  bodyHash: `hash-${commentId}`,
  at,
})
const approved = { ...facts, humanCommented: true, approvals: [approval()] }

function seen(more: object = {}): Drive {
  const issue = drive(issueMachine, id, clock)
  issue.send({ type: 'issue.observed', facts: { ...facts, ...more } })
  return issue
}
const observe = (issue: Drive, more: object = {}) =>
  issue.send({ type: 'issue.observed', facts: { ...facts, ...more } })
function owned(more: object = {}): Drive {
  const issue = seen(more)
  issue.send({ type: 'issue.owned', task: taskOf(issue) })
  return issue
}
const tasks = new WeakMap<Drive, string>()
function taskOf(issue: Drive): string {
  const task = tasks.get(issue) ?? (issue.context.mint?.task as string)
  tasks.set(issue, task)
  return task
}
const plan = (issue: Drive, planHash = 'plan-1', body = 'do it') =>
  issue.send({ type: 'plan.written', task: taskOf(issue), noteId: `note-${planHash}`, planHash, body })
const claimOf = (issue: Drive, more: object = {}, planHash = 'plan-1') => ({
  type: 'approval.claimed',
  task: taskOf(issue),
  planHash,
  claim: {
    issue: id,
    approvingMaintainer: 'Maya',
    citation: { commentId: 'c1', author: 'maya', quote: '/approve', span: '/approve', bodyHash: 'hash-c1' },
    ...more,
  },
})
function planned(): Drive {
  const issue = owned()
  plan(issue)
  issue.pass(120_000)
  return issue
}
function granted(): Drive {
  const issue = planned()
  observe(issue, approved)
  issue.send(claimOf(issue))
  return issue
}
const status = (issue: Drive) => (issue.value as { live: string }).live
const toTask = (effects: readonly DrivenEffect[]) => sent(effects, 'task').map(({ type }) => type)
const labelsOf = (effects: readonly DrivenEffect[]) => effects.find(({ type }) => type === 'writeLabels')?.params.labels

describe('observed, refined and the mint', () => {
  test('an issue that nobody wants is not in the lifecycle: no label, no Task', () => {
    const issue = drive(issueMachine, id)
    expect(issue.send({ type: 'issue.observed', facts: { ...facts, wanted: false } })).toEqual([])
    expect(status(issue)).toBe('observed')
  })
  test('wanted: refined, labelled, and one Task is asked for under a name of at most 52 characters (NAME-4) (ISSUE-RESOURCE-2, LABELS-3)', () => {
    const issue = drive(issueMachine, id)
    const effects = issue.send({ type: 'issue.observed', facts })
    expect(status(issue)).toBe('refined')
    expect(labelsOf(effects)).toEqual(['b'])
    const [entry] = sent(effects, 'queue')
    expect(entry).toMatchObject({
      type: 'queue.enqueue',
      sort: 'mint',
      class: 'normal',
      priority: 60,
      kind: 'implement',
    })
    const task = entry?.['task'] as string
    expect(task).toMatch(/^default\/implement-lib-1-[a-z0-9]{5}$/)
    expect(entry?.['entry']).toBe(`mint/${task}`)
    expect(entry?.['seed']).toMatchObject({
      kind: 'implement',
      issues: [{ repository: 'lib', number: 1, issue: id }],
      repositories: ['lib'],
    })
    expect(observe(issue)).toEqual([])
  })
  test.each([
    ['proposed by the platform', { selfProposed: true }, 80],
    ['commented by a human', { humanCommented: true }, 20],
  ])('priority of an issue %s: %s (QUEUE-1) (FORGE-RULES-5)', (_name, more, priority) => {
    const issue = drive(issueMachine, id)
    expect(sent(issue.send({ type: 'issue.observed', facts: { ...facts, ...more } }), 'queue')[0]).toMatchObject({
      priority,
    })
  })
  test('no longer wanted before it was minted: the entry is withdrawn (POD-6)', () => {
    const issue = seen()
    const { entry } = issue.context.mint
    const effects = observe(issue, { wanted: false })
    expect(sent(effects, 'queue')).toEqual([{ type: 'queue.withdraw', entry }])
    expect(labelsOf(effects)).toEqual([])
    expect(status(issue)).toBe('observed')
  })
  test('closed before it was minted: the entry is withdrawn', () => {
    const issue = seen()
    expect(sent(observe(issue, { state: 'closed' }), 'queue').map(({ type }) => type)).toEqual(['queue.withdraw'])
    expect(status(issue)).toBe('closed')
  })
  test('owned: no second Task while it lives (LAW-7, OWNERSHIP-1)', () => {
    const issue = owned()
    expect(issue.context).toMatchObject({ owner: taskOf(issue), mint: null })
    expect(observe(issue, { title: 'other' })).toEqual([])
  })
  test('an owner admitted after the label went is told to close', () => {
    const issue = seen()
    const task = taskOf(issue)
    observe(issue, { wanted: false, unwantedByMaintainer: true })
    expect(toTask(issue.send({ type: 'issue.owned', task }))).toEqual(['task.close'])
  })
  test('a second Task that claims to own the issue is sent away, and the first one keeps it (LAW-7)', () => {
    const issue = owned()
    expect(sent(issue.send({ type: 'issue.owned', task: 'default/by-hand' }), 'task')).toEqual([
      { type: 'issue.closed', issue: id },
    ])
    expect(issue.context.owner).toBe(taskOf(issue))
    issue.send({ type: 'task.ended', task: 'default/by-hand', stage: 'rejected', reason: 'issue-closed' })
    expect(issue.context.owner).toBe(taskOf(issue))
  })
  test('a Task made by hand before the admitted one came keeps the issue: the late one is sent away (LAW-7)', () => {
    const issue = seen()
    const late = taskOf(issue)
    expect(types(issue.send({ type: 'issue.owned', task: 'default/by-hand' }))).toContain('queue<queue.withdraw')
    expect(sent(issue.send({ type: 'issue.owned', task: late }), 'task')).toEqual([{ type: 'issue.closed', issue: id }])
    expect(issue.context.owner).toBe('default/by-hand')
  })
  test('trigger label removed by a maintainer: task.close, once (STAGE-7)', () => {
    const issue = owned()
    expect(toTask(observe(issue, { wanted: false, unwantedByMaintainer: true }))).toEqual(['task.close'])
    expect(toTask(observe(issue, { wanted: false, unwantedByMaintainer: true, title: 'x' }))).toEqual([])
  })
})

describe('the accepted comment', () => {
  test('approved and labelled when the comment is accepted; the owner hears who (LABELS-4, TASK-MOVES-8)', () => {
    const issue = planned()
    const effects = observe(issue, approved)
    expect(status(issue)).toBe('approved')
    expect(labelsOf(effects)).toEqual(['a'])
    expect(sent(effects, 'task')).toEqual([{ type: 'approval.commented', issue: id, by: 'maya', commentId: 'c1' }])
    expect(grantHolds(issue.context)).toBe(false)
  })
  test.each([
    ['withdrawn', { approvals: [], withdrawnBy: 'maya' }],
    ['deleted, or its author lost the right', { approvals: [] }],
    [
      'body edited by a stranger since (APPROVAL-9)',
      { approvals: [approval()], editedByOther: true, bodyHash: 'body-2' },
    ],
  ])('%s: refined again, and the owner hears that it has lapsed', (_name, more) => {
    const issue = planned()
    observe(issue, approved)
    const effects = observe(issue, more)
    expect(labelsOf(effects)).toEqual(['b'])
    expect(status(issue)).toBe('refined')
    expect(sent(effects, 'task')).toEqual([{ type: 'approval.lapsed', issue: id }])
    expect(toTask(observe(issue, { ...more, title: 'x' }))).toEqual([])
  })
  test('Issue grant/edited: an edit by a maintainer carries the approval along; a later one by a stranger does not', () => {
    const issue = planned()
    observe(issue, approved)
    observe(issue, { ...approved, bodyHash: 'body-2' })
    expect(status(issue)).toBe('approved')
    observe(issue, { ...approved, bodyHash: 'body-3', editedByOther: true })
    expect(status(issue)).toBe('refined')
    observe(issue, { ...approved, bodyHash: 'body-4' })
    expect(status(issue)).toBe('refined')
  })
  test('an author who edited before the approval voids nothing', () => {
    const issue = planned()
    observe(issue, { editedByOther: true, bodyHash: 'body-2' })
    observe(issue, { ...approved, editedByOther: true, bodyHash: 'body-2' })
    expect(status(issue)).toBe('approved')
  })
  test('of two approvals the older stands when the newest is deleted (APPROVAL-6)', () => {
    const issue = planned()
    observe(issue, { ...approved, approvals: [approval(), approval('c2', clock + 70_000)] })
    expect(issue.context.accepted.commentId).toBe('c2')
    observe(issue, approved)
    expect(status(issue)).toBe('approved')
    expect(issue.context.accepted.commentId).toBe('c1')
  })
  test('an unclear comment is asked about once (WORDS-3)', () => {
    const issue = planned()
    expect(types(observe(issue, { unclear: ['c5'] }))).toEqual(['postComment'])
    expect(observe(issue, { unclear: ['c5'], title: 'x' })).toEqual([])
    expect(types(observe(issue, { unclear: ['c5', 'c6'] }))).toEqual(['postComment'])
  })
})

describe('plans', () => {
  test('the newest plan is posted folded with its short hash (APPROVAL-11)', () => {
    const issue = owned()
    const [comment] = plan(issue, '0123456789abcdef', 'Steps </details> ask @maya')
    expect(comment).toMatchObject({
      type: 'postComment',
      params: { topic: 'plan', on: 'issue', repository: 'lib', number: 1 },
    })
    expect(comment?.params.body).toContain('01234567')
    expect(comment?.params.body.match(/<\/details>/g)).toHaveLength(1)
    expect(comment?.params.body).not.toContain('@maya')
    expect(plan(issue, '0123456789abcdef')).toEqual([])
  })
  test('a plan by anybody but the owner is none', () => {
    const issue = owned()
    expect(issue.send({ type: 'plan.written', task: 'default/other', noteId: 'n', planHash: 'p', body: 'x' })).toEqual(
      [],
    )
  })
  test('a plan that comes after a merge of its Task closed the issue takes no grant back, and is shown elsewhere', () => {
    const issue = granted()
    observe(issue, { ...approved, state: 'closed', closedBy: 'bot', mergedFor: taskOf(issue) })
    expect(
      issue.send({ type: 'plan.written', task: taskOf(issue), noteId: 'n2', planHash: 'plan-2', body: 'x' }),
    ).toEqual([])
    expect(grantHolds(issue.context)).toBe(true)
  })

  test('Issue grant/recomputed: a newer plan voids the approval and the grant (APPROVAL-10)', () => {
    const issue = granted()
    issue.pass(60_000)
    const effects = plan(issue, 'plan-2')
    expect(sent(effects, 'task')).toEqual([{ type: 'approval.revoked', issue: id, reason: 'plan-newest' }])
    expect(status(issue)).toBe('refined')
    expect(sent(issue.send(claimOf(issue, {}, 'plan-2')), 'task')).toEqual([
      { type: 'approval.refused', issue: id, reason: 'plan-newest' },
    ])
  })
  const planAt = (issue: Drive, planHash: string, at: number) =>
    issue.send({ type: 'plan.written', task: taskOf(issue), noteId: planHash, planHash, body: 'x', at })
  test('an approval that was heard before a plan does not bind to it, though the plan is dated earlier (APPROVAL-10)', () => {
    const issue = owned()
    planAt(issue, 'plan-1', clock + 1_000)
    observe(issue, approved)
    planAt(issue, 'plan-2', clock + 59_000)
    expect(issue.context.accepted).toBeNull()
    expect(toTask(issue.send(claimOf(issue, {}, 'plan-2')))).toEqual(['approval.refused'])
  })
  test('an approval that went missing and came back speaks for the plan of its first hearing (APPROVAL-10)', () => {
    const issue = owned()
    planAt(issue, 'plan-1', clock + 1_000)
    observe(issue, approved)
    observe(issue)
    planAt(issue, 'plan-2', clock + 59_000)
    observe(issue, approved)
    expect(issue.context.accepted).toBeNull()
  })
  test('an approval that is heard late speaks for no later plan than its own, however many came since (APPROVAL-10)', () => {
    const issue = owned()
    for (let number = 1; number <= 25; number += 1) planAt(issue, `plan-${number}`, clock + 60_000 + number * 1_000)
    observe(issue, approved)
    expect(issue.context.accepted).toBeNull()
    expect(toTask(issue.send(claimOf(issue, {}, 'plan-25')))).toEqual(['approval.refused'])
  })
  test('an approval before the first plan speaks for that one alone, though nobody claimed it (APPROVAL-10)', () => {
    const issue = owned()
    observe(issue, approved)
    expect(issue.context.accepted).not.toBeNull()
    plan(issue)
    expect(issue.context.accepted).not.toBeNull()
    plan(issue, 'plan-2')
    expect(toTask(issue.send(claimOf(issue, {}, 'plan-2')))).toEqual(['approval.refused'])
  })
  test('an approval before the first plan counts for that one and for no later one', () => {
    const issue = owned()
    observe(issue, approved)
    issue.pass(120_000)
    plan(issue)
    expect(toTask(issue.send(claimOf(issue)))).toEqual(['approval.granted'])
    plan(issue, 'plan-2')
    expect(toTask(issue.send(claimOf(issue, {}, 'plan-2')))).toEqual(['approval.refused'])
  })
})

describe('claims', () => {
  test('Issue claim/granted: all conjuncts hold: granted, with evidence (APPROVAL-1, APPROVAL-2)', () => {
    const issue = planned()
    observe(issue, approved)
    expect(sent(issue.send(claimOf(issue)), 'task')).toEqual([
      { type: 'approval.granted', issue: id, planHash: 'plan-1', self: false },
    ])
    expect(issue.context.grant).toMatchObject({
      commentId: 'c1',
      author: 'maya',
      quote: '/approve',
      bodyHash: 'hash-c1',
      planHash: 'plan-1',
    })
    expect(grantHolds(issue.context)).toBe(true)
  })
  test.each([
    ['the mirror contradicts a conjunct', { refusedBy: 'quote-matches' }, {}, 'quote-matches'],
    ['the named maintainer is another', { approvingMaintainer: 'mallory' }, {}, 'author-matches'],
    ['the comment does not approve or is gone', {}, { approvals: [] }, 'comment-approves'],
    ['a maintainer withdrew', {}, { approvals: [], withdrawnBy: 'max' }, 'not-withdrawn'],
    ['the comment was edited (CLAIM-12)', {}, { approvals: [{ ...approval(), bodyHash: 'other' }] }, 'body-unchanged'],
    ['no citation and a human request', { citation: undefined }, {}, 'comment-exists'],
  ])('Issue claim/refused: %s: refused with the first false conjunct (APPROVAL-4)', (_name, claim, more, reason) => {
    const issue = planned()
    observe(issue, { ...approved, ...more })
    expect(sent(issue.send(claimOf(issue, claim)), 'task')).toEqual([{ type: 'approval.refused', issue: id, reason }])
    expect(grantHolds(issue.context)).toBe(false)
  })
  test('an older plan is refused; so is one nobody wrote', () => {
    const issue = planned()
    observe(issue, approved)
    expect(sent(issue.send(claimOf(issue, {}, 'plan-0')), 'task')[0]).toMatchObject({
      type: 'approval.refused',
      reason: 'plan-newest',
    })
  })
  test('a claim by a Task that does not own the issue is answered, to that Task', () => {
    const issue = granted()
    const [effect] = issue.send({ ...claimOf(issue), task: 'default/other' })
    expect(effect?.params).toMatchObject({
      to: 'task:default/other',
      event: { type: 'approval.refused', reason: 'issue-owned' },
    })
    expect(grantHolds(issue.context)).toBe(true)
  })
  test('Issue claim/answered: every claim is answered, also without a change (APPROVAL-5)', () => {
    const issue = granted()
    expect(toTask(issue.send(claimOf(issue)))).toEqual(['approval.granted'])
    expect(toTask(issue.send(claimOf(issue)))).toEqual(['approval.granted'])
  })
  test('a bad second claim leaves the grant that stands', () => {
    const issue = granted()
    expect(toTask(issue.send(claimOf(issue, { refusedBy: 'quote-matches' })))).toEqual(['approval.refused'])
    expect(grantHolds(issue.context)).toBe(true)
  })
  test.each([
    ['closed', (issue: Drive) => observe(issue, { ...approved, state: 'closed', closedBy: 'human' }), 'issue-closed'],
    [
      'rejected',
      (issue: Drive) => issue.send({ type: 'task.ended', task: taskOf(issue), stage: 'rejected', reason: 'no' }),
      'issue-owned',
    ],
    ['done', (issue: Drive) => issue.send({ type: 'task.delivered', task: taskOf(issue) }), 'issue-owned'],
  ])('Issue claim/answered: in %s a claim is refused (E)', (_name, move, reason) => {
    const issue = granted()
    move(issue)
    expect(sent(issue.send(claimOf(issue)), 'task')).toEqual([{ type: 'approval.refused', issue: id, reason }])
  })
})

describe('revocations reach the owner, once', () => {
  test.each([
    ['withdrawal', { approvals: [], withdrawnBy: 'max' }, 'withdrawn'],
    ['deletion or a lost right', { approvals: [] }, 'comment-approves'],
    ['edit of the comment', { approvals: [{ ...approval(), bodyHash: 'edited' }] }, 'body-unchanged'],
    [
      'edit of the issue by a stranger',
      { approvals: [approval()], editedByOther: true, bodyHash: 'body-2' },
      'body-unchanged',
    ],
  ])('%s', (_name, more, reason) => {
    const issue = granted()
    expect(sent(observe(issue, more), 'task')).toEqual([{ type: 'approval.revoked', issue: id, reason }])
    expect(sent(observe(issue, { ...more, title: 'x' }), 'task')).toEqual([])
    expect(grantHolds(issue.context)).toBe(false)
  })
  test('LAW-24: a view that names a withdrawal no more grants nothing, until its author or an approval takes it back (CLAIM-11)', () => {
    const withdrawal = { commentId: 'c5', author: 'max', at: clock + 90_000 }
    const issue = granted()
    observe(issue, { approvals: [], withdrawnBy: 'max', withdrawals: [withdrawal] })
    expect(toTask(observe(issue, { ...approved, withdrawals: [] }))).toEqual([])
    expect(issue.context).toMatchObject({ status: 'refined', accepted: null, grant: null })
    expect(sent(issue.send(claimOf(issue)), 'task')).toEqual([
      { type: 'approval.refused', issue: id, reason: 'not-withdrawn' },
    ])
    expect(toTask(observe(issue, { ...approved, takenBack: ['c5'] }))).toEqual([
      'approval.granted',
      'approval.commented',
    ])
    observe(issue, { approvals: [], withdrawnBy: 'max', withdrawals: [withdrawal] })
    observe(issue, { approvals: [approval(), approval('c9', clock + 95_000)] })
    expect(issue.context.accepted).toMatchObject({ commentId: 'c9' })
  })
  test('Issue grant/recomputed: evidence that comes back grants again on the last claim', () => {
    const issue = granted()
    observe(issue, { approvals: [] })
    expect(toTask(observe(issue, approved))).toEqual(['approval.granted', 'approval.commented'])
  })
})

describe('facts of an older telling, which come last where two orchestrators work side by side', () => {
  test('do not bring back an approval that was withdrawn', () => {
    const issue = owned({ revision: 1 })
    observe(issue, { ...approved, revision: 2 })
    observe(issue, { humanCommented: true, withdrawnBy: 'maya', revision: 3 })
    expect(observe(issue, { ...approved, revision: 2 })).toEqual([])
    expect(issue.context).toMatchObject({ status: 'refined', facts: { revision: 3, approvals: [] } })
  })

  test("a maintainer's wish to begin anew that comes with them counts", () => {
    const issue = seen({ wanted: false, revision: 3 })
    issue.send({ type: 'issue.observed', facts: { ...facts, wanted: true, revision: 2 }, retry: true })
    expect(issue.context).toMatchObject({ urged: true, facts: { wanted: false, revision: 3 } })
  })
})

describe('self-grant', () => {
  const own = { selfProposed: true, config: { ...config, autoApproveMaxSignificance: 'minor' } }
  const bare = { citation: undefined, approvingMaintainer: undefined }
  function proposed(more: object = {}): Drive {
    const issue = owned({ ...own, ...more })
    plan(issue)
    return issue
  }
  test('Issue grant/self: self-proposed, no human comment, ceiling not off: granted without citation (CLAIM-18)', () => {
    const issue = proposed()
    expect(sent(issue.send(claimOf(issue, bare)), 'task')).toEqual([
      { type: 'approval.granted', issue: id, planHash: 'plan-1', self: true },
    ])
    expect(status(issue)).toBe('approved')
  })
  test.each([
    ['ceiling off', { config }, 'comment-exists'],
    ['a human commented (CLAIM-18)', { humanCommented: true }, 'comment-exists'],
    ['not proposed by the platform (CLAIM-18)', { selfProposed: false }, 'comment-exists'],
    ['a maintainer withdrew', { withdrawnBy: 'max' }, 'not-withdrawn'],
  ])('%s: refused', (_name, more, reason) => {
    const issue = proposed(more)
    expect(sent(issue.send(claimOf(issue, bare)), 'task')[0]).toMatchObject({ type: 'approval.refused', reason })
  })
  test('a declared significance above the ceiling is refused', () => {
    const issue = proposed()
    expect(sent(issue.send({ ...claimOf(issue, bare), significance: 'major' }), 'task')[0]).toMatchObject({
      reason: 'over-auto-approve-ceiling',
    })
  })
  test('Issue grant/self: void on the first human comment (APPROVAL-12)', () => {
    const issue = proposed()
    issue.send(claimOf(issue, bare))
    expect(toTask(observe(issue, { ...own, humanCommented: true }))).toEqual(['approval.revoked'])
    expect(status(issue)).toBe('refined')
  })
})

describe('implementing, done, rejected, closed', () => {
  test('the implement agent runs: its label beside the phase; implementing once granted (ISSUE-RESOURCE-2, LABELS-5)', () => {
    const issue = planned()
    const running = { type: 'issue.agentRunning', task: taskOf(issue), agentKind: 'implement' }
    expect(labelsOf(issue.send(running))).toEqual(['b', 'i'])
    expect(labelsOf(observe(issue, approved))).toEqual(['a', 'i'])
    issue.send(claimOf(issue))
    expect(status(issue)).toBe('implementing')
    expect(issue.send({ ...running, agentKind: 'review' })).toEqual([])
  })
  test('LABELS-9: a renamed label is written anew, and its old name is cleared (LABELS-9)', () => {
    const issue = planned()
    const [renamed] = observe(issue, { labels: { ...labels, brainstorming: 'new' } })
    expect(renamed?.params).toMatchObject({ labels: ['new'], managed: ['new', 'a', 'i', 'd', 'b'] })
    expect(observe(issue, { labels: { ...labels, brainstorming: 'new' }, title: 'x' })).toEqual([])
  })
  test('Issue done/absorbs: delivered: closed on the forge, labels cleared; facts are kept, and no late Task owns it (ISSUE-5, ISSUE-6)', () => {
    const issue = granted()
    const effects = issue.send({ type: 'task.delivered', task: taskOf(issue) })
    expect(types(effects)).toEqual(['closeIssue', 'writeLabels'])
    expect(labelsOf(effects)).toEqual([])
    expect(observe(issue, { approvals: [], withdrawnBy: 'max' })).toEqual([])
    observe(issue, { state: 'closed', closedBy: 'bot' })
    expect(issue.context.facts.state).toBe('closed')
    expect(status(issue)).toBe('done')
    expect(toTask(issue.send({ type: 'issue.owned', task: 'default/late' }))).toEqual(['issue.closed'])
  })
  test('a merge that closed the issue revokes nothing and is no human’s closing (LAW-18)', () => {
    const issue = granted()
    expect(sent(observe(issue, { ...approved, state: 'closed', closedBy: 'bot' }), 'task')).toEqual([])
    expect(grantHolds(issue.context)).toBe(true)
    expect(types(issue.send({ type: 'task.delivered', task: taskOf(issue) }))).not.toContain('closeIssue')
    expect(status(issue)).toBe('done')
  })
  test.each(['default/other', '', undefined])(
    'APPROVAL-16: closed by the bot with a merge of %j: a newer plan revokes, and a claim of an older plan is refused',
    (mergedFor) => {
      const issue = granted()
      observe(issue, {
        ...approved,
        state: 'closed',
        closedBy: 'bot',
        ...(mergedFor === undefined ? {} : { mergedFor }),
      })
      expect(grantHolds(issue.context)).toBe(true)
      expect(toTask(plan(issue, 'plan-2'))).toEqual(['approval.revoked'])
      expect(sent(issue.send(claimOf(issue)), 'task')).toEqual([
        { type: 'approval.refused', issue: id, reason: 'plan-newest' },
      ])
    },
  )
  test('APPROVAL-16: an issue without a Task is merged for nobody', () => {
    const issue = granted()
    const merged = { state: 'closed', closedBy: 'bot', mergedFor: '' }
    observe(issue, { ...approved, ...merged })
    issue.send({ type: 'task.ended', task: taskOf(issue), stage: 'failed', reason: 'no' })
    expect(plan(issue, 'plan-2')).toEqual([])
    expect(issue.context.plans).toHaveLength(1)
  })
  test('ISSUE-4: a grant that a late word revokes calls the Task back where a newer approval stands already', () => {
    const issue = granted()
    const approvals = [...approved.approvals, approval('c2', clock + 180_000)]
    observe(issue, { ...approved, approvals })
    const hold = { commentId: 'lib!2/9', author: 'maya', at: clock + 120_000 }
    expect(toTask(observe(issue, { ...approved, approvals: approvals.slice(-1), withdrawals: [hold] }))).toEqual([
      'approval.revoked',
      'approval.commented',
    ])
    expect(grantHolds(issue.context)).toBe(false)
  })
  test('APPROVAL-16: withdrawn after the merge: revoked, and a new approval is granted for whatever plan', () => {
    const issue = granted()
    const merged = { state: 'closed', closedBy: 'bot', mergedFor: taskOf(issue) }
    observe(issue, { ...approved, ...merged })
    expect(toTask(observe(issue, { ...approved, ...merged, approvals: [], withdrawnBy: 'maya' }))).toEqual([
      'approval.revoked',
    ])
    expect(grantHolds(issue.context)).toBe(false)
    plan(issue, 'plan-2')
    observe(issue, { ...approved, ...merged, approvals: [approval('c2', clock + 180_000)] })
    const citation = { commentId: 'c2', author: 'maya', quote: '/approve', span: '/approve', bodyHash: 'hash-c2' }
    expect(toTask(issue.send(claimOf(issue, { citation }, 'plan-2')))).toEqual(['approval.granted'])
    expect(grantHolds(issue.context)).toBe(true)
  })
  test('closed by a human: the grant is off and the owner hears both; reopened with standing evidence: approved', () => {
    const issue = granted()
    expect(toTask(observe(issue, { ...approved, state: 'closed', closedBy: 'human' }))).toEqual([
      'approval.revoked',
      'issue.closed',
    ])
    expect(status(issue)).toBe('closed')
    expect(toTask(observe(issue, approved))).toEqual(['approval.granted', 'issue.reopened'])
    expect(status(issue)).toBe('approved')
  })
  test('Issue reopened/status: reopened without evidence: refined; a final owner is dropped and a new Task is asked for (M)', () => {
    const issue = owned()
    observe(issue, { state: 'closed' })
    issue.send({ type: 'task.ended', task: taskOf(issue), stage: 'rejected', reason: 'issue-closed' })
    expect(status(issue)).toBe('closed')
    const first = taskOf(issue)
    const effects = observe(issue)
    expect(status(issue)).toBe('refined')
    expect(sent(effects, 'queue')[0]?.['task']).not.toBe(first)
  })
  test.each([
    ['rejected', 'duplicate'],
    ['implement-declined', 'not worth it'],
    ['rejected', 'cancelled'],
  ])(
    'Issue owner/ended: the owner ended %s, %s: rejected, declined label, given up, no new Task by itself (LABELS-6, TASK-MOVES-9)',
    (stage, reason) => {
      const issue = granted()
      const effects = issue.send({ type: 'task.ended', task: taskOf(issue), stage, reason })
      expect(labelsOf(effects)).toEqual(['d'])
      expect(sent(effects, 'queue')).toEqual([])
      expect(issue.context).toMatchObject({ owner: '', rejected: reason })
      expect(status(issue)).toBe('rejected')
    },
  )
  test('Issue owner/ended: the owner failed: given up, but no Task is asked for until somebody wants one (ISSUE-1)', () => {
    const issue = planned()
    expect(
      sent(issue.send({ type: 'task.ended', task: taskOf(issue), stage: 'failed', reason: 'stage-deadline' }), 'queue'),
    ).toEqual([])
    expect(observe(issue, { title: 'x' })).toEqual([])
    expect(sent(observe(issue, { ...facts, ...approved }), 'queue')[0]).toMatchObject({
      type: 'queue.enqueue',
      priority: 20,
    })
  })
  test('Issue rejected/approved: rejected and approved by a maintainer: back in the lifecycle with a new Task (ISSUE-3)', () => {
    const issue = planned()
    const first = taskOf(issue)
    issue.send({ type: 'task.ended', task: first, stage: 'rejected', reason: 'no' })
    const [entry] = sent(observe(issue, approved), 'queue')
    expect(entry).toMatchObject({ type: 'queue.enqueue', sort: 'mint' })
    expect(entry?.['task']).not.toBe(first)
    expect(status(issue)).toBe('approved')
  })
  test('an approval that stood before the rejection takes nothing back', () => {
    const issue = granted()
    issue.send({ type: 'task.ended', task: taskOf(issue), stage: 'rejected', reason: 'no' })
    expect(observe(issue, { ...approved, title: 'x' })).toEqual([])
    expect(status(issue)).toBe('rejected')
  })
  test('the end of another Task changes nothing', () => {
    const issue = granted()
    expect(issue.send({ type: 'task.ended', task: 'default/other', stage: 'rejected', reason: 'no' })).toEqual([])
    expect(issue.send({ type: 'task.delivered', task: 'default/other' })).toEqual([])
  })
})

test('an Issue goes on when the forge refuses its label or comment for good (ACTOR-6)', () => {
  const issue = planned()
  const before = JSON.stringify([issue.value, issue.context])
  for (const effect of ['writeLabels', 'postComment'])
    expect(issue.send({ type: 'effect.failed', effect, reason: 'the label cannot be written' })).toEqual([])
  expect(JSON.stringify([issue.value, issue.context])).toBe(before)
  expect(toTask(observe(issue, approved))).toEqual(['approval.commented'])
})

describe('people speak', () => {
  test('comments and events go to the owner; without one they are consumed', () => {
    const comment = { type: 'issue.commented', commentId: 'c9', author: 'ann', maintainer: false, text: 'hm' }
    expect(seen().send(comment)).toEqual([])
    const issue = owned()
    expect(sent(issue.send(comment), 'task')).toEqual([
      {
        type: 'human.commented',
        repository: 'lib',
        number: 1,
        author: 'ann',
        kind: 'issue_comment',
        maintainer: false,
        on: 'issue',
        text: 'hm',
      },
    ])
    expect(sent(issue.send({ type: 'issue.event', kind: 'issue_edited', author: 'ann' }), 'task')).toEqual([
      { type: 'forge.event', repository: 'lib', number: 1, author: 'ann', kind: 'issue_edited' },
    ])
  })
  test('/cancel closes the owner; without one it takes the entry back', () => {
    expect(sent(owned().send({ type: 'issue.command', command: 'cancel', by: 'maya' }), 'task')).toEqual([
      { type: 'task.close', by: 'maya', reason: 'cancelled' },
    ])
    const issue = seen()
    expect(
      sent(issue.send({ type: 'issue.command', command: 'cancel', by: 'maya' }), 'queue').map(({ type }) => type),
    ).toEqual(['queue.withdraw'])
    expect(observe(issue, { title: 'x' })).toEqual([])
  })
  test('LEDGER-3: /budget asks the ledger for the owner; where nothing is metered the owner says that nothing was raised', () => {
    const asked = { type: 'issue.command', command: 'budget', by: 'maya', amount: 500 }
    const unmetered = owned()
    expect(sent(unmetered.send(asked), 'task')).toEqual([{ type: 'budget.refused', by: 'maya', amount: 500, left: 0 }])
    observe(unmetered, { config: { ...config, tokensPerTurn: 10 } })
    expect(sent(unmetered.send(asked), 'ledger')).toEqual([
      { type: 'raise.asked', task: taskOf(unmetered), by: 'maya', amount: 500 },
    ])
    expect(seen().send(asked)).toEqual([])
  })
  test('/retry wakes the owner; without one it mints anew, first in line (ISSUE-2)', () => {
    const issue = owned()
    expect(sent(issue.send({ type: 'issue.command', command: 'retry', by: 'maya' }), 'task')).toEqual([
      { type: 'task.retry', by: 'maya' },
    ])
    issue.send({ type: 'task.ended', task: taskOf(issue), stage: 'rejected', reason: 'cancelled' })
    expect(sent(issue.send({ type: 'issue.command', command: 'retry', by: 'maya' }), 'queue')[0]).toMatchObject({
      type: 'queue.enqueue',
      priority: 20,
    })
    expect(status(issue)).toBe('refined')
  })
  test('the label added again by a maintainer mints anew', () => {
    const issue = owned()
    observe(issue, { wanted: false, unwantedByMaintainer: true })
    issue.send({ type: 'task.ended', task: taskOf(issue), stage: 'rejected', reason: 'cancelled' })
    expect(sent(issue.send({ type: 'issue.observed', facts, retry: true }), 'queue')[0]).toMatchObject({
      type: 'queue.enqueue',
    })
  })
  test('Issue owner/news: a set owner hears once of what stands already', () => {
    const issue = seen(approved)
    expect(toTask(issue.send({ type: 'issue.owned', task: taskOf(issue) }))).toEqual(['approval.commented'])
  })
})

describe('ADMISSION-8: an Issue whose Project is deleted', () => {
  const deleted = { type: 'issue.projectDeleted' }
  const applied = { type: 'issue.projectApplied' }
  const cancelled = (issue: Drive) => ({
    type: 'task.ended',
    task: taskOf(issue),
    stage: 'rejected',
    reason: 'cancelled',
  })

  test('gives up the mint that waited, asks for none, and asks anew when the Project is back', () => {
    const issue = seen()
    expect(sent(issue.send(deleted), 'queue')).toEqual([])
    expect(issue.context['mint']).toBeNull()
    expect(sent(observe(issue, { title: 'still wanted' }), 'queue')).toEqual([])
    expect(sent(issue.send(applied), 'queue')).toMatchObject([{ type: 'queue.enqueue' }])
    expect(issue.context['mint']).not.toBeNull()
  })

  test('takes the end of its Task for no rejection, and begins anew when the Project is back', () => {
    const issue = owned()
    issue.send(deleted)
    expect(sent(issue.send(cancelled(issue)), 'queue')).toEqual([])
    expect(issue.context).toMatchObject({ owner: '', held: false, rejected: '', urged: false })
    expect(sent(issue.send(applied), 'queue')).toMatchObject([{ type: 'queue.enqueue' }])
  })

  test('begins anew at the end of its Task where the Project is back before that', () => {
    const issue = owned()
    issue.send(deleted)
    expect(sent(issue.send(applied), 'queue')).toEqual([])
    expect(sent(issue.send(cancelled(issue)), 'queue')).toMatchObject([{ type: 'queue.enqueue' }])
    expect(issue.context).toMatchObject({ held: false, rejected: '', projectGone: '' })
  })

  test('asks for a Task after /retry, once the Project is back, and not before', () => {
    const issue = seen()
    issue.send(deleted)
    expect(sent(issue.send({ type: 'issue.command', command: 'retry', by: 'maya' }), 'queue')).toEqual([])
    expect(sent(issue.send(applied), 'queue')).toMatchObject([{ type: 'queue.enqueue', priority: 20 }])
  })

  test('hears of a Project that is applied without a deletion as of nothing', () => {
    const issue = seen()
    const before = JSON.stringify(issue.context)
    expect(issue.send(applied)).toEqual([])
    expect(JSON.stringify(issue.context)).toBe(before)
  })
})

test('every repeat of an observation changes nothing (LAW-8, ISSUE-4)', () => {
  const issue = granted()
  const before = JSON.stringify(issue.context)
  expect(observe(issue, approved)).toEqual([])
  expect(JSON.stringify(issue.context)).toBe(before)
})
