/** Whose commits a merge request has (REVIEW-3): a commit that neither a pod nor a maintainer brought waits for a maintainer. */
import { expect, test } from 'vitest'
import { inReview, inReviewOfTwo, type ATask } from '../testing/a-task.ts'

const foreign = [
  { sha: 'f'.repeat(40), by: 'sam' },
  { sha: 'e'.repeat(40), by: '' },
]
const yes = (sha = 'sha-1') => ({ by: 'maya', shas: [{ repository: 'lib', number: 7, sha, base: 'main' }] })
const pushed = (task: ATask = inReview()) => task.approve({}, { heads: task.liveHeads({ foreign }) }).final()

test('Task reviewing/held: REVIEW-3: foreign commits park it at needs-maintainer, with who pushed what in the comment and in why', () => {
  const task = pushed()
  const words =
    'lib!7 has commits of neither the platform nor a maintainer: ffffffffffff (pushed by sam), eeeeeeeeeeee (nobody knows who pushed it)'
  expect(task.where).toEqual(['awaiting-human', 'needs-maintainer', words])
  expect(task.only('postComment')).toMatchObject([
    { body: expect.stringContaining(`${words}. A maintainer can approve`) },
  ])
  expect(task.only('mergeMergeRequest')).toEqual([])
})

test('REVIEW-3, REVIEW-5: a go-ahead on exactly that head lifts it, and on no other', () => {
  expect(pushed().send('mr.goAhead', yes('sha-0')).stage).toBe('awaiting-human')
  expect(pushed().send('mr.goAhead', yes()).only('mergeMergeRequest')).toMatchObject([{ sha: 'sha-1' }])
})

test('REVIEW-3: foreign commits of one of two merge requests hold both', () => {
  const task = inReviewOfTwo()
  const [lib, app] = task.liveHeads()
  task.approve({}, { heads: [lib, { ...app, foreign }] }).final()
  expect([task.reason, task.context.stage.detail]).toEqual(['needs-maintainer', expect.stringMatching(/^app!8 has/)])
})

test('REVIEW-3: of a long list the newest five are named', () => {
  const many = Array.from({ length: 9 }, (_, n) => ({ sha: String(n).repeat(40), by: 'sam' }))
  const task = inReview()
  task.approve({}, { heads: task.liveHeads({ foreign: many }) }).final()
  expect(task.context.stage.detail).toMatch(/444444444444 \(pushed by sam\) and more$/)
})
