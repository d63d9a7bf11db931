import { describe, expect, test } from 'vitest'
import { granted, reworking, working, type ATask } from '../testing/a-task.ts'

const hour = 3_600_000
const proposal = { repo: 'lib', title: 'Cache the index', body: 'It is slow.', kind: 'improvement' } as const
const room = { left: 3, filed: [] }

describe('brainstorming', () => {
  const brainstorm = () => working('brainstorm')

  test('Task brainstorming/outcome: proposals are filed once its pod is gone, and it is delivered at the call', () => {
    const task = brainstorm().outcome('propose', { proposals: [proposal] }, { proposals: room })
    expect([task.stage, task.reason, task.answer?.body['files']]).toEqual([
      'delivered',
      null,
      [{ repo: 'lib', title: 'Cache the index' }],
    ])
    expect(task.did).not.toContain('fileIssue')
    task.final()
    expect(task.only('fileIssue')).toEqual([
      expect.objectContaining({ repository: 'lib', title: 'Cache the index', sort: 'proposal' }),
    ])
    expect(task.status).toBe('done')
  })

  test('Task brainstorming/outcome: skip says why in a note, and files nothing', () => {
    const task = brainstorm().outcome('skip', { reason: 'nothing worth it' }).final()
    expect([task.stage, task.did.includes('fileIssue')]).toEqual(['delivered', false])
    expect(task.context.journal.notes[0]).toMatchObject({ kind: 'finding', source: 'operator', agent: 'brainstorm' })
    expect(task.context.journal.notes[0]?.body).toContain('nothing worth it')
  })

  test('OUTCOME-RULE-7: more than fit are refused with the number left, and the pod may propose again (OUTCOME-BRAINSTORM-6)', () => {
    const two = [proposal, { ...proposal, title: 'Other' }]
    const task = brainstorm().outcome('propose', { proposals: two }, { proposals: { left: 1, filed: [] } })
    expect([task.stage, task.answer?.status, task.answer?.body]).toEqual([
      'brainstorming',
      409,
      expect.objectContaining({ code: 'proposal-cap', left: 1 }),
    ])
    expect(task.outcome('propose', { proposals: [proposal] }, { proposals: room }).stage).toBe('delivered')
  })

  test('OUTCOME-RULE-7: what is filed already is named and filed no second time, by title as people read it (OUTCOME-BRAINSTORM-8)', () => {
    const filed = [{ title: 'cache  the INDEX!', repository: 'lib', number: 4 }]
    const both = [proposal, { ...proposal, title: 'Other' }]
    const task = brainstorm().outcome('propose', { proposals: both }, { proposals: { left: 1, filed } })
    expect(task.answer?.body).toMatchObject({ files: [{ title: 'Other' }], filed })
    expect(task.final().only('fileIssue')).toHaveLength(1)
  })

  test('OUTCOME-RULE-7: the same title in another repository is another proposal, and twice in one call counts once', () => {
    const filed = [{ title: proposal.title, repository: 'lib', number: 4 }]
    const all = [
      { ...proposal, repo: 'app' },
      { ...proposal, repo: 'app', title: 'Cache the index.' },
    ]
    const task = brainstorm().outcome('propose', { proposals: all }, { proposals: { left: 1, filed } })
    expect(task.final().only('fileIssue')).toEqual([expect.objectContaining({ repository: 'app' })])
  })

  test('OUTCOME-RULE-7: nothing but duplicates is refused (OUTCOME-BRAINSTORM-8)', () => {
    const filed = [{ title: proposal.title, repository: 'lib', number: 4 }]
    const task = brainstorm().outcome('propose', { proposals: [proposal] }, { proposals: { left: 3, filed } })
    expect([task.stage, task.answer?.body['reason']]).toEqual(['brainstorming', 'duplicate-proposals'])
  })
})

describe('investigating', () => {
  const payload = { alert_rules: ['HighLatency'], reason: 'the cache is gone', issue: proposal }

  test('Task investigating/outcome: an issue with the incident label once the pod is gone (OUTCOME-INCIDENT-5)', () => {
    const task = working('incident').outcome('file_issue', payload)
    expect(task.stage).toBe('delivered')
    expect(task.final().only('fileIssue')).toEqual([
      expect.objectContaining({ sort: 'incident', body: expect.stringContaining('`HighLatency`') }),
    ])
  })

  test('Task investigating/outcome: a false positive is a note (OUTCOME-INCIDENT-5)', () => {
    const task = working('incident')
      .outcome('false_positive', { alert_rules: ['A', 'B'], reason: 'a deploy' })
      .final()
    expect([task.stage, task.did.includes('fileIssue')]).toEqual(['delivered', false])
    expect(task.context.journal.notes[0]?.body).toContain('`A`, `B`: a deploy')
  })

  test('Task investigating/joined: that its alert fired again is a note, and neither a turn nor a release (ALERTS-6)', () => {
    const task = working('incident').send('alert.joined')
    expect([task.stage, task.did]).toEqual(['investigating', []])
    expect(task.context.journal.notes).toMatchObject([{ kind: 'note', source: 'operator', agent: 'incident' }])
    const ending = working('incident').outcome('file_issue', payload).send('alert.joined')
    expect([ending.stage, ending.context.journal.notes.length]).toEqual(['delivered', 1])
  })
})

describe('refining', () => {
  test('Task refining/outcome: closes with its reason, and links each thread to the others (OUTCOME-REFINE-5, OUTCOME-REFINE-6)', () => {
    const task = working('refine').outcome('refine', {
      closes: [{ repo: 'lib', number: 3, reason: 'done in #2' }],
      links: [
        { repo: 'lib', number: 1 },
        { repo: 'app', number: 5, isPR: true },
      ],
    })
    expect([task.stage, task.did.includes('closeIssue')]).toEqual(['delivered', false])
    task.final()
    expect(task.only('closeIssue')).toEqual([
      expect.objectContaining({ number: 3, retires: true, comment: expect.stringContaining('done in #2') }),
    ])
    expect(task.only('postComment').map(({ on, number, body }) => [on, number, body])).toEqual([
      ['issue', 1, 'Related: app!5'],
      ['mr', 5, 'Related: lib#1'],
    ])
  })

  test('an outcome with nothing to do is an outcome (OUTCOME-REFINE-1)', () => {
    expect(working('refine').outcome('refine', {}).final().status).toBe('done')
  })

  test('a question that nobody can answer is no reason to wait: it owns no thread', () => {
    const task = working('refine').send('agent.asked', { pod: 1, repository: 'lib', number: 1 }).ended()
    expect([task.context.turn.prompt, task.context.turn.silentInRow]).toEqual(['continue', 1])
  })
})

describe.each([
  ['documentation', 'documenting'],
  ['upgrade', 'upgrading'],
] as const)('%s', (kind, stage) => {
  test('Task same/submitted: ungated, for it never owned an issue; then reviewed and merged', () => {
    const task = working(kind).submit()
    expect(task.stage).toBe('reviewing')
    task.pushed().ready().running().approve().final()
    expect(task.did).toContain('mergeMergeRequest')
    expect(task.merged().stage).toBe('delivered')
  })

  test('Task reviewing/request_changes: goes back to its own work stage (STAGE-1)', () => {
    const task = reworking(kind)
    expect([task.stage, task.context.pod.agentKind]).toEqual([stage, kind])
  })

  test('Task merging.asked/conflict: goes back to its own work stage', () => {
    const task = working(kind).submitToMerge()
    expect(task.mergeAnswer('mr.conflict').stage).toBe(stage)
  })

  test('Task opening/openFailed: goes back to its own work stage', () => {
    const task = working(kind).submit().pushed()
    task.send('mr.openFailed', { repository: 'lib', reason: '422', attempt: 1 })
    expect(task.stage).toBe(stage)
  })

  test('Task same/discuss: refused without an open merge request, parked with one (OUTCOME-WORK-6, OUTCOME-WORK-7)', () => {
    const task = working(kind).outcome('discuss', { reason: '?' })
    expect([task.stage, task.answer?.body['code']]).toEqual([stage, 'no-open-merge-request'])
    const open = reworking(kind).outcome('discuss', { reason: '?' }).final()
    expect([open.stage, open.reason]).toEqual(['awaiting-human', 'discuss'])
    expect(open.comment({ on: 'mr', number: 7 }).stage).toBe(stage)
  })

  test('STAGE-6: over its budget it fails without a merge request, and is parked with one', () => {
    const task = working(kind).fire(`${stage}Budget`)
    expect([task.stage, task.reason]).toEqual(['failed', 'stage-deadline'])
    const open = reworking(kind).fire(`${stage}Budget`)
    expect([open.stage, open.reason]).toEqual(['awaiting-human', 'stage-deadline'])
  })

  test('Task work/silent: the third silence in a row waits for a human', () => {
    expect(working(kind).ended().ended().ended().stage).toBe('awaiting-human')
  })
})

describe('declined', () => {
  test('Task implementing/declined: a documentation Task is parked for good; its merge request stays its own (OUTCOME-WORK-8, TASK-MOVES-7)', () => {
    const task = reworking('documentation').outcome('declined', { decline_reason: 'no' }).final()
    expect([task.stage, task.context.forge.mergeRequests[0]?.state]).toEqual(['implement-declined', 'open'])
    expect(task.only('postComment')).toEqual([expect.objectContaining({ on: 'mr', number: 7 })])
  })

  test('Task upgrading/declined: delivered without a merge request, for it must hold no place (OUTCOME-WORK-9, OUTCOME-RULE-6)', () => {
    const task = working('upgrade').outcome('declined', { decline_reason: 'nothing old enough' }).final()
    expect([task.stage, task.reason, task.status]).toEqual(['delivered', 'declined', 'done'])
  })

  test('Task upgrading/declined: with a merge request open a human is asked there (OUTCOME-WORK-9, OUTCOME-RULE-6)', () => {
    const task = reworking('upgrade').outcome('declined', { decline_reason: 'unsafe' }).final()
    expect([task.stage, task.reason]).toEqual(['awaiting-human', 'declined'])
    expect(task.only('postComment')).toEqual([expect.objectContaining({ on: 'mr' })])
    expect(task.comment({ on: 'mr', number: 7 }).stage).toBe('upgrading')
  })

  test('Task final/mr.ready: an opening that succeeds after the decline is given up, and people are told', () => {
    const task = working('upgrade').submit().pushed()
    task.send('effect.failed', { effect: 'openMergeRequest', reason: '500', key: 'k' })
    task.send('task.retry', { by: 'maya' }).running().outcome('declined', { decline_reason: 'no' })
    expect(task.stage).toBe('delivered')
    task.ready('lib', 'sha-1', 7, 1)
    expect(task.stage).toBe('delivered')
    expect(task.told('merge-request')).toEqual([expect.objectContaining({ type: 'mr.released' })])
    expect(task.only('postComment')).toHaveLength(1)
  })
})

describe('limits of the kinds that own no thread', () => {
  test.each([
    ['brainstorm', 4, 'brainstorming'],
    ['incident', 4, 'investigating'],
    ['refine', 2, 'refining'],
  ] as const)(
    'Task stages/budget: %s has %i h of work, then it fails (TASK-MOVES-11, STAGE-4)',
    (kind, hours, stage) => {
      const task = working(kind)
      const delays = Object.entries(task.timers).filter(([name]) => name.includes(`${stage}Budget`))
      expect(delays.map(([, delay]) => delay)).toEqual([hours * hour])
      expect([task.fire(`${stage}Budget`).stage, task.reason]).toEqual(['failed', 'stage-deadline'])
    },
  )

  test.each(['brainstorm', 'incident', 'refine'] as const)(
    'Task work/silent: the third silence in a row of %s fails it',
    (kind) => {
      const task = working(kind).ended().ended().ended()
      expect([task.stage, task.reason]).toEqual(['failed', 'no-outcome'])
    },
  )

  test.each(['brainstorm', 'incident', 'refine', 'documentation', 'upgrade'] as const)(
    'LAW-13: a %s Task that something outside stopped goes on by a retry',
    (kind) => {
      const task = working(kind).failed('api_error').fire('turnDelay').failed('api_error').fire('turnDelay')
      const { stage } = task
      expect(task.failed('api_error').stage).toBe('operator-error')
      expect(task.final().send('task.retry', { by: 'maya' }).stage).toBe(stage)
    },
  )

  test('an outcome of another kind is a mismatch, whatever its action is called', () => {
    const task = working('upgrade').outcome('submitted', {}, { kind: 'documentation' })
    expect(task.answer?.body['code']).toBe('kind-mismatch')
  })
})

describe('openings that come to nothing', () => {
  const submitted = (task: ATask) => task.running().submit().ended().final()

  test('Task opening/never: submitted three times with nothing pushed, a human is asked once, and a comment lets it go on (STAGE-10)', () => {
    const task = granted().ended().submit().ended().final()
    expect(task.stage).toBe('implementing')
    expect(submitted(task).stage).toBe('implementing')
    submitted(task)
    expect([task.stage, task.reason]).toEqual(['awaiting-human', 'not-opened'])
    expect(task.context.stage.detail).toContain('nothing was pushed')
    expect(task.only('postComment')).toEqual([expect.objectContaining({ on: 'issue', number: 1 })])
    expect([task.comment().stage, task.context.forge.failedOpenings]).toEqual(['implementing', 0])
  })

  test('Task opening/never: refusals by the forge count like empty pushes', () => {
    const task = granted()
    for (const attempt of [1, 2, 3]) {
      task.submit().pushed().send('mr.openFailed', { repository: 'lib', reason: '422', attempt })
      if (attempt < 3) task.running()
    }
    expect(task.where).toEqual(['awaiting-human', 'not-opened', 'the merge request could not be opened: 422'])
  })

  test('one that succeeds in between starts the count anew', () => {
    const task = granted().submit().ended().final().running().submit().pushed().ready()
    expect([task.stage, task.context.forge.failedOpenings]).toEqual(['reviewing', 0])
  })
})
