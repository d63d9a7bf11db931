import { withChanges } from './context.ts'
import { describe, expect, test } from 'vitest'
import {
  ATask,
  anIssue,
  granted,
  inReview,
  inReviewOfTwo,
  issueId,
  opening,
  parkedBy,
  reviewTask,
  taskId,
} from '../testing/a-task.ts'

const running = () => new ATask().mint().running()
const code = (task: ATask) => [task.answer?.status, task.answer?.body['code']]

describe('who may speak', () => {
  test('OUTCOME-RULE-1: an older pod is superseded (OUTCOME-12)', () => {
    const task = granted().final('lost').running().outcome('declined', { decline_reason: 'x' }, { pod: 1 })
    expect(code(task)).toEqual([409, 'pod-superseded'])
    expect(task.stage).toBe('implementing')
  })

  test('without a live pod there is no agent kind', () => {
    expect(code(granted().final('lost').outcome('discuss', { reason: 'x' }))).toEqual([409, 'agent-kind-empty'])
  })

  test('another kind than the live pod is a mismatch (OUTCOME-6)', () => {
    expect(code(granted().outcome('submitted', {}, { kind: 'upgrade' }))).toEqual([409, 'kind-mismatch'])
  })

  test('Task final/anything: an ended Task takes nothing: task-terminal (OUTCOME-7)', () => {
    expect(code(granted().send('task.close', { by: 'a' }).outcome('discuss', { reason: 'x' }))).toEqual([
      409,
      'task-terminal',
    ])
  })

  test('Task parks/outcome: LAW-21: nothing a pod says moves a park', () => {
    const task = granted().send('effect.failed', { effect: 'postReview', reason: 'x', key: 'k' }).submit()
    expect(code(task)).toEqual([409, 'conflict'])
    expect(task.stage).toBe('operator-error')
  })

  test('an outcome before pod.working is taken: the agent was faster than the watch', () => {
    expect(new ATask().mint().slot().outcome('discuss', { reason: 'x' }).stage).toBe('awaiting-human')
  })

  test('OUTCOME-RULE-2: the same body by the same pod gets the same answer and moves nothing again', () => {
    const task = granted().outcome('discuss', { reason: 'x' }, { digest: 'd' })
    const first = task.answer
    task.outcome('discuss', { reason: 'x' }, { digest: 'd' })
    expect(task.answer).toEqual(first)
    expect(task.did).toEqual(['answer'])
  })

  test('OUTCOME-RULE-2: also after the Task ended (OUTCOME-8)', () => {
    const task = granted().outcome('rejected', { reason: 'x' }, { digest: 'd' })
    const first = task.answer
    expect(task.outcome('rejected', { reason: 'x' }, { digest: 'd' }).answer).toEqual(first)
  })

  test('OUTCOME-RULE-2, LAW-15: another stage-moving outcome of the pod is refused, also when a comment reopened the stage (OUTCOME-9)', () => {
    const task = granted().outcome('discuss', { reason: 'x' }).comment().outcome('declined', { decline_reason: 'y' })
    expect(code(task)).toEqual([409, 'outcome-recorded'])
    expect(task.stage).toBe('implementing')
  })

  test('the next pod may decide again', () => {
    expect(parkedBy('discuss').comment().running().outcome('discuss', { reason: 'y' }).stage).toBe('awaiting-human')
  })
})

describe('approved', () => {
  const claims = [
    {
      issue: issueId,
      citation: { commentId: 'c1', author: 'alice', quote: 'go ahead', span: 'go ahead', bodyHash: 'b' },
      approvingMaintainer: 'alice',
    },
  ]

  test('Task implementing/approved: is claimed from every live issue with the plan, and the stage stays (OUTCOME-2, OUTCOME-IMPLEMENT-13)', () => {
    const task = running()
      .planned()
      .outcome('approved', { plan_note_id: 'note-1', approving_maintainer: 'alice' }, { claims })
    expect(task.answer).toEqual({
      status: 200,
      body: { accepted: true, task: { stage: 'implementing' }, outcomeId: 'outcome-1' },
    })
    expect(task.told('issue')).toEqual([
      { type: 'approval.claimed', task: taskId, planHash: 'plan-1', claim: claims[0] },
    ])
    expect(task.pod).toEqual({ working: 'busy' })
  })

  test('Task implementing/approved: one claim in flight at a time (OUTCOME-11)', () => {
    const task = running().planned().claimed().claimed()
    expect(code(task)).toEqual([409, 'outcome-recorded'])
    expect(task.told('issue')).toEqual([])
  })

  test('OUTCOME-10: the same claim again gets the same answer and is claimed no second time, while it is judged and after the grant (OUTCOME-8)', () => {
    const claim = () => task.outcome('approved', { plan_note_id: 'note-1' }, { digest: 'd' })
    const task = running().planned()
    const first = claim().answer
    expect([claim().answer, task.did]).toEqual([first, ['answer']])
    task.grant()
    const known = task.context
    expect([claim().answer, task.did]).toEqual([first, ['answer']])
    expect(task.context).toEqual(known)
  })

  test.each([
    ['a withdrawal', 'approval.revoked'],
    ['an issue that is open again', 'issue.reopened'],
    ['a refusal', 'approval.refused'],
  ])('OUTCOME-10: after %s the same words are another claim', (_what, type) => {
    const other = { ...anIssue, number: 2, issue: 'default/lib-2' }
    const task = new ATask()
      .mint({ issues: [anIssue, other] })
      .running()
      .planned()
    const claim = () => task.outcome('approved', { plan_note_id: 'note-1' }, { digest: 'd' })
    claim().grant().grant({ issue: other.issue })
    task.send(type, { issue: issueId, reason: 'x' })
    if (task.stage !== 'implementing') task.comment({ maintainer: true })
    expect(claim().told('issue').length).toBe(2)
  })

  test('OUTCOME-10: where nothing gates the Task, it is told so once', () => {
    const task = new ATask().mint({ issues: [] }).running()
    const claim = () => task.outcome('approved', { plan_note_id: 'x' }, { digest: 'd' })
    const first = claim().answer
    expect([claim().answer, task.context.journal.pending.length]).toEqual([first, 1])
  })

  test('OUTCOME-10: the next pod claims for itself', () => {
    const task = running().planned().outcome('approved', { plan_note_id: 'note-1' }, { digest: 'd' }).grant()
    task.final('lost').running().outcome('approved', { plan_note_id: 'note-1' }, { digest: 'd' })
    expect(task.told('issue').length).toBe(1)
  })

  test('APPROVAL-5: once it is answered, granted or refused, another may follow', () => {
    const task = running().planned().claimed().grant().claimed()
    expect(task.answer?.status).toBe(200)
    expect(task.told('issue').length).toBe(1)
  })

  test.each([
    ['a plan that does not exist', 'nope', 'plan-missing'],
    ['a plan that a newer one replaced', 'note-1', 'plan-superseded'],
    ['a note that is no plan', 'note-3', 'plan-missing'],
  ])('%s is refused by the Issue under its name (CLAIM-15)', (_name, id, refusedBy) => {
    const task = running()
      .planned('note-1', 'h1')
      .planned('note-2', 'h2')
      .send('note.written', { pod: 1, id: 'note-3', kind: 'note', body: '', bodyHash: 'h3' })
    task.outcome('approved', { plan_note_id: id })
    expect(task.told('issue')[0]?.['claim']).toMatchObject({ refusedBy })
  })

  test('what the mirror contradicts keeps its name', () => {
    const task = running().outcome(
      'approved',
      { plan_note_id: 'nope' },
      { claims: [{ issue: issueId, refusedBy: 'author' }] },
    )
    expect(task.told('issue')[0]?.['claim']).toMatchObject({ refusedBy: 'author' })
  })

  test('it does not use up the pod: submitted may follow', () => {
    const task = running().planned().claimed().grant().submit()
    expect(task.stage).toBe('reviewing')
  })

  test('a Task that never owned an issue is told that nothing gates it', () => {
    const task = new ATask().mint({ issues: [] }).running().outcome('approved', { plan_note_id: 'x' })
    expect(task.answer?.status).toBe(200)
    expect(task.ended().told('pod')).toEqual([{ type: 'turn.requested', eventsUpTo: 1 }])
  })
})

describe('rejected, declined, discuss', () => {
  test('Task implementing/rejected: OUTCOME-RULE-5: rejected ends the Task; its issue learns so, the forge issue stays open, and the comment waits for the pod (OUTCOME-IMPLEMENT-18)', () => {
    const task = granted().outcome('rejected', { reason: 'out of scope' })
    expect([task.stage, task.reason, task.pod]).toEqual(['rejected', 'rejected', 'stopping'])
    expect(task.told('issue')).toEqual([{ type: 'task.ended', task: taskId, stage: 'rejected', reason: 'rejected' }])
    expect(task.did).not.toContain('postComment')
    task.final()
    expect(task.only('postComment')[0]).toMatchObject({ repository: 'lib', number: 1, on: 'issue' })
    expect(task.only('postComment')[0].body).toContain('out of scope')
    expect(task.only('postComment')[0].body).toContain('/retry')
    expect(task.did).not.toContain('closeIssue')
    expect(task.status).toBe('done')
  })

  test('Task implementing/declined: OWNERSHIP-2: declined parks for good and gives its issues up (TASK-MOVES-7)', () => {
    const task = granted().outcome('declined', { decline_reason: 'unsafe' })
    expect([task.stage, task.reason]).toEqual(['implement-declined', 'declined'])
    expect(task.told('issue')).toEqual([
      { type: 'task.ended', task: taskId, stage: 'implement-declined', reason: 'unsafe' },
    ])
    expect(task.context.forge.issues).toEqual([])
    expect(task.final().only('postComment')[0].body).toContain('unsafe')
  })

  test('PARK-5: no comment, retry, grant or failure leads out of implement-declined, but closing it does (OUTCOME-IMPLEMENT-17, TASK-MOVES-7)', () => {
    const task = granted().outcome('declined', { decline_reason: 'unsafe' }).final()
    task
      .comment({ maintainer: true })
      .send('task.retry', { by: 'a' })
      .grant()
      .send('effect.failed', { effect: 'x', reason: 'y', key: 'k' })
    expect(task.stage).toBe('implement-declined')
    expect(task.send('task.retry', { by: 'a' }).answer?.status).toBe(409)
    expect(task.send('task.close', { by: 'a' }).stage).toBe('rejected')
  })

  test('a declined Task that gave up its issues is not ungated by that', () => {
    expect(granted().outcome('declined', { decline_reason: 'x' }).context.forge.everOwnedIssue).toBe(true)
  })

  test('Task same/discuss: OUTCOME-RULE-4: an implement Task may discuss without a merge request, on its issue (OUTCOME-IMPLEMENT-15, OUTCOME-IMPLEMENT-16)', () => {
    const task = granted().outcome('discuss', { reason: 'which way?' })
    expect([task.stage, task.reason]).toEqual(['awaiting-human', 'discuss'])
    expect(task.final().only('postComment')).toEqual([
      { project: 'default/demo', repository: 'lib', number: 1, on: 'issue', body: 'which way?' },
    ])
  })

  test('with an open merge request it discusses there', () => {
    const task = inReview().requestChanges().final().running().outcome('discuss', { reason: 'really?' }).final()
    expect(task.only('postComment')[0]).toMatchObject({ on: 'mr', number: 7 })
  })
})

describe('submitted', () => {
  test('Task same/submitted: goes to reviewing.opening at the call, and asks the forge for nothing while the pod lives (OUTCOME-13)', () => {
    const task = granted().submit()
    expect([task.stage, task.pod]).toEqual(['reviewing', 'stopping'])
    expect(task.answer?.body).toMatchObject({ accepted: true, task: { stage: 'reviewing' } })
    expect(task.did).toEqual(['answer', 'pod<pod.stop'])
  })

  test('LAW-3: a live issue without a grant refuses it by name, with what to do (OUTCOME-IMPLEMENT-10)', () => {
    const task = running().planned().submit()
    expect(code(task)).toEqual([409, 'approval-required'])
    expect(task.answer?.body['issues']).toEqual([
      {
        repo: 'lib',
        number: 1,
        issue: issueId,
        detail: 'needs-maintainer-comment',
        guidance: expect.stringContaining('maintainer'),
      },
    ])
  })

  test('APPROVAL-1: a comment without a grant needs the approval tool', () => {
    const task = running()
      .planned()
      .send('approval.commented', { issue: issueId, by: 'alice', commentId: 'c' })
      .submit()
    expect(task.answer?.body['issues']).toMatchObject([{ detail: 'needs-approval-tool' }])
  })

  test('Task any/approval.lapsed: an approval that was taken back before its grant needs the maintainer again', () => {
    const task = running()
      .planned()
      .send('approval.commented', { issue: issueId, by: 'alice', commentId: 'c' })
      .send('approval.lapsed', { issue: issueId })
      .submit()
    expect(task.answer?.body['issues']).toMatchObject([{ detail: 'needs-maintainer-comment' }])
  })

  test('it moves nothing else: no stage, verdict, withdrawal or word to the agent (APPROVAL-15)', () => {
    const task = running().planned().send('approval.commented', { issue: issueId, by: 'alice', commentId: 'c' })
    const { at: _before, ...before } = task.context
    const { value } = task
    task.send('approval.lapsed', { issue: issueId })
    const { at: _after, ...after } = task.context
    const issues = before.forge.issues.map((issue) => ({ ...issue, accepted: false }))
    expect(after).toEqual(withChanges(before, { forge: { issues } }))
    expect([task.value, task.did]).toEqual([value, []])
  })

  test('of several issues only those without a grant are named', () => {
    const second = { ...anIssue, number: 2, issue: 'default/lib-2' }
    const task = new ATask()
      .mint({ issues: [anIssue, second] })
      .running()
      .planned()
      .grant()
      .submit()
    expect(task.answer?.body['issues']).toMatchObject([{ number: 2 }])
  })

  test('APPROVAL-8: closed issues are no approval', () => {
    const task = inReview()
      .requestChanges()
      .final()
      .send('issue.closed', { issue: issueId })
      .comment()
      .running()
      .submit()
    expect(code(task)).toEqual([409, 'approval-required'])
  })

  test('only a Task that never owned an issue is ungated', () => {
    expect(new ATask().mint({ issues: [] }).running().submit().stage).toBe('reviewing')
  })

  test('a plan that changed since its grant is refused (OUTCOME-IMPLEMENT-10, CLAIM-16)', () => {
    const task = granted().planned('note-2', 'plan-2').submit()
    expect(code(task)).toEqual([409, 'plan-changed'])
  })

  test('a self-grant ships up to the ceiling and not above (OUTCOME-IMPLEMENT-10, OUTCOME-IMPLEMENT-11, PROJECT-15, PROJECT-17)', () => {
    const self = () => running().planned().grant({ self: true })
    expect(self().submit({ change_significance: 'minor' }).stage).toBe('reviewing')
    expect(code(self().submit({ change_significance: 'major' }))).toEqual([409, 'over-auto-approve-ceiling'])
  })

  test('PROJECT-18: the ceiling of the Project counts as it is at the call, and not as it was at the mint', () => {
    const self = () => running().planned().grant({ self: true })
    const submit = (task: ATask, ceiling: string) =>
      task.outcome('submitted', { title: 't', body: 'b', change_significance: 'minor' }, { ceiling })
    const refused = submit(self(), 'patch')
    expect([code(refused), refused.answer?.body['ceiling']]).toEqual([[409, 'over-auto-approve-ceiling'], 'patch'])
    expect(code(submit(self(), 'off'))).toEqual([409, 'over-auto-approve-ceiling'])
    const review = submit(self(), 'minor').pushed().ready().running()
    expect(review.stage).toBe('reviewing')
    const held = review.approve({}, { ceiling: 'patch' })
    expect([held.stage, held.reason]).toEqual(['awaiting-human', 'over-auto-approve-ceiling'])
  })

  test('PROJECT-20: an approval that a maintainer gave is never limited (PROJECT-20)', () => {
    expect(granted().submit({ change_significance: 'major' }).stage).toBe('reviewing')
  })

  test('changes in several repositories need a merge order (OUTCOME-18)', () => {
    const two = () => granted({ repositories: ['lib', 'app'] }).ended({ pushed: ['lib', 'app'] })
    expect(code(two().submit())).toEqual([400, 'merge-order-required'])
    expect(two().submit({ merge_order: ['app', 'lib'] }).stage).toBe('reviewing')
  })

  test('OUTCOME-18: in the turn that pushed it is demanded too, by the record of the gateway', () => {
    const pushed = { pushed: ['lib', 'app'] }
    const two = () => granted({ repositories: ['lib', 'app'] })
    expect(code(two().submit({}, pushed))).toEqual([400, 'merge-order-required'])
    expect(two().submit({ merge_order: ['app', 'lib'] }, pushed).stage).toBe('reviewing')
  })

  test('a refusal leaves the outcome to the pod', () => {
    const task = running().planned().submit().grant().submit()
    expect(task.stage).toBe('reviewing')
  })
})

describe('verdicts', () => {
  test('Task reviewing/approve: approve goes to merging; the review is posted when the pod is gone, then the merge is asked for (OUTCOME-REVIEW-12, OUTCOME-REVIEW-13, SERVICE-4, SERVICE-6)', () => {
    const task = inReview().approve()
    expect([task.stage, task.pod, task.did]).toEqual(['merging', 'stopping', ['answer', 'pod<pod.stop']])
    task.final()
    expect(task.did).toEqual([
      'postReview',
      'merge-request<verdict.posted',
      'mergeMergeRequest',
      'merge-request<merge.asked',
    ])
    expect(task.only('postReview')[0]).toMatchObject({ verdict: 'approve', sha: 'sha-1', number: 7 })
    expect(task.only('mergeMergeRequest')[0]).toEqual({
      project: 'default/demo',
      repository: 'lib',
      number: 7,
      sha: 'sha-1',
      base: 'main',
      attempt: 1,
      grants: [`issue:${issueId}`],
    })
  })

  test.each(['approve', 'requestChanges'] as const)('%s of a head that moved is refused', (verdict) => {
    const task = inReview()
    const read = task.read()
    task.headMoved('sha-2', { byOwnPod: true })
    task[verdict]({ reviewed_shas: read })
    expect(code(task)).toEqual([409, 'head-moved'])
    expect(task.stage).toBe('reviewing')
  })

  test('the live head of the call counts, not the remembered one (OUTCOME-REVIEW-4)', () => {
    const task = inReview()
    task.approve({}, { heads: task.liveHeads({ sha: 'sha-9' }) })
    expect(code(task)).toEqual([409, 'head-moved'])
  })

  test('a head that only the call has seen is what gets merged', () => {
    const task = inReview()
    task
      .approve(
        { reviewed_shas: [{ repo: 'lib', number: 7, sha: 'sha-9' }] },
        { heads: task.liveHeads({ sha: 'sha-9' }) },
      )
      .final()
    expect(task.only('mergeMergeRequest')[0]).toMatchObject({ sha: 'sha-9' })
  })

  test('OUTCOME-RULE-3: approve must name every open merge request (OUTCOME-REVIEW-3)', () => {
    const task = inReviewOfTwo()
    expect(code(task.approve({ reviewed_shas: task.read().slice(0, 1) }))).toEqual([409, 'sha-incomplete'])
  })

  test('REVIEW-1: a dirty workspace refuses approve, but not request_changes (OUTCOME-REVIEW-5)', () => {
    expect(code(inReview().approve({}, { workspaceClean: false }))).toEqual([409, 'workspace-dirty'])
    const task = inReview()
    task.outcome('request_changes', { reviewed_shas: task.read(), findings: [] }, { workspaceClean: false })
    expect(task.stage).toBe('implementing')
  })

  test('OUTCOME-RULE-3: a review may raise the significance and never lower it (OUTCOME-17, OUTCOME-REVIEW-6)', () => {
    const minor = () => granted().submit({ change_significance: 'minor' }).pushed().ready().running()
    expect(code(minor().approve({ change_significance: 'patch' }))).toEqual([400, 'significance-lowered'])
    expect(minor().approve({ change_significance: 'major' }).context.forge.significance).toBe('major')
  })

  test('Task reviewing/held: REVIEW-4: raised over the ceiling of a self-grant: posted, and parked (OUTCOME-REVIEW-7)', () => {
    const task = parkedBy('over-auto-approve-ceiling')
    expect([task.stage, task.reason]).toEqual(['awaiting-human', 'over-auto-approve-ceiling'])
    expect(task.did).toContain('postReview')
    expect(task.did).not.toContain('mergeMergeRequest')
  })

  test('Task reviewing/held: REVIEW-3: an author who may not have it merged: posted, and parked as needs-maintainer', () => {
    const task = parkedBy('needs-maintainer')
    expect([task.stage, task.reason]).toEqual(['awaiting-human', 'needs-maintainer'])
    expect(task.did).toEqual(['postReview', 'merge-request<verdict.posted', 'postComment'])
  })

  test('REVIEW-3: a draft never merges by itself', () => {
    const task = inReview()
    expect(task.approve({}, { heads: task.liveHeads({ draft: true }) }).reason).toBe('needs-maintainer')
  })

  test('REVIEW-3: an author that the call could not look up may not', () => {
    expect(inReview().approve({}, { heads: [] }).reason).toBe('needs-maintainer')
  })

  test('APPROVAL-8: approve while its only issue is closed parks as approval-revoked', () => {
    const task = inReview().send('issue.closed', { issue: issueId }).final().comment().running().approve()
    expect([task.stage, task.reason]).toEqual(['awaiting-human', 'approval-revoked'])
  })

  test('Task reviewing/request_changes: request_changes goes back to work; the review is posted inline, and the next pod hears of it', () => {
    const task = inReview().requestChanges()
    expect(task.stage).toBe('implementing')
    task.final()
    expect(task.only('postReview')[0]).toMatchObject({
      verdict: 'request_changes',
      sha: 'sha-1',
      findings: [{ path: 'a.ts', line: 3, severity: 'high' }],
    })
    expect(task.told('merge-request')).toEqual([
      { type: 'verdict.posted', task: taskId, sha: 'sha-1', verdict: 'request_changes' },
    ])
    expect(task.context.journal.pending.at(-1)).toMatchObject({
      kind: 'mr_review',
      text: expect.stringContaining('off by one'),
    })
    expect(task.running().told('pod')).toEqual([
      { type: 'turn.requested', eventsUpTo: task.context.journal.eventSequence },
    ])
  })

  test('findings go to the merge request they are about', () => {
    const task = inReviewOfTwo()
    task.requestChanges({ findings: [{ repo: 'app', number: 8, body: 'x', severity: 'low' }] }).final()
    expect(task.only('postReview').map(({ repository, findings }) => [repository, findings.length])).toEqual([
      ['lib', 0],
      ['app', 1],
    ])
  })

  test('Task reviewing/request_changes: a review-kind Task parks after request_changes', () => {
    const task = reviewTask().requestChanges()
    expect([task.stage, task.reason]).toEqual(['awaiting-human', 'changes-requested'])
  })

  test('a review of a merge request that was merged meanwhile has nothing to judge', () => {
    const task = inReview().merged()
    expect(task.stage).toBe('delivered')
    expect(code(task.approve({ reviewed_shas: [] }))).toEqual([409, 'task-terminal'])
  })

  test('FORGE-WRITES-2: a review of a head that moved before the pod was gone is not posted (OUTCOME-13)', () => {
    const task = inReview().approve().headMoved('sha-2').final()
    expect(task.did).not.toContain('postReview')
    expect(task.did).not.toContain('mergeMergeRequest')
    expect(task.stage).toBe('reviewing')
  })

  test('an implement outcome of the pod that submitted is refused while the review is due', () => {
    expect(code(opening().ready().slot().outcome('submitted', {}, { kind: 'implement' }))).toEqual([
      409,
      'kind-mismatch',
    ])
  })
})
