import { describe, expect, test } from 'vitest'
import {
  ATask,
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

const onMr = { on: 'mr', number: 7, kind: 'mr_comment' } as const
const retry = (task: ATask) => task.send('task.retry', { by: 'alice' })

describe('awaiting-human and a comment', () => {
  test('Task awaiting-human/commented: goes back to where it was parked from, with the comment pending (OUTCOME-IMPLEMENT-19, EVENTS-2, TASK-MOVES-5)', () => {
    const task = parkedBy('discuss').comment()
    expect([task.stage, task.context.stage.parkedFrom, task.context.journal.pending.at(-1)?.text]).toEqual([
      'implementing',
      null,
      'hm',
    ])
  })

  test('Task awaiting-human/commented: PARK-1: from merging it is reviewed again', () => {
    const task = merging().fire('mergingBudget').comment()
    expect([task.stage, task.context.stage.wants]).toEqual(['reviewing', 'review'])
    expect(task.did).not.toContain('mergeMergeRequest')
  })

  test('PARK-1: from reviewing without an open merge request it goes to work', () => {
    const task = opening().send('approval.revoked', { issue: issueId, reason: 'x' }).grant()
    expect(task.stage).toBe('implementing')
    const late = opening().send('effect.failed', { effect: 'openMergeRequest', reason: 'x', key: 'k' })
    expect(retry(late).stage).toBe('implementing')
  })

  test.each(['approval-revoked', 'needs-maintainer', 'over-auto-approve-ceiling'] as const)(
    'PARK-2: parked by %s an ordinary comment is only read later',
    (reason) => {
      const task = parkedBy(reason)
      const before = task.context.journal.pending.length
      task.comment({ maintainer: true })
      expect([task.stage, task.reason, task.context.journal.pending.length]).toEqual([
        'awaiting-human',
        reason,
        before + 1,
      ])
    },
  )

  test('Task live/forge.event: a forge event is appended and releases nothing', () => {
    const task = parkedBy('discuss').send('forge.event', { repository: 'lib', number: 1, author: 'ci', kind: 'ci' })
    expect([task.stage, task.context.journal.pending.at(-1)?.kind]).toEqual(['awaiting-human', 'ci'])
  })
})

describe('a go-ahead of a maintainer on a merge request', () => {
  const word = {
    by: 'alice',
    shas: [{ repository: 'lib', number: 7, sha: 'sha-1', base: 'main' }],
    kind: 'mr_review',
    text: 'B please',
  }
  const asks = () => inReview().requestChanges().final().running().outcome('discuss', { reason: 'A or B?' }).final()
  const told = { kind: 'mr_review', repository: 'lib', number: 7, author: 'alice', text: 'B please' }

  test('Task awaiting-human/go-ahead: PARK-13: releases what a comment releases, and its words are pending (OUTCOME-IMPLEMENT-20)', () => {
    const task = asks().send('mr.goAhead', word)
    expect([task.stage, task.context.pod.released]).toEqual(['implementing', true])
    expect(task.context.journal.pending.at(-1)).toMatchObject(told)
    expect(merging().mergeAnswer('mr.mergeRefused').send('mr.goAhead', word).stage).toBe('reviewing')
  })

  test('PARK-2: releases no park that an ordinary comment of a maintainer leaves, but is read later', () => {
    for (const park of [parkedBy('approval-revoked'), granted().send('budget.exhausted').final()]) {
      const { reason } = park
      park.send('mr.goAhead', word)
      expect([park.stage, park.reason]).toEqual(['awaiting-human', reason])
      expect(park.context.journal.pending.at(-1)).toMatchObject(told)
    }
  })

  test('PARK-8: of a review-kind Task it costs a lap, and is none of another merge request', () => {
    const parked = () => reviewTask().requestChanges().final()
    const elsewhere = { ...word, shas: [{ repository: 'lib', number: 99, sha: 'sha-1', base: 'main' }] }
    expect(parked().send('mr.goAhead', elsewhere).stage).toBe('awaiting-human')
    const task = parked().send('mr.goAhead', word)
    expect([task.stage, task.context.stage.reviewLaps]).toEqual(['reviewing', 1])
  })

  test('Task live/go-ahead: wherever it stands, its words reach the agent; of one without words nothing is told', () => {
    const task = inReview()
    const before = task.context.journal.pending.length
    task.send('mr.goAhead', { by: 'alice', shas: word.shas })
    expect(task.context.journal.pending).toHaveLength(before)
    expect(task.send('mr.goAhead', word).context.journal.pending.at(-1)).toMatchObject(told)
    expect(parkedBy('needs-maintainer').send('mr.goAhead', word).context.journal.pending.at(-1)).toMatchObject(told)
  })

  test('Task identity-unverified/go-ahead: it releases as a comment of the maintainer does', () => {
    const task = parkedBy('identity-unverified').send('mr.goAhead', word)
    expect([task.stage, task.context.journal.pending.at(-1)?.text]).toEqual(['implementing', 'B please'])
  })

  test('Task backlog-sweep/go-ahead: it releases as any word of a person does', () => {
    const config = { autoApproveMaxSignificance: 'off' } as const
    const task = new ATask().mint({ issues: [{ ...anIssue, selfProposed: true, humanCommented: false }], config })
    expect([task.stage, task.send('mr.goAhead', word).stage]).toEqual(['backlog-sweep', 'refined'])
  })
})

describe('laps of a review-kind Task', () => {
  const parked = () => reviewTask().requestChanges().final()

  test('PARK-8: only a comment on its own merge request releases it (TASK-MOVES-3)', () => {
    expect(parked().comment().stage).toBe('awaiting-human')
    expect(parked().comment({ ...onMr, number: 99 }).stage).toBe('awaiting-human')
    expect(parked().comment(onMr).stage).toBe('reviewing')
  })

  test('Task awaiting-human/headMoved: PARK-8: five releases in all, by comment or by a new head; then laps (PROJECT-AGENT-23, TASK-MOVES-3, TASK-MOVES-4)', () => {
    const task = parked()
    for (let lap = 1; lap <= 5; lap += 1) {
      if (lap % 2 === 0) task.comment(onMr)
      else task.headMoved(`sha-${lap + 1}`)
      expect([task.stage, task.context.stage.reviewLaps]).toEqual(['reviewing', lap])
      task.running().requestChanges().final()
    }
    expect(task.comment(onMr).stage).toBe('awaiting-human')
    expect([task.headMoved('sha-99').stage, task.reason]).toEqual(['awaiting-human', 'laps'])
    expect(retry(task).stage).toBe('reviewing')
  })

  test('LAW-22: a head by its own pod, or of a stranger behind the gate, releases nothing', () => {
    expect(parked().headMoved('sha-2', { byOwnPod: true }).stage).toBe('awaiting-human')
    expect(parked().headMoved('sha-2', { gated: false }).stage).toBe('awaiting-human')
  })

  test('an echo of the known head costs no lap', () => {
    expect(parked().headMoved('sha-1').context.stage.reviewLaps).toBe(0)
  })

  test('Task reviewing/headMoved: a new head while it reviews is told to the agent', () => {
    const task = reviewTask().headMoved('sha-2')
    expect([task.stage, task.context.journal.pending.at(-1)?.kind]).toEqual(['reviewing', 'push'])
  })
})

describe('approval withdrawn and given again', () => {
  test.each([
    ['implementing', granted, 'implementing', null],
    ['reviewing', inReview, 'awaiting-human', 'approval-revoked'],
    ['opening', opening, 'awaiting-human', 'approval-revoked'],
    ['needs-maintainer', () => parkedBy('needs-maintainer'), 'awaiting-human', 'approval-revoked'],
    ['over-auto-approve-ceiling', () => parkedBy('over-auto-approve-ceiling'), 'awaiting-human', 'approval-revoked'],
    ['discuss', () => parkedBy('discuss'), 'awaiting-human', 'discuss'],
    ['operator-error', () => parkedBy('operator-error'), 'operator-error', 'effect-failed'],
  ])('APPROVAL-7: in %s', (_name, build, stage, reason) => {
    const task = build().send('approval.revoked', { issue: issueId, reason: 'edited' })
    expect([task.stage, task.reason, task.context.forge.issues[0]?.grant]).toEqual([stage, reason, null])
    expect(task.context.journal.pending.at(-1)?.text).toContain('edited')
  })

  test('Task any/approval.revoked: in implementing, submitted is refused from then on (CLAIM-19)', () => {
    expect(granted().send('approval.revoked', { issue: issueId, reason: 'x' }).submit().answer?.body['code']).toBe(
      'approval-required',
    )
  })

  test('Task any/approval.granted: granted again: reviewing when a merge request is open', () => {
    expect(parkedBy('approval-revoked').grant().stage).toBe('reviewing')
  })

  test('granted again with another issue still without a grant: stays', () => {
    const second = { ...anIssue, number: 2, issue: 'default/lib-2' }
    const task = inReview('sha-1', { issues: [anIssue, second] })
    for (const { issue } of [anIssue, second]) task.send('approval.revoked', { issue, reason: 'x' })
    expect(task.final().grant().stage).toBe('awaiting-human')
    expect(task.grant({ issue: second.issue }).stage).toBe('reviewing')
  })

  test('Task awaiting-human/approved-comment: PARK-3: a maintainer approves by a comment: implementing, where the agent claims again', () => {
    const task = parkedBy('approval-revoked').send('approval.commented', {
      issue: issueId,
      by: 'alice',
      commentId: 'c',
    })
    expect([task.stage, task.context.forge.issues[0]?.accepted]).toEqual(['implementing', true])
    expect(task.context.journal.pending.at(-1)).toMatchObject({ kind: 'issue_comment', author: 'alice' })
  })

  test('a comment that arrived as such is told to the agent once', () => {
    const task = granted()
      .comment({ author: 'alice' })
      .send('approval.commented', { issue: issueId, by: 'alice', commentId: 'c' })
    expect(task.context.journal.pending.filter(({ author }) => author === 'alice').length).toBe(1)
  })

  test('a retry goes to work whatever was open', () => {
    expect(retry(parkedBy('approval-revoked')).stage).toBe('implementing')
  })

  test('the echo of a known grant tells the agent nothing', () => {
    const task = granted()
    const before = task.context.journal.pending.length
    expect(task.grant().context.journal.pending.length).toBe(before)
  })

  test('grants and withdrawals of issues that are not its own change nothing', () => {
    const task = inReview().send('approval.revoked', { issue: 'default/other-1', reason: 'x' })
    expect(task.stage).toBe('reviewing')
  })
})

describe('withheld by a word of a maintainer', () => {
  const withheldBy = (cause: string) => inReview().approve().final().mergeAnswer('mr.mergeRefused', { cause })
  const goAhead = { by: 'alice', shas: [{ repository: 'lib', number: 7, sha: 'sha-1', base: 'main' }] }

  test('Task awaiting-human/lifted: MERGE-11: an approval in any thread has the change reviewed and the merge asked again', () => {
    expect(withheldBy('withheld').send('mr.goAhead', goAhead).stage).toBe('reviewing')
    const commented = { issue: issueId, by: 'alice', commentId: 'c' }
    expect(withheldBy('withheld').send('approval.commented', commented).stage).toBe('reviewing')
    expect(retry(withheldBy('withheld')).stage).toBe('reviewing')
  })

  test('MERGE-11: no ordinary comment moves it, and a withdrawal names the stronger reason (PARK-2)', () => {
    const task = withheldBy('withheld')
    expect(task.comment({ maintainer: true }).stage).toBe('awaiting-human')
    expect(task.send('approval.revoked', { issue: issueId, reason: 'withdrawn' }).reason).toBe('approval-revoked')
    expect(task.send('mr.goAhead', goAhead).stage).toBe('awaiting-human')
    expect(task.grant().stage).toBe('reviewing')
  })

  test('MERGE-12: protected paths wait for a comment of a maintainer', () => {
    const task = withheldBy('protected-paths')
    expect(task.comment({ maintainer: false }).stage).toBe('awaiting-human')
    expect(task.comment({ maintainer: true, text: '/allow-ci-changes' }).stage).toBe('reviewing')
  })
})

describe('waiting for a maintainer', () => {
  const shas = (sha = 'sha-1') => ({ by: 'alice', shas: [{ repository: 'lib', number: 7, sha, base: 'main' }] })

  test.each(['needs-maintainer', 'over-auto-approve-ceiling'] as const)(
    '%s: a go-ahead on exactly the reviewed head merges that head',
    (reason) => {
      const task = parkedBy(reason).send('mr.goAhead', shas())
      expect(task.stage).toBe('merging')
      expect(task.only('mergeMergeRequest')).toMatchObject([{ sha: 'sha-1' }])
    },
  )

  test('Task reviewing/go-ahead: REVIEW-5: not on another head, not with a grant off, not in another park', () => {
    expect(parkedBy('needs-maintainer').send('mr.goAhead', shas('sha-2')).stage).toBe('awaiting-human')
    expect(
      parkedBy('needs-maintainer').send('approval.revoked', { issue: issueId, reason: 'x' }).send('mr.goAhead', shas())
        .stage,
    ).toBe('awaiting-human')
    expect(inReview().send('mr.goAhead', shas()).stage).toBe('reviewing')
  })

  test('a new head goes to reviewing, and an old go-ahead does not merge it', () => {
    const task = parkedBy('needs-maintainer').headMoved('sha-2')
    expect(task.stage).toBe('reviewing')
    expect(task.send('mr.goAhead', shas()).stage).toBe('reviewing')
  })

  test('its own pod that moved the head makes the go-ahead void', () => {
    expect(parkedBy('needs-maintainer').headMoved('sha-2', { byOwnPod: true }).send('mr.goAhead', shas()).stage).toBe(
      'awaiting-human',
    )
  })

  test('of two merge requests each has its own go-ahead', () => {
    const task = inReviewOfTwo()
    task.approve({}, { heads: task.liveHeads({ authorMayMerge: false }) }).final()
    expect(task.send('mr.goAhead', shas()).stage).toBe('awaiting-human')
    expect(
      task.send('mr.goAhead', { by: 'alice', shas: [{ repository: 'app', number: 8, sha: 'sha-2', base: 'main' }] })
        .stage,
    ).toBe('merging')
  })
})

describe('identity-unverified', () => {
  test('Task implementing/approval.refused: a refused claim parks there, said on the issue with the first conjunct that failed (OUTCOME-IMPLEMENT-14, TASK-MOVES-6)', () => {
    const task = new ATask()
      .mint()
      .running()
      .planned()
      .claimed()
      .send('approval.refused', { issue: issueId, reason: 'quote-mismatch' })
    expect(task.where).toEqual(['identity-unverified', 'approval-refused', 'quote-mismatch'])
    expect(task.only('postComment')[0]).toMatchObject({
      on: 'issue',
      number: 1,
      body: expect.stringContaining('quote-mismatch'),
    })
  })

  test.each([
    ['not-withdrawn', 'an ordinary comment does not undo that. A maintainer can approve with a new comment `/approve`'],
    ['comment-approves', 'somebody else than its author edited or deleted it. A maintainer can approve with a new'],
    ['plan-newest', 'There is a newer plan than the approved one. A maintainer can approve with a new comment'],
    ['quote-matches', 'A maintainer can let the agent try again with a comment on this issue.'],
    ['plan-missing', 'A maintainer can let the agent try again with a comment on this issue.'],
  ])('a claim that is refused for %s is said with what helps then (APPROVAL-3)', (reason, way) => {
    const task = new ATask().mint().running().planned().claimed().send('approval.refused', { issue: issueId, reason })
    expect(task.only('postComment')[0]).toMatchObject({ body: expect.stringContaining(way) })
  })

  test('elsewhere a refusal only clears the claim', () => {
    const task = new ATask()
      .mint()
      .running()
      .planned()
      .claimed()
      .outcome('discuss', { reason: 'x' })
      .send('approval.refused', { issue: issueId, reason: 'x' })
    expect([task.stage, task.reason, task.context.forge.claims]).toEqual(['awaiting-human', 'discuss', []])
  })

  test('Task identity-unverified/commented: only a maintainer releases it by a comment', () => {
    expect(parkedBy('identity-unverified').comment().stage).toBe('identity-unverified')
    expect(parkedBy('identity-unverified').comment({ maintainer: true }).stage).toBe('implementing')
  })

  test('a grant, an approving comment or a retry releases it', () => {
    expect(parkedBy('identity-unverified').grant().stage).toBe('implementing')
    expect(
      parkedBy('identity-unverified').send('approval.commented', { issue: issueId, by: 'alice', commentId: 'c' }).stage,
    ).toBe('implementing')
    expect(retry(parkedBy('identity-unverified')).stage).toBe('implementing')
  })
})

describe('retry', () => {
  test('Task parks/retry: PARK-4: releases operator-error to where it came from', () => {
    const task = retry(parkedBy('operator-error'))
    expect(task.answer).toEqual({ status: 200, body: { accepted: true, task: { stage: 'implementing' } } })
    expect(task.stage).toBe('implementing')
  })

  test('PARK-1: never back into a merge without a review', () => {
    const task = retry(merging().send('effect.failed', { effect: 'mergeMergeRequest', reason: '403', key: 'k' }))
    expect([task.stage, task.context.stage.wants]).toEqual(['reviewing', 'review'])
  })

  test('clears what was lost in a row', () => {
    const task = new ATask().mint()
    for (let lost = 0; lost < 5; lost += 1) {
      if (task.pod === 'backingOff') task.fire('respawnDelay')
      task.slot().final('lost', { reason: 'ErrImageNeverPull' })
    }
    expect(retry(task).pod).toBe('awaitingSlot')
  })

  test('of a Task that is not parked is refused (ACTOR-2)', () => {
    const task = retry(granted())
    expect([task.stage, task.answer?.body['reason']]).toEqual(['implementing', 'not-parked'])
  })
})

test('LAW-13: from every park but implement-declined a retry alone leads to an active stage (TASK-MOVES-1)', () => {
  for (const reason of [
    'discuss',
    'approval-revoked',
    'needs-maintainer',
    'over-auto-approve-ceiling',
    'identity-unverified',
    'operator-error',
  ] as const) {
    expect(retry(parkedBy(reason)).context.stage.class).toBe('active')
  }
})

test('PARK-12: while parked a Task holds no slot, entry or timer (POD-2)', () => {
  for (const reason of ['discuss', 'approval-revoked', 'identity-unverified', 'operator-error'] as const) {
    const task = parkedBy(reason)
    expect([task.pod, task.context.pod.entry, task.timers]).toEqual(['none', null, {}])
  }
  expect(taskId).toBe(granted().context.id)
})
