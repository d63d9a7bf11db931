import { describe, expect, test } from 'vitest'
import {
  ATask,
  aMergeRequest,
  anIssue,
  granted,
  inReview,
  inReviewOfTwo,
  issueId,
  merging,
  opening,
  parkedBy,
  reviewTask,
  taskId,
} from '../testing/a-task.ts'

describe('reviewing.opening', () => {
  test('Task opening/asked: STAGE-9: opens the pushed repository once the submitting pod is gone, with what was submitted', () => {
    const task = opening()
    expect(task.only('openMergeRequest')).toEqual([
      {
        project: 'default/demo',
        repository: 'lib',
        branch: 'platform/implement-lib-1-x7k2p',
        title: 'Make it so',
        body: 'It is so.',
        closes: [1],
        attempt: 1,
      },
    ])
    expect(task.pod).toBe('none')
  })

  test('STAGE-8: no review pod before the merge request is ready', () => {
    const task = opening()
    expect(task.context.stage.wants).toBeNull()
    task.ready()
    expect(task.did).toEqual(['withdrawEffects', 'merge-request<mr.owned', 'queue<queue.enqueue'])
    expect(task.context.forge.mergeRequests).toMatchObject([{ number: 7, headSha: 'sha-1', state: 'open' }])
  })

  test('Task opening/openFailed: nothing pushed: back to work, and the agent is told', () => {
    const task = granted().submit().final()
    expect(task.stage).toBe('implementing')
    expect(task.did).not.toContain('openMergeRequest')
    expect(task.context.journal.pending.at(-1)).toMatchObject({
      kind: 'push',
      text: expect.stringContaining('nothing was pushed'),
    })
    expect(task.pod).toBe('awaitingSlot')
  })

  test('STAGE-9: a push that failed: back to work (OUTCOME-IMPLEMENT-12, WORK-PUSH-6)', () => {
    const task = granted()
      .submit()
      .ended({ pushed: ['lib'], failed: [{ repo: 'app', error: 'rejected' }] })
      .final()
    expect([task.stage, task.did.includes('openMergeRequest')]).toEqual(['implementing', false])
  })

  test('FORGE-WRITES-2: a plan that changed while the pod stopped: back to work', () => {
    const task = granted().submit().planned('note-2', 'plan-2').pushed()
    expect([task.stage, task.did.includes('openMergeRequest')]).toEqual(['implementing', false])
  })

  test('several repositories pushed and no order for them: back to work', () => {
    const task = granted().submit().pushed(['lib', 'app'])
    expect(task.stage).toBe('implementing')
    expect(task.context.journal.pending.at(-1)?.text).toContain('merge_order')
  })

  test('Task opening/openFailed: mr.openFailed: back to work with the reason, and what is outstanding is withdrawn', () => {
    const task = opening().send('mr.openFailed', { repository: 'lib', reason: 'no commits', attempt: 1 })
    expect(task.stage).toBe('implementing')
    expect(task.only('withdrawEffects')).toEqual([{ types: ['openMergeRequest'] }])
    expect(task.context.journal.pending.at(-1)?.text).toContain('no commits')
  })

  test('the failure of an earlier attempt moves nothing', () => {
    const task = opening()
      .send('mr.openFailed', { repository: 'lib', reason: 'x', attempt: 1 })
      .running()
      .submit()
      .final()
    expect(task.context.forge.openAttempt).toBe(2)
    task.send('mr.openFailed', { repository: 'lib', reason: 'late', attempt: 1 })
    expect(task.stage).toBe('reviewing')
  })

  test('Task opening/ready: waits for every repository', () => {
    const task = opening(['lib', 'app'], { repositories: ['lib', 'app'] })
    expect(task.only('openMergeRequest').map(({ repository }) => repository)).toEqual(['lib', 'app'])
    task.ready('app', 'sha-2', 8)
    expect(task.context.stage.wants).toBeNull()
    task.ready('lib', 'sha-1', 7)
    expect(task.context.stage.wants).toBe('review')
  })

  test('STAGE-11: the first one merged before the second is open delivers nothing', () => {
    const task = opening(['lib', 'app'], { repositories: ['lib', 'app'] })
      .ready('lib')
      .merged('lib')
    expect(task.stage).toBe('reviewing')
    task.ready('app', 'sha-2', 8)
    expect([task.stage, task.context.stage.wants]).toEqual(['reviewing', 'review'])
  })

  test('STAGE-11: neither does it after an opening that failed, until that repository is ready', () => {
    const task = opening(['lib', 'app'], { repositories: ['lib', 'app'] })
      .ready('lib')
      .send('mr.openFailed', { repository: 'app', reason: 'x', attempt: 1 })
    expect(task.stage).toBe('implementing')
    expect(task.merged('lib').stage).toBe('implementing')
  })

  test('a repository whose merge request is merged is opened in no more', () => {
    const task = opening(['lib', 'app'], { repositories: ['lib', 'app'] })
      .ready('lib')
      .ready('app', 'sha-2', 8)
      .merged('lib')
    task
      .running()
      .requestChanges({ findings: [] })
      .final()
      .running()
      .submit({ merge_order: ['lib', 'app'] })
      .pushed(['app'])
    expect(task.only('openMergeRequest').map(({ repository }) => repository)).toEqual(['app'])
  })

  test('Task opening/deadline: 6 h without an answer: awaiting-human, what was asked for is taken back, and a comment goes to work', () => {
    const task = opening().fire('openingBudget')
    expect([task.stage, task.reason, task.only('withdrawEffects')]).toEqual([
      'awaiting-human',
      'open-deadline',
      [{ types: ['openMergeRequest'] }],
    ])
    expect(task.comment().stage).toBe('implementing')
  })

  test('FORGE-WRITES-1, LAW-17: leaving it for any reason withdraws what it asked for', () => {
    for (const task of [
      opening().send('task.close', { by: 'a' }),
      opening().send('approval.revoked', { issue: issueId, reason: 'x' }),
      opening().send('effect.failed', { effect: 'openMergeRequest', reason: 'x', key: 'k' }),
    ]) {
      expect(task.only('withdrawEffects')).toEqual([{ types: ['openMergeRequest'] }])
    }
  })

  test('Task live/mr.ready: J: a merge request that is ready late is owned all the same', () => {
    const task = opening().send('effect.failed', { effect: 'openMergeRequest', reason: 'x', key: 'k' }).ready()
    expect([task.stage, task.context.forge.mergeRequests.length]).toEqual(['operator-error', 1])
    expect(task.told('merge-request')).toEqual([{ type: 'mr.owned', task: taskId }])
  })

  test('Task final/mr.ready: J: ready while the ended Task still stops its pod: given up, and people are told (OWNERSHIP-5)', () => {
    const task = granted().send('task.close', { by: 'a' }).ready()
    expect(task.told('merge-request')).toMatchObject([{ type: 'mr.released', task: taskId }])
    expect(task.only('postComment')[0]).toMatchObject({ on: 'mr', number: 7 })
  })
})

describe('merging', () => {
  test('Task merging.settling/no-pod: MERGE-1, LAW-16: the merge is asked for only when no pod lives', () => {
    const task = inReview().approve()
    expect(task.did).not.toContain('mergeMergeRequest')
    expect(task.final().did).toContain('mergeMergeRequest')
  })

  test('Task delivered/entry: merged: delivered, and every issue is told', () => {
    const task = merging().merged()
    expect([task.stage, task.reason, task.status]).toEqual(['delivered', null, 'done'])
    expect(task.told('issue')).toEqual([{ type: 'task.delivered', task: taskId }])
    expect(task.did).toContain('deleteWorkspace')
  })

  test.each([
    ['mr.conflict', 'merge_conflict'],
    ['mr.ciRed', 'ci'],
  ])('Task merging.asked/conflict: %s of its own ask goes back to work', (type, kind) => {
    const task = merging().mergeAnswer(type)
    expect(task.stage).toBe('implementing')
    expect(task.context.journal.pending.at(-1)?.kind).toBe(kind)
    expect(task.only('withdrawEffects')).toEqual([{ types: ['mergeMergeRequest'] }])
    expect(task.told('merge-request')).toMatchObject([{ type: 'merge.left' }])
  })

  test.each([
    ['mr.conflict', 'conflict'],
    ['mr.ciRed', 'ci-red'],
  ])('%s parks a review-kind Task', (type, reason) => {
    const task = reviewTask().approve().final().mergeAnswer(type)
    expect([task.stage, task.reason]).toEqual(['awaiting-human', reason])
  })

  test.each(['mr.conflict', 'mr.ciRed'])('MERGE-2: a late %s parks no Task that only reviews', (type) => {
    const task = reviewTask().approve().final().mergeAnswer(type, { attempt: 0 })
    expect([task.stage, task.effects.length]).toEqual(['merging', 0])
    expect(task.mergeAnswer(type).stage).toBe('awaiting-human')
  })

  test.each([{ attempt: 0 }, { sha: 'sha-0' }, { number: 9 }])(
    'MERGE-2: an answer to another ask (%o) moves nothing',
    (other) => {
      for (const type of ['mr.conflict', 'mr.ciRed', 'mr.ciPending', 'mr.notMergeableYet', 'mr.mergeRefused']) {
        const task = merging().mergeAnswer(type, other)
        expect([task.stage, task.effects.length]).toEqual(['merging', 0])
      }
    },
  )

  test.each(['mr.ciPending', 'mr.notMergeableYet'])(
    'Task merging.asked/pending: %s: asked again with backoff, each time as a new attempt (MERGE-5)',
    (type) => {
      const task = merging()
      const waits: unknown[] = []
      for (let ask = 0; ask < 8; ask += 1) {
        task.mergeAnswer(type)
        waits.push(task.timers['mergeDelay'])
        task.fire('mergeDelay')
        expect(task.only('mergeMergeRequest')).toMatchObject([{ sha: 'sha-1', attempt: ask + 2 }])
      }
      expect(waits).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000])
      expect(task.told('merge-request')).toEqual([])
    },
  )

  test('Task stages/merge-deadline: 6 h: awaiting-human, merge-deadline, whatever was asked in between (TASK-MOVES-11, STAGE-4)', () => {
    const task = merging()
    expect(task.timers['mergingBudget']).toBe(6 * 3_600_000)
    task.mergeAnswer('mr.ciPending').fire('mergingBudget')
    expect([task.stage, task.reason, task.timers]).toEqual(['awaiting-human', 'merge-deadline', {}])
  })

  test('Task merging.asked/refused: MERGE-6: refused by the forge: awaiting-human at once, with what to change, said once', () => {
    const task = merging().mergeAnswer('mr.mergeRefused', { reason: 'required reviews' })
    expect(task.where).toEqual(['awaiting-human', 'merge-refused', 'required reviews'])
    expect(task.only('postComment').length).toBe(1)
    expect(task.comment().stage).toBe('reviewing')
  })

  describe('a check that is red and not required', () => {
    const red = (...optional: string[]) => ({ reason: 'codecov: failure', optional })
    const again = (task: ATask) => task.running().submitToMerge()

    test('Task merging.asked/optional: MERGE-15: gives two laps of work, then a human is asked, once', () => {
      const task = merging()
      for (const lap of [1, 2]) {
        expect([task.mergeAnswer('mr.ciRed', red('codecov')).stage, lap]).toEqual(['implementing', lap])
        expect(task.only('postComment')).toEqual([])
        again(task)
      }
      task.mergeAnswer('mr.ciRed', red('codecov'))
      expect(task.where).toEqual(['awaiting-human', 'optional-check', 'codecov: failure'])
      expect(task.only('postComment')).toMatchObject([
        { on: 'mr', number: 7, body: expect.stringMatching(/after 2 laps of work: `codecov`.*\?/) },
      ])
    })

    test('MERGE-15: laps are counted by name; another check that turns red has its own', () => {
      const task = merging().mergeAnswer('mr.ciRed', red('codecov'))
      again(task).mergeAnswer('mr.ciRed', red('codecov'))
      expect(again(task).mergeAnswer('mr.ciRed', red('codecov', 'vercel')).stage).toBe('implementing')
      again(task).mergeAnswer('mr.ciRed', red('vercel'))
      expect([task.stage, again(task).mergeAnswer('mr.ciRed', red('vercel', 'codecov')).stage]).toEqual([
        'implementing',
        'awaiting-human',
      ])
    })

    test('MERGE-15: one of which nobody can read whether it is required has two laps too, and the question says what is unread', () => {
      const unread = 'codecov: failure; whether the forge requires it is unknown: the rulesets of main'
      const unclear = { reason: unread, unclear: ['codecov'] }
      const task = merging()
      for (const lap of [1, 2]) {
        expect([task.mergeAnswer('mr.ciRed', unclear).stage, lap]).toEqual(['implementing', lap])
        again(task)
      }
      task.mergeAnswer('mr.ciRed', unclear)
      expect(task.where).toEqual(['awaiting-human', 'optional-check', unread])
      const [{ body = '' } = {}] = task.only('postComment') as { body?: string }[]
      expect(body).toContain(`cannot read whether the forge requires it (${unread})`)
      expect(body).not.toContain('does not require it')
      const yes = { by: 'maya', shas: [{ repository: 'lib', number: 7, sha: 'sha-1', base: 'main' }] }
      expect(task.send('mr.goAhead', yes).only('mergeMergeRequest')).toMatchObject([{ despite: ['codecov'] }])
    })

    test('MERGE-15: what becomes unread after a lap has one lap left, and none anew', () => {
      const task = again(merging().mergeAnswer('mr.ciRed', red('codecov')))
      again(task.mergeAnswer('mr.ciRed', { unclear: ['codecov'] }))
      expect(task.mergeAnswer('mr.ciRed', red('codecov')).reason).toBe('optional-check')
    })

    test('MERGE-15: laps of one repository are none of another', () => {
      const task = inReviewOfTwo().approve().final()
      for (const lap of [1, 2]) {
        task
          .mergeAnswer('mr.ciRed', red('codecov'))
          .running()
          .submit({ merge_order: ['lib', 'app'] })
        task.pushed(['lib', 'app']).ready('lib', 'sha-1', 7).ready('app', 'sha-2', 8).running()
        expect([task.approve().final().stage, lap]).toEqual(['merging', lap])
      }
      expect(task.merged('lib').mergeAnswer('mr.ciRed', red('codecov')).stage).toBe('implementing')
    })

    test('MERGE-15: a word of a person gives new laps, and a required check has no such limit', () => {
      const task = merging()
      for (let lap = 0; lap < 2; lap += 1) again(task.mergeAnswer('mr.ciRed', red('codecov')))
      task.mergeAnswer('mr.ciRed', red('codecov')).comment().running().approve().final()
      expect(task.mergeAnswer('mr.ciRed', red('codecov')).stage).toBe('implementing')
      for (let lap = 0; lap < 4; lap += 1) again(task).mergeAnswer('mr.ciRed', { reason: 'test: failure' })
      expect(task.stage).toBe('implementing')
    })
  })

  describe('a check that is open and not required', () => {
    const open = (names: object) => ({ reason: 'preview: pending', ...names })
    /** As long as the answer comes at each ask. */
    const asked = (task: ATask, asks: number, names: object = { optional: ['preview'] }): ATask => {
      for (let ask = 1; ask < asks; ask += 1) task.mergeAnswer('mr.ciPending', open(names)).fire('mergeDelay')
      return task
    }

    test('Task merging.asked/open: MERGE-15: people are asked about it after an hour of asks, and not before', () => {
      const task = asked(merging(), 18)
      expect(task.stage).toBe('merging')
      const waited = task.context.at - task.context.stage.enteredAt
      expect([waited >= 3_600_000, waited < 3_900_000]).toEqual([true, true])
      task.mergeAnswer('mr.ciPending', open({ optional: ['preview'] }))
      expect(task.where).toEqual(['awaiting-human', 'optional-check', 'preview: pending'])
      expect(task.only('postComment')).toMatchObject([
        { body: expect.stringMatching(/^Still open after an hour: `preview`\. The forge does not require it\./) },
      ])
      const yes = { by: 'maya', shas: [{ repository: 'lib', number: 7, sha: 'sha-1', base: 'main' }] }
      expect(task.send('mr.goAhead', yes).only('mergeMergeRequest')).toMatchObject([{ despite: ['preview'] }])
    })

    test('MERGE-15: nobody is asked about a check that is required, however long it takes', () => {
      expect(asked(merging(), 30, {}).mergeAnswer('mr.ciPending', open({})).stage).toBe('merging')
    })

    test('MERGE-15: of two merge requests each has its hour, and pauses of its own', () => {
      const task = asked(inReviewOfTwo().approve().final(), 18).merged('lib')
      task.mergeAnswer('mr.ciPending', open({ optional: ['preview'] }))
      expect([task.stage, task.timers['mergeDelay']]).toEqual(['merging', 5_000])
    })

    test('MERGE-15: of a check that nobody can read whether it is required the question says so', () => {
      const task = asked(merging(), 18).mergeAnswer('mr.ciPending', open({ unclear: ['preview'] }))
      expect(task.only('postComment')).toMatchObject([
        { body: expect.stringContaining('cannot read whether the forge requires it') },
      ])
    })
  })

  describe('a question about red checks that are not required', () => {
    const red = (...optional: string[]) => ({ reason: 'codecov: failure', optional })
    const yes = (sha = 'sha-1', repository = 'lib', number = 7) => ({
      by: 'maya',
      shas: [{ repository, number, sha, base: 'main' }],
    })
    /** Asked, after two laps of work for each of them. */
    const asked = (...checks: string[]): ATask => {
      const task = merging()
      for (let lap = 0; lap < 2; lap += 1)
        task
          .mergeAnswer('mr.ciRed', red(...checks))
          .running()
          .submitToMerge()
      return task.mergeAnswer('mr.ciRed', red(...checks))
    }

    test('MERGE-15: says that a maintainer may merge exactly this head in spite of them', () => {
      expect(asked('codecov').only('postComment')).toMatchObject([
        { number: 7, body: expect.stringMatching(/`\/approve`.*exactly this head.*in spite of `codecov`/) },
      ])
    })

    test('MERGE-15, REVIEW-5: a go-ahead on exactly the reviewed head merges it, in spite of the checks that the question names', () => {
      const task = asked('codecov', 'vercel').send('mr.goAhead', { ...yes(), text: 'ship it' })
      expect([task.stage, task.context.journal.pending.at(-1)?.text]).toEqual(['merging', 'ship it'])
      expect(task.only('mergeMergeRequest')).toMatchObject([{ sha: 'sha-1', despite: ['codecov', 'vercel'] }])
      expect(task.merged().stage).toBe('delivered')
    })

    test('MERGE-15: no other merge leaves a red check aside', () => {
      expect(merging().only('mergeMergeRequest')[0]).not.toHaveProperty('despite')
      const task = asked('codecov').comment().running().approve().final()
      expect(task.only('mergeMergeRequest')[0]).not.toHaveProperty('despite')
    })

    test('MERGE-15: the go-ahead stands for each ask of this head, and for no other head', () => {
      const task = asked('codecov').send('mr.goAhead', yes()).mergeAnswer('mr.ciPending').fire('mergeDelay')
      expect(task.only('mergeMergeRequest')).toMatchObject([{ despite: ['codecov'] }])
      task.headMoved('sha-2').running().approve().final()
      expect(task.only('mergeMergeRequest')).toMatchObject([{ sha: 'sha-2' }])
      expect(task.only('mergeMergeRequest')[0]).not.toHaveProperty('despite')
      task.mergeAnswer('mr.ciRed', red('codecov'))
      expect([task.stage, task.reason, task.only('postComment').length]).toEqual([
        'awaiting-human',
        'optional-check',
        1,
      ])
    })

    test('MERGE-15: another check that turns red after the go-ahead has its own laps, and a required one has work', () => {
      const task = asked('codecov').send('mr.goAhead', yes())
      expect(task.mergeAnswer('mr.ciRed', red('codecov', 'vercel')).stage).toBe('implementing')
      const other = asked('codecov').send('mr.goAhead', yes())
      expect(other.mergeAnswer('mr.ciRed', { reason: 'test: failure' }).stage).toBe('implementing')
    })

    test('MERGE-15: a go-ahead on another head reviews and asks again, without a lap of work', () => {
      const task = asked('codecov').headMoved('sha-2', { byOwnPod: true }).send('mr.goAhead', yes())
      expect(task.stage).toBe('reviewing')
      task.running().approve().final().mergeAnswer('mr.ciRed', red('codecov'))
      expect([task.stage, task.reason]).toEqual(['awaiting-human', 'optional-check'])
      expect(task.send('mr.goAhead', yes('sha-1')).stage).toBe('reviewing')
    })

    test('MERGE-15: a new head of somebody else is reviewed and asked about again, without a lap of work', () => {
      const task = asked('codecov').headMoved('sha-2')
      expect(task.stage).toBe('reviewing')
      expect(task.running().approve().final().mergeAnswer('mr.ciRed', red('codecov')).reason).toBe('optional-check')
      expect(asked('codecov').headMoved('sha-2', { gated: false }).stage).toBe('awaiting-human')
    })

    test('MERGE-15: a withdrawal takes the go-ahead back, before the merge and in it', () => {
      const withdrawn = { issue: issueId, reason: 'hold' }
      const waiting = asked('codecov').send('approval.revoked', withdrawn)
      expect([waiting.stage, waiting.reason]).toEqual(['awaiting-human', 'approval-revoked'])
      expect(waiting.send('mr.goAhead', yes()).stage).toBe('awaiting-human')
      const task = asked('codecov').send('mr.goAhead', yes()).send('approval.revoked', withdrawn).grant().running()
      expect(task.approve().final().only('mergeMergeRequest')[0]).not.toHaveProperty('despite')
    })

    test('MERGE-15: after the go-ahead a word that withholds still parks, and lifted it lets the same head go on', () => {
      const task = asked('codecov')
        .send('mr.goAhead', yes())
        .mergeAnswer('mr.mergeRefused', { cause: 'withheld', reason: '/hold' })
      expect(task.reason).toBe('withheld')
      task.send('mr.goAhead', yes()).running().approve().final()
      expect(task.only('mergeMergeRequest')).toMatchObject([{ despite: ['codecov'] }])
    })

    test('MERGE-15: in any other park the same word merges nothing', () => {
      const task = asked('codecov').send('mr.goAhead', yes()).fire('mergingBudget')
      expect(task.send('mr.goAhead', yes()).stage).toBe('reviewing')
    })

    test('MERGE-15: of two merge requests only the one that the question is about needs the go-ahead', () => {
      const two = (): ATask => {
        const task = inReviewOfTwo().approve().final()
        for (let lap = 0; lap < 2; lap += 1) {
          task
            .mergeAnswer('mr.ciRed', red('codecov'))
            .running()
            .submit({ merge_order: ['lib', 'app'] })
          task.pushed(['lib', 'app']).ready('lib', 'sha-1', 7).ready('app', 'sha-2', 8).running().approve().final()
        }
        return task.mergeAnswer('mr.ciRed', red('codecov'))
      }
      expect(two().send('mr.goAhead', yes('sha-2', 'app', 8)).stage).toBe('reviewing')
      expect(two().closed('lib', 7).send('mr.goAhead', yes()).stage).toBe('reviewing')
      const task = two().send('mr.goAhead', yes())
      expect(task.only('mergeMergeRequest')).toMatchObject([{ repository: 'lib', despite: ['codecov'] }])
      task.merged('lib')
      expect(task.only('mergeMergeRequest')).toMatchObject([{ repository: 'app' }])
      expect(task.only('mergeMergeRequest')[0]).not.toHaveProperty('despite')
    })
  })

  describe('a maintainer withholds the merge', () => {
    const changes = { cause: 'changes', review: 'lib!7/review-1', reason: 'acme requests changes' }

    test('Task merging.asked/withheld: MERGE-13: a review that requests changes has one lap of work, then a human decides', () => {
      const task = merging().mergeAnswer('mr.mergeRefused', changes)
      expect([task.stage, task.only('postComment').length]).toEqual(['implementing', 0])
      expect(task.context.journal.pending.at(-1)).toMatchObject({ kind: 'mr_review', text: 'acme requests changes' })
      expect(task.context.forge.reviewsAnswered).toEqual([changes.review])
      const again = task.running().submitToMerge()
      expect(again.mergeAnswer('mr.mergeRefused', changes).stage).toBe('awaiting-human')
      expect(again.reason).toBe('withheld')
    })

    test.each([
      ['withheld', 'withheld'],
      ['protected-paths', 'protected-paths'],
    ])('MERGE-11, MERGE-12: %s: awaiting-human at once, in the words of the answer', (cause, reason) => {
      const task = merging().mergeAnswer('mr.mergeRefused', { cause, reason: 'acme wrote "/hold"' })
      expect(task.where).toEqual(['awaiting-human', reason, 'acme wrote "/hold"'])
      expect(task.only('postComment')).toMatchObject([{ body: 'This merge has to wait: acme wrote "/hold".' }])
    })
  })

  test('Task merging/headMoved: HEAD-2: a head that is not the judged one goes to reviewing, not to work, and the verdict is off', () => {
    const task = merging().headMoved('sha-2')
    expect([task.stage, task.context.forge.verdict]).toEqual(['reviewing', null])
    expect(task.context.journal.pending.at(-1)).toMatchObject({ kind: 'push', text: 'new head sha-2' })
    expect(task.only('withdrawEffects')).toEqual([{ types: ['mergeMergeRequest'] }])
  })

  test('HEAD-2: an echo of the judged head moves nothing', () => {
    const task = merging().headMoved('sha-1')
    expect([task.stage, task.effects.length]).toEqual(['merging', 0])
  })

  test('APPROVAL-7: a withdrawn approval parks it, with grant and verdict off (CLAIM-19)', () => {
    const task = merging().send('approval.revoked', { issue: issueId, reason: 'withdrawn' })
    expect([task.stage, task.reason, task.context.forge.verdict, task.context.forge.issues[0]?.grant]).toEqual([
      'awaiting-human',
      'approval-revoked',
      null,
      null,
    ])
    expect(task.only('withdrawEffects')).toEqual([{ types: ['mergeMergeRequest'] }])
  })

  test('FORGE-WRITES-1: closing the Task withdraws the merge', () => {
    expect(merging().send('task.close', { by: 'a' }).only('withdrawEffects')).toEqual([
      { types: ['mergeMergeRequest'] },
    ])
  })

  test('Task merging.asked/next: MERGE-3: of two repositories the next in order follows the first', () => {
    const task = inReviewOfTwo().approve().final()
    expect(task.only('mergeMergeRequest')).toMatchObject([{ repository: 'lib', sha: 'sha-1', attempt: 1 }])
    task.merged('lib')
    expect(task.did).toEqual(['withdrawEffects', 'mergeMergeRequest', 'merge-request<merge.asked'])
    expect(task.only('mergeMergeRequest')).toMatchObject([{ repository: 'app', sha: 'sha-2', attempt: 2 }])
    expect(task.merged('app', 8).stage).toBe('delivered')
  })

  test('Task merging/closed: PARK-7: the one that is not merged yet is closed by a human: awaiting-human, mr-closed', () => {
    const task = inReviewOfTwo().approve().final().closed('app', 8)
    expect([task.stage, task.reason]).toEqual(['awaiting-human', 'mr-closed'])
  })

  test('a second merge request that nobody judged is reviewed before anything merges', () => {
    const task = merging().ready('app', 'sha-2', 8, 99)
    expect(task.stage).toBe('reviewing')
    expect(task.context.forge.verdict).toBeNull()
  })

  test('review-kind: a good head of an author who may merge is merged without any grant', () => {
    expect(reviewTask().approve().final().only('mergeMergeRequest')).toMatchObject([{ sha: 'sha-1', grants: [] }])
  })
})

describe('mr.noneOpen, in any live stage', () => {
  test('MERGE-10: merged by a human while the agent still works: delivered, though nobody approved it here', () => {
    const task = inReview().requestChanges().final().running().merged()
    expect([task.stage, task.pod]).toEqual(['delivered', 'stopping'])
  })

  test('Task live/noneOpen: STAGE-12: one merged, the other closed: delivered, partly-merged', () => {
    const task = inReviewOfTwo().merged('lib').closed('app', 8)
    expect([task.stage, task.reason]).toEqual(['delivered', 'partly-merged'])
  })

  test('Task live/noneOpen: none merged: rejected, and its issues are told', () => {
    const task = inReview().closed()
    expect([task.stage, task.reason]).toEqual(['rejected', 'mr-closed'])
    expect(task.told('issue')).toMatchObject([{ type: 'task.ended', stage: 'rejected' }])
  })

  test('also while parked', () => {
    expect(parkedBy('needs-maintainer').merged().stage).toBe('delivered')
    expect(parkedBy('operator-error').send('task.retry', { by: 'a' }).stage).toBe('implementing')
  })

  test('STAGE-11: a Task without merge requests is not done by that', () => {
    const task = granted().merged().closed()
    expect(task.stage).toBe('implementing')
  })

  test('an unfinished sibling keeps the Task going', () => {
    expect(inReviewOfTwo().merged('lib').stage).toBe('reviewing')
    expect(inReviewOfTwo().closed('lib').stage).toBe('reviewing')
  })

  test('records go forward only: a late ready reopens no merged one', () => {
    const task = inReviewOfTwo().merged('lib').ready('lib', 'sha-0', 7)
    expect(task.context.forge.mergeRequests[0]).toMatchObject({ state: 'merged' })
  })

  test('a reopened one is open again, at the head it is reopened with', () => {
    const task = inReviewOfTwo().closed('lib').send('mr.reopened', { repository: 'lib', number: 7, sha: 'sha-5' })
    expect(task.context.forge.mergeRequests[0]).toMatchObject({ state: 'open', headSha: 'sha-5' })
  })
})

describe('issues closed by humans', () => {
  const second = { ...anIssue, number: 2, issue: 'default/lib-2' }

  test('Task live/allClosed: the last live one, no open merge request: rejected, issue-closed', () => {
    for (const task of [new ATask().mint(), granted(), parkedBy('discuss'), parkedBy('identity-unverified')]) {
      task.send('issue.closed', { issue: issueId })
      expect([task.stage, task.reason]).toEqual(['rejected', 'issue-closed'])
    }
  })

  test.each([inReview, merging, () => inReview().fire('reviewingBudget')])(
    'the last live one, a merge request open: awaiting-human with grant and verdict off',
    (build) => {
      const task = build().send('issue.closed', { issue: issueId })
      expect([task.stage, task.reason, task.context.forge.verdict, task.context.forge.issues[0]?.grant]).toEqual([
        'awaiting-human',
        'issue-closed',
        null,
        null,
      ])
    },
  )

  test('Task live/allClosed: PARK-6: other parks stay as they are', () => {
    const task = inReview()
      .send('effect.failed', { effect: 'postReview', reason: 'x', key: 'k' })
      .send('issue.closed', { issue: issueId })
    expect([task.stage, task.reason, task.context.forge.issues[0]?.grant]).toEqual([
      'operator-error',
      'effect-failed',
      null,
    ])
  })

  test('one of two: the rest goes on', () => {
    const task = new ATask().mint({ issues: [anIssue, second] }).send('issue.closed', { issue: second.issue })
    expect([task.stage, task.context.forge.issues.map(({ state }) => state)]).toEqual(['refined', ['open', 'closed']])
  })

  test('reopened, it counts again', () => {
    const task = new ATask()
      .mint({ issues: [anIssue, second] })
      .running()
      .planned()
      .grant()
      .send('issue.closed', { issue: second.issue })
      .send('issue.reopened', { issue: second.issue })
    expect(task.submit().answer?.body['issues']).toMatchObject([{ number: 2 }])
  })

  test("an issue that is not the Task's own changes nothing", () => {
    expect(granted().send('issue.closed', { issue: 'default/other-1' }).stage).toBe('implementing')
  })
})

describe('effects that fail for good', () => {
  test('Task active/effect.failed: ACTOR-4: an active stage goes to operator-error with the cause', () => {
    const task = merging().send('effect.failed', { effect: 'mergeMergeRequest', reason: '403', key: 'k' })
    expect(task.where).toEqual(['operator-error', 'effect-failed', 'mergeMergeRequest: 403'])
  })

  test('ACTOR-4: a label that cannot be written stops nothing', () => {
    expect(granted().send('effect.failed', { effect: 'writeLabels', reason: 'x', key: 'k' }).stage).toBe('implementing')
  })

  test('a park stays and says so, but a comment that fails is not commented on (ACTOR-5)', () => {
    const task = parkedBy('discuss').send('effect.failed', { effect: 'postReview', reason: '422', key: 'k' })
    expect([task.stage, task.reason, task.only('postComment').length]).toEqual(['awaiting-human', 'discuss', 1])
    expect(task.send('effect.failed', { effect: 'postComment', reason: '422', key: 'k' }).effects).toEqual([])
  })
})

describe('the end', () => {
  test('Task live/close: STAGE-7: closed in any live stage: rejected, cancelled; open merge requests stay and are released (OWNERSHIP-4)', () => {
    for (const task of [
      new ATask().mint(),
      granted(),
      inReview(),
      merging(),
      parkedBy('discuss'),
      parkedBy('operator-error'),
    ]) {
      task.send('task.close', { by: 'alice', reason: 'not now' })
      expect([task.stage, task.reason, task.context.stage.detail, task.answer?.status]).toEqual([
        'rejected',
        'cancelled',
        'not now, by alice',
        200,
      ])
      expect(task.told('issue').at(-1)).toMatchObject({ type: 'task.ended', stage: 'rejected', reason: 'cancelled' })
    }
    const task = merging().send('task.close', { by: 'alice' })
    expect(task.told('merge-request')).toContainEqual({ type: 'mr.released', task: taskId, reason: 'cancelled' })
    expect(task.only('postComment')[0].body).toContain('stays open')
  })

  test('LAW-5: whatever comes while the last pod stops, the stage does not change', () => {
    const task = inReview().send('task.close', { by: 'a' })
    task
      .comment()
      .grant()
      .merged()
      .headMoved('x')
      .send('issue.closed', { issue: issueId })
      .send('effect.failed', { effect: 'x', reason: 'y', key: 'k' })
      .slot('e')
      .works()
      .ended()
    expect(task.stage).toBe('rejected')
    expect(task.send('task.retry', { by: 'a' }).answer?.body).toMatchObject({ code: 'task-terminal' })
    expect(task.final().status).toBe('done')
  })

  test('an adopted merge request keeps its branch when the Task works on it (NAME-6)', () => {
    const task = new ATask().mint({ issues: [], mergeRequests: [{ ...aMergeRequest(), headBranch: 'fix-it' }] }).slot()
    expect(task.told('pod')[0]).toMatchObject({ repositories: [{ name: 'lib', branch: 'fix-it' }] })
    task.works().submit().pushed()
    expect(task.only('openMergeRequest')).toMatchObject([{ branch: 'fix-it' }])
  })
})

describe('of two repositories, when one is merged and the other goes back to work', () => {
  const second = { ...anIssue, repository: 'app', number: 2, issue: 'default/app-2' }

  function halfMerged(): ATask {
    const task = opening(['lib', 'app'], { repositories: ['lib', 'app'], issues: [anIssue, second] })
    task.ready().ready('app', 'sha-2', 8).running().approve().final().merged()
    return task.mergeAnswer('mr.conflict', { repository: 'app', number: 8, sha: 'sha-2' }).running()
  }

  test('a new plan is claimed of the issue that is left, and not of the one whose merge request is merged', () => {
    const task = halfMerged().planned('plan-2', 'hash-2')
    expect(task.stage).toBe('implementing')
    task.outcome('approved', { plan_note_id: 'plan-2', approving_maintainer: 'maya' })
    expect(task.context.forge.claims).toEqual(['default/app-2'])
  })

  test('the grant of the issue that is left lets it submit again', () => {
    const task = halfMerged().planned('plan-2', 'hash-2')
    task.send('approval.granted', { issue: 'default/app-2', planHash: 'hash-2', self: false })
    task.submit({ merge_order: ['lib', 'app'] })
    expect(task.stage).toBe('reviewing')
  })

  describe('APPROVAL-16: a maintainer withdraws on the issue whose change is merged', () => {
    const held = (): ATask =>
      halfMerged().planned('plan-2', 'hash-2').send('approval.revoked', { issue: anIssue.issue, reason: 'withdrawn' })
    const grantSecond = (task: ATask): ATask =>
      task.send('approval.granted', { issue: second.issue, planHash: 'hash-2', self: false })

    test('what is left is not submitted, although its own issue is granted', () => {
      const task = grantSecond(held()).submit({ merge_order: ['lib', 'app'] })
      expect(task.stage).toBe('implementing')
      expect(task.answer?.body).toMatchObject({ issues: [{ repo: 'lib', number: 1 }] })
    })

    test('both issues are claimed again', () => {
      const task = held().outcome('approved', { plan_note_id: 'plan-2', approving_maintainer: 'maya' })
      expect(task.context.forge.claims).toEqual([anIssue.issue, second.issue])
    })

    test('a new approval there lets it submit, whatever plan it names', () => {
      const task = grantSecond(held()).send('approval.granted', {
        issue: anIssue.issue,
        planHash: 'hash-1',
        self: false,
      })
      expect(task.submit({ merge_order: ['lib', 'app'] }).stage).toBe('reviewing')
    })
  })

  test('LAW-18: the merge asks the merged issue for its word too', () => {
    const task = halfMerged().planned('plan-2', 'hash-2')
    task.send('approval.granted', { issue: second.issue, planHash: 'hash-2', self: false })
    task.submit({ merge_order: ['lib', 'app'] }).final()
    task.ready('app', 'sha-3', 8).running().approve().final()
    expect(task.only('mergeMergeRequest').at(-1)).toMatchObject({
      repository: 'app',
      grants: [`issue:${anIssue.issue}`, `issue:${second.issue}`],
    })
  })
})
