import { describe, expect, test } from 'vitest'
import { ATask, granted, inReview, issueId, taskId } from '../testing/a-task.ts'

const running = () => new ATask().mint().running()

describe('turns', () => {
  test('a comment while a turn runs is kept, and the next turn carries it (EVENTS-1)', () => {
    const task = running().comment()
    expect(task.told('pod')).toEqual([])
    task.send('agent.asked', { pod: 1, repository: 'lib', number: 1 }).ended()
    expect(task.told('pod')).toEqual([{ type: 'turn.requested', eventsUpTo: 1 }])
    expect(task.context.turn.prompt).toBe('events')
  })

  test('a comment wakes an idle pod at once', () => {
    const task = running().send('agent.asked', { pod: 1, repository: 'lib', number: 1 }).ended()
    expect(task.pod).toEqual({ working: 'idle' })
    expect(task.comment().told('pod')).toEqual([{ type: 'turn.requested', eventsUpTo: 1 }])
  })

  test('TURN-17: pending events are cleared up to what an accepted turn carried, and no further (EVENTS-5)', () => {
    const task = running().comment().comment().accepted(1)
    expect(task.context.journal.pending.map(({ n }) => n)).toEqual([2])
  })

  test('TURN-17: a turn that was never accepted keeps its events for the next pod (EVENTS-2, EVENTS-5)', () => {
    const task = running().comment().final('lost').running()
    expect(task.told('pod')).toEqual([{ type: 'turn.requested', eventsUpTo: 1 }])
    expect(task.context.journal.pending.length).toBe(1)
  })

  test('of more than 20 pending events the oldest is dropped (EVENTS-4, CONTINUITY-3)', () => {
    const task = running()
    for (let n = 0; n < 23; n += 1) task.comment()
    expect(task.context.journal.pending.map(({ n }) => n)).toEqual(Array.from({ length: 20 }, (_, index) => index + 4))
  })

  test('the newest word of the account is kept, whichever turn was read last', () => {
    const used = (usedPercent: number) => ({ usedPercent, resetsAt: 9 })
    const report = (reportedAt: number) => ({ fiveHour: used(reportedAt), weekly: used(1), reportedAt })
    const task = running().send('usage.reported', report(30)).send('usage.reported', report(20))
    expect(task.context.turn.accountUsage).toEqual(report(30))
    expect(task.send('usage.reported', report(40)).context.turn.accountUsage).toEqual(report(40))
  })

  test('TURN-14: ended without outcome or question, the agent is told to go on or submit', () => {
    const task = running().ended()
    expect(task.told('pod')).toEqual([{ type: 'turn.requested', eventsUpTo: 0 }])
    expect(task.context.turn.prompt).toBe('continue')
  })

  test('Task work/silent: TURN-14: the third in a row parks as no-outcome', () => {
    const task = running().ended().ended().ended()
    expect([task.stage, task.reason, task.pod]).toEqual(['awaiting-human', 'no-outcome', 'stopping'])
  })

  test('a question in between starts that count anew', () => {
    const task = running()
      .ended()
      .ended()
      .send('agent.asked', { pod: 1, repository: 'lib', number: 1 })
      .ended()
      .comment()
      .ended()
      .ended()
    expect(task.stage).toBe('implementing')
  })

  test('a review that ends its turns without a verdict is parked in the same way', () => {
    expect(inReview().ended().ended().ended().reason).toBe('no-outcome')
  })

  test('a hand-off turn is no silence and asks for nothing', () => {
    const task = running().ended({ purpose: 'handoff' }).ended({ purpose: 'handoff' }).ended({ purpose: 'handoff' })
    expect([task.stage, task.context.turn.silentInRow]).toEqual(['implementing', 0])
  })

  test('a turn that claimed an approval is no silence', () => {
    const task = running().planned().claimed().ended()
    expect([task.pod, task.context.turn.silentInRow]).toEqual([{ working: 'idle' }, 0])
  })

  test('the grant starts the turn that writes the code', () => {
    const task = running().planned().claimed().ended().grant()
    expect(task.told('pod')).toEqual([{ type: 'turn.requested', eventsUpTo: 1 }])
    expect(task.context.turn.prompt).toBe('write-code')
  })

  test('a failed turn is asked again after a backoff that grows', () => {
    const task = running().failed('api_error')
    expect([task.pod, task.timers['turnDelay']]).toEqual([{ working: 'resting' }, 30_000])
    expect(task.fire('turnDelay').told('pod')).toEqual([{ type: 'turn.requested', eventsUpTo: 0 }])
    expect(task.context.turn.prompt).toBe('retry')
    expect(task.failed('api_error').timers['turnDelay']).toBe(60_000)
  })

  test('Task work/turn.failed: the third failure in a row: operator-error with the cause (TURN-12)', () => {
    const task = running()
      .failed('api_error')
      .fire('turnDelay')
      .failed('max_tokens')
      .fire('turnDelay')
      .failed('api_error', { error: '529' })
    expect(task.where).toEqual(['operator-error', 'turn-failed', 'api_error: 529'])
  })

  test('TURN-13: a completed turn clears the failures', () => {
    const task = running()
      .failed('api_error')
      .fire('turnDelay')
      .failed('api_error')
      .fire('turnDelay')
      .ended()
      .failed('api_error')
    expect(task.stage).toBe('implementing')
  })

  test('a turn that ends well clears the failures, silences and losses in a row (TURN-13)', () => {
    const inRow = ({ context: { turn, pod } }: ATask) => [turn.failedInRow, turn.silentInRow, pod.lostInRow]
    const heard = (task: ATask) => task.planned().claimed().ended()
    const failed = running().failed('api_error').fire('turnDelay')
    const silent = running().ended()
    const lost = running().final('lost').running()
    expect([failed, silent, lost].map(inRow)).toEqual([
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ])
    for (const task of [failed, silent, lost]) expect(inRow(heard(task))).toEqual([0, 0, 0])
  })

  test.each(['usage_limit', 'key_refused', 'no_credit'])(
    'Task work/turn.failed: %s waits for its reset and counts as no failure (TURN-12)',
    (cause) => {
      const task = running()
      for (let n = 0; n < 4; n += 1) {
        task.failed(cause, { resetsAt: task.context.at + 5_400_000 })
        expect(task.timers['turnDelay']).toBe(5_400_000)
        task.fire('turnDelay')
      }
      expect([task.stage, task.context.turn.failedInRow]).toEqual(['implementing', 0])
    },
  )

  test.each(['agent_exited', 'expired', 'abandoned', 'shutdown'])(
    '%s belongs to the end of the pod and counts as no failure',
    (stopReason) => {
      const task = running().failed(stopReason)
      expect([task.pod, task.context.turn.failedInRow]).toEqual([{ working: 'ending' }, 0])
      expect(task.final('gone').pod).toBe('awaitingSlot')
    },
  )

  test('an interrupted turn takes its pod along and counts', () => {
    const task = running()
    for (let n = 0; n < 2; n += 1) task.failed('interrupted').final('gone').running()
    expect(task.failed('interrupted').stage).toBe('operator-error')
  })

  test('turns of an older pod move nothing, but what they pushed and spent is kept', () => {
    const task = running().final('lost').running()
    task.send('turn.ended', {
      pod: 1,
      turn: 0,
      purpose: 'work',
      finalText: 'late',
      usage: { inputTokens: 5 },
      pushed: ['lib'],
      failed: [],
    })
    expect(task.pod).toEqual({ working: 'busy' })
    expect(task.context.turn.pushedRepositories).toEqual(['lib'])
    expect(task.context.turn.usage).toEqual({ inputTokens: 5 })
  })

  test('what status shows of the last turn and of all of them (TASK-RESOURCE-11, TASK-RESOURCE-15)', () => {
    const task = running().ended({
      usage: { inputTokens: 5, costUsd: 0.5, byModel: {} },
      pushed: ['lib'],
      failed: [{ repo: 'app', error: 'x' }],
      finalText: 'hello',
    })
    task.ended({ usage: { inputTokens: 7 }, finalText: 'bye' })
    expect(task.context).toMatchObject({
      turn: {
        usage: { inputTokens: 12, costUsd: 0.5 },
        lastFinalText: 'bye',
        lastPushedRepos: [],
        count: 2,
        pushedRepositories: ['lib'],
      },
    })
    expect(Object.keys(task.context.turn.usage)).toEqual(['inputTokens', 'costUsd'])
  })

  test('LAW-19: a pod that is stopping gets no turn, whatever happens', () => {
    const task = granted()
      .outcome('discuss', { reason: '?' })
      .comment()
      .ended()
      .send('forge.event', { repository: 'lib', number: 1, author: 'x', kind: 'push' })
    expect(task.told('pod')).toEqual([])
    expect(task.pod).toBe('stopping')
  })
})

describe('time budgets', () => {
  test('STAGE-5: the budget starts at the first work of the visit and survives respawns (PROJECT-23, TASK-MOVES-11)', () => {
    const task = new ATask().mint().slot()
    expect(task.timers).toEqual({})
    expect(task.works().timers['implementingBudget']).toBe(72 * 3_600_000)
    const startedAt = task.context.stage.workStartedAt
    task.pass(1000).final('lost').running()
    expect(task.timers['implementingBudget']).toBe(72 * 3_600_000)
    expect(task.context.stage.workStartedAt).toBe(startedAt)
  })

  test('Task stages/budget: over budget: awaiting-human, stage-deadline, released by a comment with a new budget', () => {
    const task = running().fire('implementingBudget')
    expect([task.stage, task.reason, task.timers]).toEqual(['awaiting-human', 'stage-deadline', {}])
    task.final().comment()
    expect(task.stage).toBe('implementing')
    expect(task.running().timers['implementingBudget']).toBe(72 * 3_600_000)
  })

  test('Task stages/budget: PARK-9: a second stage-deadline of the Task needs a retry, which clears it', () => {
    const task = running().fire('implementingBudget').final().comment().running().fire('implementingBudget').final()
    expect(task.comment().stage).toBe('awaiting-human')
    expect(task.send('task.retry', { by: 'alice' }).stage).toBe('implementing')
    task.running().fire('implementingBudget').final()
    expect(task.comment().stage).toBe('implementing')
  })

  test('a review has 24 h (TASK-MOVES-11)', () => {
    const task = inReview()
    expect(task.timers['reviewingBudget']).toBe(24 * 3_600_000)
    expect(task.fire('reviewingBudget').reason).toBe('stage-deadline')
    expect(task.context.stage.parkedFrom).toBe('reviewing')
  })
})

describe('notes', () => {
  test('a note is kept with its writer, answered 201 and told to its pod (TOOL-NOTE-1, TOOL-NOTE-2, BUNDLE-17, TASK-RESOURCE-10)', () => {
    const task = running().send('note.written', {
      pod: 1,
      id: 'n1',
      kind: 'handoff',
      body: 'next: tests',
      bodyHash: 'h',
    })
    expect(task.answer).toEqual({ status: 201, body: { id: 'n1', kind: 'handoff', at: task.context.at } })
    expect(task.told('pod')).toEqual([{ type: 'pod.noted', kind: 'handoff', source: 'agent' }])
    expect(task.context.journal.notes).toEqual([
      {
        id: 'n1',
        agent: 'implement',
        pod: 1,
        at: task.context.at,
        kind: 'handoff',
        body: 'next: tests',
        bodyHash: 'h',
        source: 'agent',
      },
    ])
    expect(task.told('issue')).toEqual([])
  })

  test('APPROVAL-11: a plan is told to the issues, and the newest is the plan', () => {
    const task = running().planned('n1', 'h1').planned('n2', 'h2')
    expect([task.context.journal.planNoteId, task.context.journal.planHash]).toEqual(['n2', 'h2'])
    expect(task.told('issue')).toEqual([
      { type: 'plan.written', task: taskId, noteId: 'n2', planHash: 'h2', body: 'the plan' },
    ])
  })

  test('NOTE-3: the oldest notes give up the words that the store has, and nothing else (TASK-RESOURCE-10, CONTINUITY-2)', () => {
    const pod = 1
    const note = (n: number): Record<string, unknown> => ({
      pod,
      id: `n${n}`,
      kind: 'note',
      body: `b${n}`,
      bodyHash: `h${n}`,
    })
    const task = running()
    for (const n of [1, 2, 3]) task.send('note.written', note(n))
    const before = task.context.journal.notes
    task.send('note.written', { ...note(4), spilled: 2 })
    expect(task.context.journal.notes.slice(0, 3)).toEqual([
      { ...before[0], body: '', spilled: true },
      { ...before[1], body: '', spilled: true },
      before[2],
    ])
    expect(task.context.journal.notes[3]).toMatchObject({ id: 'n4', body: 'b4' })
    expect(task.send('note.written', note(5)).context.journal.notes.map(({ body }) => body)).toEqual([
      '',
      '',
      'b3',
      'b4',
      'b5',
    ])
  })

  test('without a live pod a note is refused: agent-kind-empty (TOOL-NOTE-7)', () => {
    const task = running().final('lost').planned()
    expect(task.answer).toMatchObject({ status: 409, body: { code: 'agent-kind-empty' } })
    expect(task.context.journal.notes).toEqual([])
  })

  test('a note of an older pod is refused: pod-superseded', () => {
    const task = running()
      .final('lost')
      .running()
      .send('note.written', { pod: 1, id: 'n', kind: 'note', body: '', bodyHash: '' })
    expect(task.answer).toMatchObject({ status: 409, body: { code: 'pod-superseded' } })
  })

  test('a stopping pod still leaves its note, also of a Task that has ended', () => {
    const task = granted()
      .send('task.close', { by: 'alice' })
      .send('note.written', { pod: 1, id: 'n9', kind: 'plan', body: 'b', bodyHash: 'h' })
    expect(task.answer?.status).toBe(201)
    expect(task.told('issue')).toEqual([])
  })

  test('LAW-6, NOTE-2: a missing note is written from the last turn of that pod (BUNDLE-17, STOP-SEQUENCE-5)', () => {
    const task = running()
      .ended({ finalText: 'half done', pushed: ['lib'], failed: [{ repo: 'app', error: 'rejected' }] })
      .send('pod.noteMissing', { pod: 1, reason: 'ttl' })
    const [note] = task.context.journal.notes
    expect(note).toMatchObject({ source: 'operator', kind: 'handoff', pod: 1, agent: 'implement' })
    expect(note?.body).toContain('half done')
    expect(note?.body).toContain('Pushed: lib')
    expect(note?.body).toContain('Failed to push: app')
    expect(task.told('pod')).toEqual([{ type: 'pod.noted', kind: 'handoff', source: 'operator' }])
  })

  test('with nothing to write from it is a placeholder, never the words of an earlier pod', () => {
    const task = running()
      .ended({ finalText: 'of pod one' })
      .final('lost')
      .slot()
      .send('pod.noteMissing', { pod: 2, reason: 'boot-budget' })
    expect(task.context.journal.notes[0]?.body).toContain('handoff=none')
    expect(task.context.journal.notes[0]?.body).not.toContain('of pod one')
  })

  test('STOP-SEQUENCE-6: a note says of itself that there was nothing to go on from (STOP-SEQUENCE-6)', () => {
    const nothing = running().ended({ finalText: '', pushed: [], failed: [] })
    nothing.send('pod.noteMissing', { pod: 1, reason: 'ttl' })
    expect(nothing.context.journal.notes[0]).toMatchObject({
      empty: true,
      body: expect.stringContaining('handoff=none'),
    })
    const pushed = running().ended({ finalText: '', pushed: ['lib'], failed: [] })
    pushed.send('pod.noteMissing', { pod: 1, reason: 'ttl' })
    expect(pushed.context.journal.notes[0]).not.toHaveProperty('empty')
    expect(pushed.context.journal.notes[0]?.body).not.toContain('handoff=none')
  })

  test('a note of the platform has the words in which its pod ended', () => {
    const task = running().send('pod.noteMissing', { pod: 1, reason: 'OOMKilled', detail: 'its last words' })
    expect(task.context.journal.notes[0]?.body).toContain('The pod ended: OOMKilled: its last words.')
  })

  test('asked twice, it is written once and told twice', () => {
    const task = running()
      .send('pod.noteMissing', { pod: 1, reason: 'x' })
      .send('pod.noteMissing', { pod: 1, reason: 'x' })
    expect(task.context.journal.notes.length).toBe(1)
    expect(task.did).toEqual(['pod<pod.noted'])
  })
})

test('a Task remembers at most 200 stage entries', () => {
  const task = granted()
  for (let n = 0; n < 120; n += 1) task.outcome('discuss', { reason: '?' }).final().comment().running()
  expect(task.context.stage.history.length).toBe(200)
  expect(task.context.stage.history.at(-1)?.stage).toBe('implementing')
  expect(issueId).toBe(task.context.forge.issues[0]?.issue)
})
