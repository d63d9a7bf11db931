/** A verdict is on one head against one base (HEAD-1): whoever gives a merge request another base has it reviewed again. */
import { describe, expect, test } from 'vitest'
import { aMergeRequest, inReview, merging, opening, parkedBy, type ATask } from '../testing/a-task.ts'

const release = { base: 'release' }
const told = 'it is to be merged into release now'

describe('another base', () => {
  test('Task merging/headMoved: HEAD-1: told while the merge is asked, the change is reviewed again and its verdict is off', () => {
    const task = merging().headMoved('sha-1', release)
    expect([task.stage, task.context.forge.verdict]).toEqual(['reviewing', null])
    expect(task.only('withdrawEffects')).toEqual([{ types: ['mergeMergeRequest'] }])
    expect(task.context.journal.pending.at(-1)).toMatchObject({ kind: 'push', author: 'statewright', text: told })
    task.running().accepted().approve().final()
    expect(task.only('mergeMergeRequest')).toMatchObject([{ sha: 'sha-1', base: 'release' }])
  })

  test('HEAD-1: changed and back while it was told: reviewed again all the same', () => {
    const task = merging().headMoved('sha-1', release).headMoved('sha-1')
    expect([task.stage, task.context.forge.verdict]).toEqual(['reviewing', null])
  })

  test('HEAD-1: an echo of the judged pair moves nothing', () => {
    const task = merging().headMoved('sha-1')
    expect([task.stage, task.effects.length]).toEqual(['merging', 0])
  })

  test('HEAD-1: a verdict of an older journal, which has no base, is asked for again once the forge tells the base', () => {
    const { baseBranch: _base, ...older } = aMergeRequest()
    const task = opening()
    task.send('mr.ready', { ...older, attempt: task.context.forge.openAttempt }).running()
    task.approve().final()
    expect(task.only('mergeMergeRequest')[0]).not.toHaveProperty('base')
    task.mergeAnswer('mr.notMergeableYet').fire('mergeDelay')
    expect(task.told('merge-request')).toMatchObject([{ type: 'merge.asked' }])
    expect(task.headMoved('sha-1').stage).toBe('reviewing')
    task.running().accepted().approve().final()
    expect(task.only('mergeMergeRequest')).toMatchObject([{ base: 'main' }])
  })

  test('HEAD-1: a merge request that was closed and opens against another base is judged anew', () => {
    const task = merging().send('mr.reopened', { repository: 'lib', number: 7, sha: 'sha-1', ...release })
    expect(task.stage).toBe('reviewing')
  })
})

describe('another base while the review is at work', () => {
  const code = (task: ATask) => [task.answer?.status, task.answer?.body['code']]

  test('HEAD-1: the turn that began before it was told approves nothing; the next turn does', () => {
    const task = inReview().headMoved('sha-1', release).approve()
    expect(code(task)).toEqual([409, 'head-moved'])
    task.ended().accepted().approve().final()
    expect(task.only('mergeMergeRequest')).toMatchObject([{ sha: 'sha-1', base: 'release' }])
  })

  test('HEAD-1: changed and back within the turn it was read in: asked for again too', () => {
    expect(code(inReview().headMoved('sha-1', release).headMoved('sha-1').approve())).toEqual([409, 'head-moved'])
  })

  test('HEAD-1: where its delivery was lost the call sees it, and says so to the next turn', () => {
    const task = inReview()
    task.approve({}, { heads: task.liveHeads(release) })
    expect(code(task)).toEqual([409, 'head-moved'])
    expect(task.context.journal.pending.at(-1)).toMatchObject({ text: told })
    expect(code(task.approve())).toEqual([409, 'head-moved'])
    task.ended().accepted().approve().final()
    expect(task.only('mergeMergeRequest')).toMatchObject([{ base: 'release' }])
  })

  test('HEAD-1: a turn that was asked for before the news does not tell it, though it is accepted after it', () => {
    const task = inReview()
    const before = task.context.journal.eventSequence
    task.headMoved('sha-1', release).accepted(before)
    expect(code(task.approve())).toEqual([409, 'head-moved'])
  })

  test('HEAD-1: twenty events after it do not make the review forget that it was not told', () => {
    const task = inReview().headMoved('sha-1', release)
    for (let n = 0; n < 20; n += 1) task.comment()
    expect(code(task.approve())).toEqual([409, 'head-moved'])
  })

  test('HEAD-1, REVIEW-2: the next pod of the review compares with the new base', () => {
    const task = merging().headMoved('sha-1', release).slot()
    expect(task.told('pod')).toMatchObject([{ repositories: [{ name: 'lib', base: 'release', sha: 'sha-1' }] }])
  })
})

describe('another base while a maintainer is asked', () => {
  const yes = { by: 'alice', shas: [{ repository: 'lib', number: 7, sha: 'sha-1', base: 'main' }] }

  test('HEAD-1: the change is reviewed again, and the go-ahead on the old pair lets nothing merge', () => {
    const task = parkedBy('needs-maintainer').headMoved('sha-1', release)
    expect(task.stage).toBe('reviewing')
    expect(task.send('mr.goAhead', yes).stage).toBe('reviewing')
  })

  test('HEAD-1: a go-ahead that was given against another base than the reviewed one lets nothing merge', () => {
    const other = { ...yes, shas: yes.shas.map((head) => ({ ...head, ...release })) }
    expect(parkedBy('needs-maintainer').send('mr.goAhead', other).stage).toBe('awaiting-human')
    expect(parkedBy('needs-maintainer').send('mr.goAhead', yes).stage).toBe('merging')
  })
})
