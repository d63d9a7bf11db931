import { describe, expect, test } from 'vitest'
import { aMergeRequest, ATask, granted, reviewTask, taskId } from '../testing/a-task.ts'

const handed = { repository: 'lib', number: 7, by: 'alice', commentId: 'c1' }
const takeOver = (task: ATask, changes: object = {}) => task.send('takeover.accepted', { ...handed, ...changes })

describe('takeover', () => {
  test.each([
    ['reviewing', () => reviewTask()],
    ['awaiting-human', () => reviewTask().requestChanges().final()],
  ])(
    'Task takeover/accepted: in %s the review ends, and one implement Task is minted that owns the merge request (TOOL-TAKEOVER-5, OWNERSHIP-12)',
    (_stage, make) => {
      const task = takeOver(make())
      expect([task.stage, task.reason, task.answer?.status]).toEqual(['delivered', 'taken-over', 200])
      const heir = task.context.stage.detail
      expect(task.told('merge-request')).toEqual([
        { type: 'mr.handedOver', task: taskId, to: heir, entry: `mint/${heir}` },
      ])
      expect(task.told('queue').filter(({ type }) => type === 'queue.enqueue')).toEqual([
        expect.objectContaining({
          entry: `mint/${heir}`,
          task: heir,
          kind: 'implement',
          priority: 20,
          seed: expect.objectContaining({
            issues: [],
            mergeRequests: [expect.objectContaining({ number: 7, headBranch: 'fix', writable: true })],
          }),
        }),
      ])
      expect(task.only('postComment')).toEqual([])
    },
  )

  test('Task takeover/accepted: its pod is stopped, and it settles when that is gone', () => {
    const task = takeOver(reviewTask())
    expect(task.told('pod')).toContainEqual(expect.objectContaining({ type: 'pod.stop' }))
    expect(task.final().status).toBe('done')
  })

  test.each([
    ['by a Task that is no review', () => granted(), {}],
    ['of a merge request that it does not own', () => reviewTask(), { number: 99 }],
    [
      'of one that is closed',
      () => reviewTask({ mergeRequests: [aMergeRequest(), aMergeRequest('app', 's', 8)] }).closed(),
      {},
    ],
  ] as const)('OWNERSHIP-11: refused %s', (_why, make, changes) => {
    const task = make()
    const { stage } = task
    takeOver(task, changes)
    expect([task.stage, task.answer?.body['code']]).toEqual([stage, 'takeover-refused'])
  })

  test('the minted Task owns the merge request and no issue: its own branch is the one it was handed, and nothing gates it', () => {
    const task = new ATask().mint({
      issues: [],
      mergeRequests: [{ ...aMergeRequest(), headBranch: 'fix', writable: true }],
      entry: 'mint/x',
    })
    expect(task.stage).toBe('implementing')
    expect(task.told('pod')[0]).toMatchObject({ repositories: [expect.objectContaining({ branch: 'fix' })] })
    task.works().submit().pushed()
    expect(task.only('openMergeRequest')).toEqual([expect.objectContaining({ branch: 'fix' })])
  })

  test('submitted with nothing to push, a merge request that came with the Task goes to review as it is', () => {
    const task = new ATask().mint({ issues: [], mergeRequests: [aMergeRequest()], entry: 'mint/x' }).works()
    task.submit().ended().final()
    expect(task.only('openMergeRequest')).toHaveLength(1)
    expect(task.ready().stage).toBe('reviewing')
  })
})

describe('spending', () => {
  test('Task work/budget.exhausted: held with its state and a reason, said once, and its pod is stopped', () => {
    const task = granted().send('budget.exhausted', { detail: '5 USD of 5 USD' })
    expect(task.where).toEqual(['awaiting-human', 'budget', '5 USD of 5 USD'])
    expect(task.told('pod')).toEqual([expect.objectContaining({ type: 'pod.stop', reason: 'budget' })])
    expect(task.final().only('postComment')).toEqual([
      expect.objectContaining({ body: expect.stringContaining('raise the budget') }),
    ])
    expect(task.send('budget.exhausted', {}).only('postComment')).toEqual([])
  })

  test('Task work/budget.exhausted: an ordinary comment is only read; a raised budget or a retry lets it go on', () => {
    const held = () => granted().send('budget.exhausted', {}).final()
    expect(held().comment({ maintainer: true }).stage).toBe('awaiting-human')
    const raised = held().send('budget.raised', { by: 'maya', amount: 5 })
    expect([raised.stage, raised.context.forge.budgetRaised]).toEqual(['implementing', 5])
    expect(held().send('task.retry', { by: 'maya' }).stage).toBe('implementing')
  })

  test('Task awaiting-human/budget: LEDGER-4: the next day lets it go on where the day held it; a raise that was refused is said', () => {
    const held = () => granted().send('budget.exhausted', { detail: 'day' }).final()
    expect(held().send('budget.renewed').stage).toBe('implementing')
    const refused = held().send('budget.refused', { by: 'maya', amount: 500, left: 20 })
    expect([refused.stage, refused.only('postComment')]).toEqual([
      'awaiting-human',
      [
        expect.objectContaining({
          body: '@maya: the platform did not raise the budget by 500 tokens: 20 tokens are left for today.',
        }),
      ],
    ])
  })

  test('a new day moves nobody who waits for something else', () => {
    expect(granted().outcome('discuss', { reason: '?' }).final().send('budget.renewed').stage).toBe('awaiting-human')
  })

  test('a metered Task hands its ledger to its pods, and tells it when no turn will come any more', () => {
    const task = granted({ config: { tokensPerTurn: 10 } })
    const started = new ATask().mint({ config: { tokensPerTurn: 10 } }).slot()
    expect(started.told('pod')[0]).toMatchObject({ type: 'pod.start', ledger: 'default/demo' })
    expect(task.send('task.close', { by: 'maya' }).final().told('ledger')).toEqual([
      { type: 'task.settled', task: taskId },
    ])
    expect(new ATask().mint().slot().told('pod')[0]).not.toHaveProperty('ledger')
  })

  test('a turn that the ledger refused is no failure of the agent', () => {
    const task = granted().failed('budget')
    expect([task.stage, task.context.turn.failedInRow]).toEqual(['implementing', 0])
  })

  test('raised before it is used up, it is only counted', () => {
    const task = granted()
      .send('budget.raised', { by: 'maya', amount: 5 })
      .send('budget.raised', { by: 'maya', amount: 2 })
    expect([task.stage, task.context.forge.budgetRaised]).toEqual(['implementing', 7])
  })

  test('a stage that runs no pod spends nothing: it is not held', () => {
    const task = granted().submit().pushed()
    expect(task.send('budget.exhausted', {}).stage).toBe('reviewing')
  })
})
