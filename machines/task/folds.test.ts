import { describe, expect, test } from 'vitest'
import {
  ATask,
  aMergeRequest,
  anIssue,
  granted,
  inReview,
  issueId,
  merging,
  opening,
  parkedBy,
  taskId,
  working,
} from '../testing/a-task.ts'

const refineId = 'default/refine-1'
const requested = { by: refineId, project: 'default/demo', to: 'default/heir', entry: 'mint/default/heir' }
const ask = (task: ATask, changes: object = {}) => task.send('fold.requested', { ...requested, ...changes })

describe('a member', () => {
  test('Task fold.requested/accepted: waiting for a slot it folds: its entry is withdrawn, and what it owns goes to the heir (OUTCOME-REFINE-3)', () => {
    const task = ask(new ATask().mint())
    expect([task.stage, task.reason, task.status]).toEqual(['folded', 'folded', 'done'])
    expect(task.told('issue')).toEqual([
      { type: 'issue.handedOver', task: taskId, to: 'default/heir', entry: requested.entry },
    ])
    expect(task.told('queue')).toEqual([{ type: 'queue.withdraw', entry: `${taskId}/1` }])
    expect(task.told('task')).toEqual([
      expect.objectContaining({
        type: 'fold.accepted',
        task: taskId,
        issues: [anIssue],
        mergeRequests: [],
        repositories: ['lib'],
        priority: 60,
      }),
    ])
  })

  test('Task fold.requested/accepted: parked it folds too, with its open merge request, which is not released', () => {
    const task = ask(inReview().outcome('request_changes', {}, { pod: 99 }).fire('reviewingBudget').final())
    expect(task.stage).toBe('folded')
    expect(task.told('merge-request')).toEqual([expect.objectContaining({ type: 'mr.handedOver', to: 'default/heir' })])
    expect(task.told('task')[0]).toMatchObject({ mergeRequests: [expect.objectContaining({ number: 7 })] })
    expect(task.only('postComment')).toEqual([])
  })

  test.each([
    ['its pod lives', () => granted(), 'member-running'],
    ['a merge request is being opened', () => opening(), 'stage-reviewing'],
    ['the platform asks the forge to merge', () => merging(), 'stage-merging'],
    ['it is no implement Task', () => working('upgrade').final('lost'), 'no-member'],
  ] as const)('Task fold.requested/refused: %s (OWNERSHIP-7)', (_why, make, reason) => {
    const task = make()
    const { stage } = task
    ask(task)
    expect([task.stage, task.told('task')]).toEqual([
      stage,
      [expect.objectContaining({ type: 'fold.refused', reason })],
    ])
  })

  test('Task fold.requested/refused: by another Project, and by itself', () => {
    expect(ask(new ATask().mint(), { project: 'default/other' }).stage).toBe('refined')
    expect(ask(new ATask().mint(), { by: taskId }).stage).toBe('refined')
  })

  test('Task fold.requested/refused: an ended one whose last pod still stops answers, for every request is answered', () => {
    const task = granted().outcome('rejected', { reason: 'no' })
    expect(ask(task).told('task')).toEqual([expect.objectContaining({ type: 'fold.refused', reason: 'task-terminal' })])
  })

  test('a closed issue is not handed over: its own Task says that it ended', () => {
    const other = { ...anIssue, number: 2, issue: 'default/lib-2' }
    const task = new ATask().mint({ issues: [anIssue, other] }).send('issue.closed', { issue: 'default/lib-2' })
    ask(task)
    expect(task.told('issue').map(({ type }) => type)).toEqual(['issue.handedOver', 'task.ended'])
  })
})

const member = (name: string) => `default/${name}`
const free = (...names: readonly string[]) => names.map((name) => ({ task: member(name), state: 'free' }))

function folding(...names: readonly string[]): ATask {
  return working('refine').outcome('refine', { folds: names.map((task) => ({ task })) }, { members: free(...names) })
}

function accept(task: ATask, name: string, changes: object = {}): ATask {
  return task.send('fold.accepted', {
    task: member(name),
    goal: `goal of ${name}`,
    priority: 60,
    repositories: ['lib'],
    issues: [{ ...anIssue, issue: `default/${name}` }],
    mergeRequests: [],
    ...changes,
  })
}

describe('a refine Task', () => {
  test('Task refining/folds: asks each member once the outcome stands, and waits without a pod', () => {
    const task = folding('a', 'b')
    expect([task.stage, task.context.stage.wants, task.pod]).toEqual(['refining', null, 'stopping'])
    const { to } = task.only('requestFold')[0]
    expect(task.only('requestFold')).toEqual(
      ['a', 'b'].map((name) => ({
        member: member(name),
        by: taskId,
        project: 'default/demo',
        to,
        entry: `mint/${to}`,
      })),
    )
  })

  test('OWNERSHIP-9: delivered once every member has answered: one implement Task owns what was adopted (OUTCOME-REFINE-2, OWNERSHIP-8)', () => {
    const task = folding('a', 'b').final()
    expect(accept(task, 'a').stage).toBe('refining')
    accept(task, 'b', { priority: 20, repositories: ['app'], mergeRequests: [aMergeRequest('app', 's', 8)] })
    expect([task.stage, task.status]).toEqual(['delivered', 'done'])
    expect(task.told('queue')).toEqual([
      expect.objectContaining({
        type: 'queue.enqueue',
        sort: 'mint',
        kind: 'implement',
        priority: 20,
        seed: expect.objectContaining({
          repositories: ['lib', 'app'],
          issues: [expect.objectContaining({ issue: 'default/a' }), expect.objectContaining({ issue: 'default/b' })],
          mergeRequests: [expect.objectContaining({ number: 8 })],
        }),
      }),
    ])
  })

  test('Task refining/folds: one that refused is noted, and the rest goes on', () => {
    const task = accept(folding('a', 'b').final(), 'a')
    task.send('fold.refused', { task: member('b'), reason: 'member-running' })
    expect(task.stage).toBe('delivered')
    expect(task.told('queue')).toHaveLength(1)
    expect(task.context.journal.notes.at(-1)?.body).toContain('default/b: member-running')
  })

  test('Task refining/folds: when all refuse nothing is minted', () => {
    const task = folding('a')
      .final()
      .send('fold.refused', { task: member('a'), reason: 'task-terminal' })
    expect([task.stage, task.told('queue')]).toEqual(['delivered', []])
  })

  test('the first answer of a member holds, and a stranger has none', () => {
    const task = accept(folding('a', 'b').final(), 'a')
    task.send('fold.refused', { task: member('a'), reason: 'task-terminal' })
    accept(task, 'c')
    expect([task.stage, task.context.forge.folds[0]?.answer?.accepted]).toEqual(['refining', true])
  })

  test('of two merge requests of one repository the oldest goes on; the other is released, and people are told', () => {
    const task = accept(folding('a', 'b').final(), 'a', { mergeRequests: [aMergeRequest('lib', 's', 9)] })
    accept(task, 'b', { mergeRequests: [aMergeRequest('lib', 's', 8)] })
    expect((task.told('queue')[0] as { seed: { mergeRequests: object[] } }).seed.mergeRequests).toEqual([
      expect.objectContaining({ number: 8 }),
    ])
    expect(task.told('merge-request')).toEqual([expect.objectContaining({ type: 'mr.released', reason: 'folded' })])
    expect(task.only('postComment')).toEqual([expect.objectContaining({ number: 9, on: 'mr' })])
  })

  test('Task refining/unanswered: after 10 minutes it is parked; a late answer still finishes it', () => {
    const task = folding('a').final().fire('foldWait')
    expect([task.stage, task.reason]).toEqual(['awaiting-human', 'fold-unanswered'])
    expect(task.comment().stage).toBe('awaiting-human')
    expect(accept(task, 'a').stage).toBe('delivered')
  })

  test('Task refining/unanswered: a retry asks those again that have not answered', () => {
    const task = accept(folding('a', 'b').final(), 'a').fire('foldWait').send('task.retry', { by: 'maya' })
    expect([task.stage, task.answer?.body]).toEqual(['refining', { accepted: true, task: { stage: 'refining' } }])
    expect(task.only('requestFold').map((asked) => asked.member)).toEqual([member('b')])
  })

  test('Task live/close: OWNERSHIP-9, LAW-23: closed while members are asked it ends with their last answer, and nothing is minted', () => {
    const task = folding('a', 'b').final().send('task.close', { by: 'maya', reason: 'the Project was deleted' })
    expect([task.stage, task.answer?.status]).toEqual(['refining', 200])
    expect(accept(task, 'a').stage).toBe('refining')
    task.send('fold.refused', { task: member('b'), reason: 'task-terminal' })
    expect([task.stage, task.reason, task.context.stage.detail, task.status]).toEqual([
      'rejected',
      'cancelled',
      'the Project was deleted, by maya',
      'done',
    ])
    expect(task.told('queue')).toEqual([])
  })

  test('OWNERSHIP-9: what its members gave up learns that the Task it waits for never comes, and people are told', () => {
    const task = folding('a', 'b')
    const { to } = task.only('requestFold')[0]
    task.final()
    accept(task, 'a', { mergeRequests: [aMergeRequest('lib', 's', 9)] }).send('task.close', { by: 'maya' })
    accept(task, 'b')
    expect(task.told('issue')).toEqual(
      ['a', 'b'].map(() => ({ type: 'task.ended', task: to, stage: 'rejected', reason: 'cancelled' })),
    )
    expect(task.told('merge-request')).toEqual([{ type: 'mr.released', task: to, reason: 'cancelled' }])
    expect(task.only('postComment')).toEqual([expect.objectContaining({ number: 9, on: 'mr' })])
  })

  test('OWNERSHIP-9: closed where it waits for a silent member it ends with the late answer', () => {
    const task = folding('a').final().fire('foldWait').send('task.close', { by: 'maya' })
    expect([task.stage, task.answer?.status]).toEqual(['awaiting-human', 200])
    expect(accept(task, 'a').stage).toBe('rejected')
  })

  test.each([
    ['running', 'member-running'],
    ['ended', 'conflict'],
    ['unknown', 'conflict'],
  ] as const)('Task refining/outcome: a member that is %s is refused in the call', (state, code) => {
    const task = working('refine')
    task.outcome('refine', { folds: [{ task: 'a' }] }, { members: [{ task: member('a'), state }] })
    expect([task.stage, task.answer?.body['code']]).toEqual(['refining', code])
  })

  test('a Task does not fold itself', () => {
    const task = working('refine').outcome(
      'refine',
      { folds: [{ task: taskId }] },
      { members: [{ task: taskId, state: 'free' }] },
    )
    expect(task.answer?.body['code']).toBe('conflict')
  })
})

test('LAW-23: a folded member owns nothing any more', () => {
  const task = ask(parkedBy('discuss'))
  expect(task.context.forge.issues.map(({ issue, state }) => [issue, state])).toEqual([[issueId, 'handedOver']])
})
