import { describe, expect, test } from 'vitest'
import {
  aMergeRequest,
  ATask,
  granted,
  inReview,
  issueId,
  merging,
  opening,
  parkedBy,
  reviewTask,
  working,
} from '../testing/a-task.ts'

const hold = (task: ATask, reason = 'a look at its plan') => task.send('task.hold', { by: 'ada', reason })
const retry = (task: ATask) => task.send('task.retry', { by: 'maya' })
const standsAt = (task: ATask) => [task.stage, task.reason]
const held = ['awaiting-human', 'held']

describe('a hold', () => {
  test.each([
    ['refined', () => new ATask().mint()],
    ['implementing', () => granted()],
    ['opening', () => opening()],
    ['reviewing', () => inReview()],
    ['merging', () => merging()],
    ['upgrading', () => working('upgrade')],
  ] as const)(
    'Task live/hold: from %s the Task waits for a human, and its status names who and why (PARK-14)',
    (_from, make) => {
      const task = hold(make())
      expect([...standsAt(task), task.context.stage.detail]).toEqual([...held, 'a look at its plan, by ada'])
      expect(task.answer).toEqual({ status: 200, body: { accepted: true, task: { stage: 'awaiting-human' } } })
    },
  )

  test('Task live/hold: its pod is stopped, and what waits for a slot is taken back', () => {
    expect(hold(granted()).told('pod')).toEqual([expect.objectContaining({ type: 'pod.stop' })])
    expect(hold(new ATask().mint()).told('queue')).toEqual([expect.objectContaining({ type: 'queue.withdraw' })])
  })

  test('Task live/hold: a merge that was asked for is withdrawn, and after a retry it is reviewed again', () => {
    const task = hold(merging())
    expect(task.did).toContain('withdrawEffects')
    expect(retry(task).stage).toBe('reviewing')
    expect(task.did).not.toContain('mergeMergeRequest')
  })

  test.each([
    ['a comment of a maintainer', (task: ATask) => task.comment({ maintainer: true })],
    ['a grant', (task: ATask) => task.grant()],
    ['an approval', (task: ATask) => task.send('approval.commented', { issue: issueId, by: 'maya', commentId: 'c' })],
    ['a new head', (task: ATask) => task.headMoved('sha-9')],
    ['a raised budget', (task: ATask) => task.send('budget.raised', { by: 'maya', amount: 5 })],
    ['a go-ahead', (task: ATask) => task.send('mr.goAhead', { by: 'maya', shas: task.liveHeads() })],
    ['its closed issue', (task: ATask) => task.send('issue.closed', { issue: issueId })],
    ['a withdrawn approval', (task: ATask) => task.send('approval.revoked', { issue: issueId, reason: 'hold' })],
  ])('Task awaiting-human/held: %s does not let it go on (PARK-14)', (_word, say) => {
    const task = hold(inReview()).final()
    say(task)
    expect(standsAt(task)).toEqual(held)
  })

  test('Task awaiting-human/held: a new head does not release the review of other people’s work', () => {
    const task = hold(reviewTask()).final().headMoved('sha-9')
    expect(standsAt(task)).toEqual(held)
    expect(task.context.forge.mergeRequests[0]?.headSha).toBe('sha-9')
  })

  test('Task awaiting-human/held: nobody takes it over or folds it: that would be a way around', () => {
    const { repository, number } = aMergeRequest()
    const review = hold(reviewTask()).final()
    review.send('takeover.accepted', { repository, number, by: 'alice', commentId: 'c' })
    expect([...standsAt(review), review.answer?.body['code'], review.answer?.body['reason']]).toEqual([
      ...held,
      'takeover-refused',
      'held',
    ])
    const member = hold(new ATask().mint())
    const word = { by: 'default/refine-1', project: 'default/demo', to: 'default/heir', entry: 'mint/default/heir' }
    expect(standsAt(member.send('fold.requested', word))).toEqual(held)
    expect(member.told('task')).toEqual([expect.objectContaining({ type: 'fold.refused', reason: 'held' })])
  })

  test.each([
    ['discuss', 'implementing'],
    ['needs-maintainer', 'reviewing'],
    ['approval-revoked', 'implementing'],
  ] as const)(
    'Task live/hold: parked by %s it is held, and a retry leads where it would have led: %s',
    (reason, to) => {
      const task = hold(parkedBy(reason))
      expect(standsAt(task)).toEqual(held)
      expect(retry(task).stage).toBe(to)
    },
  )

  test('Task live/hold: what was never opened is not reviewed after it', () => {
    const late = opening().send('effect.failed', { effect: 'openMergeRequest', reason: 'x', key: 'k' })
    expect(retry(hold(late)).stage).toBe('implementing')
  })

  test('Task live/hold: the newest reason stands', () => {
    expect(hold(hold(granted()), 'a second look').context.stage.detail).toBe('a second look, by ada')
  })

  test.each([
    ['declined', () => granted().outcome('declined', { decline_reason: 'no' }), 'conflict', 'no-re-entry'],
    ['ended', () => granted().send('task.close', { by: 'maya' }), 'task-terminal', undefined],
  ] as const)('Task live/hold: is refused for a Task that has %s', (_what, make, code, reason) => {
    const task = make()
    const before = standsAt(task)
    hold(task)
    expect([...standsAt(task), task.answer?.status, task.answer?.body['code'], task.answer?.body['reason']]).toEqual([
      ...before,
      409,
      code,
      reason,
    ])
  })
})
