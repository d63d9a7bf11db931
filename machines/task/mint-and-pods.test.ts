import { describe, expect, test } from 'vitest'
import {
  ATask,
  aMergeRequest,
  anIssue,
  granted,
  inReview,
  issueId,
  opening,
  parkedBy,
  reviewTask,
  taskId,
} from '../testing/a-task.ts'

const selfProposed = { ...anIssue, selfProposed: true, humanCommented: false }

describe('minted', () => {
  test('Task minted/refined: an implement Task waits as refined for its first slot and owns its issue', () => {
    const task = new ATask().mint()
    expect(task.stage).toBe('refined')
    expect(task.pod).toBe('awaitingSlot')
    expect(task.did).toEqual(['issue<issue.owned', 'queue<queue.enqueue'])
    expect(task.told('queue')[0]).toMatchObject({
      sort: 'spawn',
      entry: `${taskId}/1`,
      priority: 60,
      class: 'normal',
      kind: 'implement',
    })
  })

  test('Task minted/entry: STAGE-2: minted by an entry, it starts with that slot and asks for no other (ACTOR-1)', () => {
    const task = new ATask().mint({ entry: 'mint/x' })
    expect(task.stage).toBe('implementing')
    expect(task.pod).toBe('starting')
    expect(task.told('pod')[0]).toMatchObject({ type: 'pod.start', entry: 'mint/x', queue: 'default/demo', ordinal: 1 })
    expect(task.only('deliver').map(({ to }) => to)).toContain(`pod:${taskId}/1`)
    expect(task.told('queue')).toEqual([])
    expect(task.told('issue')).toContainEqual({ type: 'issue.agentRunning', task: taskId, agentKind: 'implement' })
  })

  test('a review-kind Task begins in reviewing and owns its merge request', () => {
    const task = new ATask().mint({ kind: 'review', issues: [], mergeRequests: [aMergeRequest()] })
    expect(task.stage).toBe('reviewing')
    expect(task.did).toEqual(['merge-request<mr.owned', 'queue<queue.enqueue'])
  })

  test('Task minted/backlog: self-proposed, no human comment and the ceiling off: backlog-sweep, and a mint entry gives its slot back (PROJECT-16)', () => {
    const task = new ATask().mint({
      entry: 'mint/x',
      issues: [selfProposed],
      config: { autoApproveMaxSignificance: 'off' },
    })
    expect(task.stage).toBe('backlog-sweep')
    expect(task.pod).toBe('none')
    expect(task.told('queue')).toEqual([{ type: 'queue.release', entry: 'mint/x' }])
  })

  test.each([
    ['a ceiling', { issues: [selfProposed], config: { autoApproveMaxSignificance: 'patch' as const } }],
    [
      'a human comment',
      { issues: [{ ...selfProposed, humanCommented: true }], config: { autoApproveMaxSignificance: 'off' as const } },
    ],
    [
      'one issue of a human',
      {
        issues: [selfProposed, { ...anIssue, issue: 'default/lib-2', number: 2 }],
        config: { autoApproveMaxSignificance: 'off' as const },
      },
    ],
  ])('with %s it does not park at backlog-sweep', (_name, options) => {
    expect(new ATask().mint(options).stage).toBe('refined')
  })

  test.each([
    ['brainstorm', 'brainstorming'],
    ['incident', 'investigating'],
    ['implement', 'implementing'],
    ['review', 'reviewing'],
    ['refine', 'refining'],
    ['documentation', 'documenting'],
    ['upgrade', 'upgrading'],
  ] as const)('Task minted/other: kind %s, minted by an entry, starts in %s with that slot', (kind, stage) => {
    const task = new ATask().mint({ kind, issues: [], entry: 'mint/x' })
    expect([task.stage, task.pod]).toEqual([stage, 'starting'])
    expect(task.told('pod')[0]).toMatchObject({ type: 'pod.start', entry: 'mint/x', agentKind: kind })
    expect(task.told('queue')).toEqual([])
  })

  test('Task minted/other: made by hand, it asks for its first slot in its own stage', () => {
    const task = new ATask().mint({ kind: 'upgrade', issues: [] })
    expect([task.stage, task.pod]).toEqual(['upgrading', 'awaitingSlot'])
    expect(task.told('queue')[0]).toMatchObject({ sort: 'spawn', kind: 'upgrade', class: 'normal' })
  })

  test('an incident Task takes the slots of alerts, for every pod of it', () => {
    const task = new ATask().mint({
      kind: 'incident',
      issues: [],
      origin: { kind: 'alert', ref: 'a' },
      entry: 'mint/x',
    })
    task.works().final('lost')
    expect(task.told('queue')[0]).toMatchObject({ type: 'queue.enqueue', class: 'alert' })
  })

  test('a second mint changes nothing, and the slot it brought goes back', () => {
    const task = new ATask().mint().mint({ entry: 'mint/again' })
    expect(task.stage).toBe('refined')
    expect(task.did).toEqual(['queue<queue.release'])
  })

  test.each(['human.commented', 'task.retry', 'approval.granted', 'approval.commented'])(
    'Task backlog-sweep/released: backlog-sweep is released by %s (PROJECT-16)',
    (type) => {
      const task = new ATask().mint({ issues: [selfProposed], config: { autoApproveMaxSignificance: 'off' } })
      task.send(type, {
        issue: issueId,
        planHash: 'p',
        self: false,
        by: 'alice',
        commentId: '1',
        repository: 'lib',
        number: 1,
        author: 'alice',
        kind: 'issue_comment',
        maintainer: false,
        on: 'issue',
      })
      expect(task.stage).toBe('refined')
      expect(task.told('queue')[0]).toMatchObject({ type: 'queue.enqueue', priority: 20 })
    },
  )
})

describe('the pod region', () => {
  test('Task pod/awaitingSlot: POD-6: a grant of another entry is not taken', () => {
    const task = new ATask().mint().slot(`${taskId}/99`)
    expect([task.stage, task.pod, task.effects.length]).toEqual(['refined', 'awaitingSlot', 0])
  })

  test('Task refined/slot.granted: its own grant starts pod 1 in the same visit, with model, effort and branch of the Task', () => {
    const task = new ATask().mint().slot()
    expect([task.stage, task.pod]).toEqual(['implementing', 'starting'])
    expect(task.told('pod')[0]).toEqual({
      type: 'pod.start',
      task: taskId,
      project: 'default/demo',
      queue: 'default/demo',
      entry: `${taskId}/1`,
      ordinal: 1,
      agentKind: 'implement',
      model: 'model-a',
      effort: 'high',
      permissionMode: 'bypassPermissions',
      repositories: [{ name: 'lib', base: 'main', branch: 'platform/implement-lib-1-x7k2p' }],
      turnTimeoutSeconds: 1800,
      agentPodTTLSeconds: 3600,
      stallProbeGraceSeconds: 60,
      stallProbeMaxAttempts: 3,
    })
  })

  test('a repeated grant starts no second pod', () => {
    const task = new ATask().mint().slot()
    task.slot(`${taskId}/1`)
    expect(task.context.pod.ordinal).toBe(1)
    expect(task.effects).toEqual([])
  })

  test('REVIEW-2: a review pod starts from the head it judges', () => {
    const task = opening().ready('lib', 'sha-9').slot()
    expect(task.told('pod')[0]).toMatchObject({
      agentKind: 'review',
      model: 'model-b',
      repositories: [{ name: 'lib', branch: 'platform/implement-lib-1-x7k2p', sha: 'sha-9' }],
    })
  })

  test('turn 0 of a pod is always asked for, once it works', () => {
    expect(new ATask().mint().running().told('pod')).toEqual([{ type: 'turn.requested', eventsUpTo: 0 }])
  })

  test('POD-3: while a slot is awaited, the end of an older pod asks for no second one', () => {
    const task = granted().final('lost')
    expect(task.pod).toBe('awaitingSlot')
    task.send('pod.final', { pod: 1, cause: 'lost', residencyMs: 1 })
    expect(task.effects).toEqual([])
  })

  test('POD-5: forge events ask for no slot, in no state of the pod region (CONTINUITY-4)', () => {
    for (const task of [new ATask().mint(), granted(), parkedBy('discuss')]) {
      task.send('forge.event', { repository: 'lib', number: 1, author: 'bob', kind: 'issue_edited' })
      expect(task.told('queue')).toEqual([])
    }
  })

  test('Task pod/stopping: POD-1: a park stops the pod, and no new one is asked for before that one is final (PROJECT-7)', () => {
    const task = granted().outcome('discuss', { reason: 'why?' })
    expect(task.pod).toBe('stopping')
    expect(task.told('pod')).toEqual([{ type: 'pod.stop', reason: 'discuss' }])
    task.comment()
    expect([task.stage, task.pod]).toEqual(['implementing', 'stopping'])
    expect(task.told('queue')).toEqual([])
    task.final()
    expect(task.pod).toBe('awaitingSlot')
    expect(task.told('queue')[0]).toMatchObject({ type: 'queue.enqueue', entry: `${taskId}/2` })
  })

  test('Task pod/withdrawn: POD-6: a Task that is closed while it waits for a slot takes its entry back (QUEUED-EVENT-8)', () => {
    const task = new ATask().mint().send('task.close', { by: 'alice' })
    expect(task.told('queue')).toEqual([{ type: 'queue.withdraw', entry: `${taskId}/1` }])
    expect(task.status).toBe('done')
  })

  test('the Task never releases a slot of a pod: the pod does', () => {
    const task = granted().outcome('rejected', { reason: 'no' })
    expect(task.told('queue')).toEqual([])
    expect(task.final().told('queue')).toEqual([])
  })

  test('POD-8: agentKind is set at starting and empty again at the end of the pod (TASK-RESOURCE-7)', () => {
    const task = new ATask().mint()
    expect(task.context.pod.agentKind).toBe('')
    expect(task.slot().context.pod.agentKind).toBe('implement')
    expect(task.final('lost').context.pod.agentKind).toBe('')
  })

  test('QUEUE-1: the next pod of a Task under way has priority 40, one that a human released 20 (FORGE-RULES-5)', () => {
    expect(granted().final('lost').told('queue')[0]).toMatchObject({ priority: 40 })
    expect(parkedBy('discuss').comment().told('queue')[0]).toMatchObject({ priority: 20 })
  })

  test('an alert asks for a slot of its own class', () => {
    expect(new ATask().mint({ origin: { kind: 'alert', ref: '' }, priority: 0 }).told('queue')[0]).toMatchObject({
      class: 'alert',
      priority: 0,
    })
  })

  test('Task pod/backoff: POD-9: after the second recreation in a row it waits, ever longer, at most 10 minutes (PROJECT-AGENT-5, FORGE-RULES-2)', () => {
    const task = granted()
    const waits: unknown[] = []
    for (let lost = 0; lost < 10; lost += 1) {
      task.final('lost', { reason: 'node gone' })
      waits.push(task.timers['respawnDelay'] ?? 0)
      if (task.pod === 'backingOff') task.fire('respawnDelay')
      task.running()
    }
    expect(waits).toEqual([0, 0, 10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 600_000, 600_000])
    expect(task.context.pod.recreations).toEqual({ 'node gone': 10 })
  })

  test('a turn that ended well clears the losses in a row', () => {
    const task = granted().final('lost').running().final('lost').running().ended().final('lost')
    expect(task.pod).toBe('awaitingSlot')
  })

  test('a Task that wants no pod any more leaves its backoff', () => {
    const task = granted().final('lost').running().final('lost').running().final('lost')
    expect(task.pod).toBe('backingOff')
    expect(task.send('task.close', { by: 'alice' }).status).toBe('done')
  })

  test('Task pod/settled: POD-19: the volume goes once the stage is final and no pod lives (PROJECT-WORKSPACE-9)', () => {
    const task = granted().send('task.close', { by: 'alice' })
    expect([task.stage, task.pod, task.only('deleteWorkspace').length]).toEqual(['rejected', 'stopping', 0])
    task.final()
    expect([task.pod, task.status, task.timers]).toEqual(['settled', 'done', {}])
    expect(task.only('deleteWorkspace')).toEqual([{ task: taskId }])
  })
})

const retry = (task: ATask) => task.send('task.retry', { by: 'alice' })

describe('how a pod ends', () => {
  test('Task work/unbound: unbound: operator-error (PROJECT-WORKSPACE-12)', () => {
    const task = new ATask().mint().slot().final('unbound', { reason: 'no storage' })
    expect(task.where).toEqual(['operator-error', 'unbound', 'no storage'])
  })

  test('people read the words of an end beside its reason; it is counted by the reason alone (POD-22)', () => {
    const words = 'container wrapper: no such image'
    const task = new ATask().mint()
    for (let lost = 0; lost < 5; lost += 1) {
      if (task.pod === 'backingOff') task.fire('respawnDelay')
      task.slot().final('lost', { reason: 'ErrImagePull', detail: words })
    }
    expect([task.reason, task.context.stage.detail]).toEqual(['pod-start-failed', `ErrImagePull: ${words}`])
    expect(task.context.pod.recreations).toEqual({ ErrImagePull: 5 })
  })

  test('Task work/mismatched: mismatched: failed, agent-contract-mismatch', () => {
    const task = new ATask().mint().slot().final('mismatched')
    expect([task.stage, task.reason, task.status]).toEqual(['failed', 'agent-contract-mismatch', 'done'])
  })

  test.each(['unbound', 'mismatched'])('POD-7: %s of a pod that was asked to stop moves nothing', (cause) => {
    const task = granted().outcome('discuss', { reason: '?' }).final(cause)
    expect([task.stage, task.reason]).toEqual(['awaiting-human', 'discuss'])
  })

  test('POD-4: the end of an older pod moves nothing', () => {
    const task = granted().final('lost').running().send('pod.final', { pod: 1, cause: 'mismatched', residencyMs: 1 })
    expect([task.stage, task.pod]).toEqual(['implementing', { working: 'busy' }])
  })

  test('Task work/start-failures: POD-10: the fifth pod in a row that never got to work: operator-error (FORGE-RULES-2)', () => {
    const task = new ATask().mint()
    for (let lost = 0; lost < 5; lost += 1) {
      if (task.pod === 'backingOff') task.fire('respawnDelay')
      task.slot().final('lost', { reason: 'ImagePullBackOff' })
    }
    expect(task.where).toEqual(['operator-error', 'pod-start-failed', 'ImagePullBackOff'])
  })

  test('a pod that works starts that count anew', () => {
    const task = new ATask().mint()
    for (let lost = 0; lost < 8; lost += 1) {
      if (task.pod === 'backingOff') task.fire('respawnDelay')
      task.slot()
      if (lost === 3) task.works()
      task.final('lost')
    }
    expect(task.stage).toBe('implementing')
  })

  test('Task stages/residency: PARK-11: 24 h of residency in one visit: operator-error, residency-cap (PROJECT-AGENT-23, TASK-MOVES-10)', () => {
    const task = granted()
    for (let pod = 0; pod < 23; pod += 1) task.final('gone', { residencyMs: 3_600_000 }).running()
    expect(task.stage).toBe('implementing')
    expect(task.final('gone', { residencyMs: 3_600_000 }).reason).toBe('residency-cap')
    expect(task.stage).toBe('operator-error')
  })

  test('Task stages/not-ending: POD-21: a pod that does not end parks its Task, whatever the stage wants, and no other pod begins', () => {
    const task = granted().send('pod.notEnding', { pod: 1, name: 'pod-1' })
    expect(task.where).toEqual(['operator-error', 'pod-not-ending', 'pod-1'])
    expect([task.pod, retry(task).stage, task.pod, task.told('queue')]).toEqual([
      'stopping',
      'implementing',
      'stopping',
      [],
    ])
    // Asked to go on too early: it is parked again.
    expect(task.send('pod.notEnding', { pod: 1, name: 'pod-1' }).reason).toBe('pod-not-ending')
    // Nothing that a pod says moves a park, its end neither (LAW-21).
    expect([task.final().stage, task.pod]).toEqual(['operator-error', 'none'])
    expect([retry(task).stage, task.pod]).toEqual(['implementing', 'awaitingSlot'])
  })

  test('POD-21: an earlier pod, and one of a Task that waits already, parks nothing', () => {
    const parked = granted().outcome('discuss', { reason: '?' }).send('pod.notEnding', { pod: 1, name: 'pod-1' })
    expect([parked.stage, parked.reason]).toEqual(['awaiting-human', 'discuss'])
    const second = granted().final('lost').running().send('pod.notEnding', { pod: 1, name: 'pod-1' })
    expect(second.stage).toBe('implementing')
  })

  test('residency of an earlier visit does not count', () => {
    const task = granted()
      .final('gone', { residencyMs: 23 * 3_600_000 })
      .running()
    task.outcome('discuss', { reason: '?' }).final('gone', { residencyMs: 3_600_000 }).comment().running()
    expect(task.final('gone', { residencyMs: 2 * 3_600_000 }).stage).toBe('implementing')
  })

  test('Task work/waiting-for-reply: PARK-10: at its TTL, the question asked and nothing new: awaiting-human, waiting-for-reply', () => {
    const task = new ATask().mint().running().send('agent.asked', { pod: 1, repository: 'lib', number: 1 }).ended()
    expect(task.pod).toEqual({ working: 'idle' })
    expect([task.final().stage, task.reason]).toEqual(['awaiting-human', 'waiting-for-reply'])
    expect(task.comment().stage).toBe('implementing')
  })

  test('with something new it goes on in the next pod (STOP-SEQUENCE-8)', () => {
    const task = new ATask()
      .mint()
      .running()
      .send('agent.asked', { pod: 1, repository: 'lib', number: 1 })
      .ended()
      .comment()
    expect(task.final().pod).toBe('awaitingSlot')
    expect(task.context.journal.pending.length).toBe(1)
  })

  test('a review-kind Task waits for a reply in the same way', () => {
    const task = reviewTask().accepted().send('agent.asked', { pod: 1, repository: 'lib', number: 7 }).ended().final()
    expect([task.stage, task.reason]).toEqual(['awaiting-human', 'waiting-for-reply'])
  })

  test('a lost review pod is replaced, and the budget of the visit is not renewed', () => {
    const task = inReview()
    const startedAt = task.context.stage.workStartedAt
    task.pass(3_600_000).final('lost').running()
    expect(task.context.stage.workStartedAt).toBe(startedAt)
    expect(task.pod).toEqual({ working: 'busy' })
  })
})
