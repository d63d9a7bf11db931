import { expect, test } from 'vitest'
import { aMergeRequest, inReviewOfTwo } from '../testing/a-task.ts'
import type { TaskContext } from './context.ts'

const statesOf = ({ forge: { mergeRequests } }: TaskContext): unknown =>
  mergeRequests.map(({ number, state }) => [number, state])

test('each merge request is recorded by itself, and the word on one leaves the other (STAGE-13)', () => {
  const task = inReviewOfTwo()
  expect(statesOf(task.context)).toEqual([
    [7, 'open'],
    [8, 'open'],
  ])
  expect(statesOf(task.closed('app', 8).context)).toEqual([
    [7, 'open'],
    [8, 'closed'],
  ])
})

test.each([
  ['merged stays merged when its closing is told late', 'mr.closed', 'merged'],
  ['merged stays merged when its opening is told late', 'mr.ready', 'merged'],
  ['closed stays closed when its opening is told late', 'mr.ready', 'closed'],
  ['closed becomes merged when the merge is told late', 'mr.merged', 'merged'],
] as const)('%s (STAGE-13)', (what, type, expected) => {
  const task = inReviewOfTwo()
  if (what.startsWith('merged')) task.merged('app', 8)
  else task.closed('app', 8)
  task.send(type, { ...aMergeRequest('app', 'sha-9', 8), mergeCommit: 'm', attempt: task.context.forge.openAttempt })
  expect(statesOf(task.context)).toEqual([
    [7, 'open'],
    [8, expected],
  ])
})

test('EVENTS-7: that a merge request was closed or opened again is no event: the agent reads its state in the bundle', () => {
  const task = inReviewOfTwo()
  const known = task.context.journal
  task.closed('app', 8)
  expect([statesOf(task.context), task.context.journal]).toEqual([
    [
      [7, 'open'],
      [8, 'closed'],
    ],
    known,
  ])
  task.send('mr.reopened', { repository: 'app', number: 8, sha: 'sha-3' })
  expect([task.context.forge.mergeRequests[1]?.headSha, task.context.journal]).toEqual(['sha-3', known])
})
