/** What a Task left behind is offered again by sweeps (OWNERSHIP-6). */
import { expect, test } from 'vitest'
import { drive, sent, types, type Drive, type DrivenEffect } from '../drive.ts'
import type { MergeRequestContext } from './context.ts'
import { mergeRequestMachine } from './machine.ts'
import { isUnattended } from './mint.ts'

const facts = {
  project: 'default/demo',
  repository: 'lib',
  number: 7,
  state: 'open',
  title: 'Keep digits',
  author: 'ann',
  url: 'u',
  draft: false,
  headSha: 's1',
  headBranch: 'digits',
  baseBranch: 'main',
  base: 'main',
  ci: 'success',
  mergeable: true,
  headByBot: false,
  pushedBy: 'ann',
  pushedByGated: true,
  wanted: true,
  config: { project: 'default/demo' },
}
const task = 'default/review-x'
const unattended = (mr: Drive): boolean => isUnattended(mr.context as MergeRequestContext)
const offer = (mr: Drive, headSha = 's1'): readonly DrivenEffect[] => mr.send({ type: 'mr.offered', headSha })

/** Its Task ended. */
function left(more: object = {}): Drive {
  const mr = drive(mergeRequestMachine, 'default/lib-mr-7')
  mr.send({ type: 'mr.observed', facts: { ...facts, ...more } })
  mr.send({ type: 'mr.owned', task })
  mr.send({ type: 'mr.released', task, reason: 'failed' })
  return mr
}

test('one whose Task ended is reviewed when a sweep offers it', () => {
  const mr = left()
  expect(unattended(mr)).toBe(true)
  expect(sent(offer(mr), 'queue')).toMatchObject([{ type: 'queue.enqueue', kind: 'review' }])
  expect([unattended(mr), types(offer(mr))]).toEqual([false, []])
})

test('of the platform’s own branches too, of a person’s out of scope not', () => {
  const own = left({ wanted: false, headBranch: 'platform/implement-x', author: 'bot' })
  expect(types(offer(own))).toEqual(['queue<queue.enqueue'])
  const stranger = left({ wanted: false })
  expect([unattended(stranger), types(offer(stranger))]).toEqual([false, []])
})

test('the offer is for the head that the sweep saw', () => {
  expect(types(offer(left(), 's0'))).toEqual([])
})

test.each([
  ['a draft', { draft: true }],
  ['a closed one', { state: 'closed' }],
  ['a merged one', { state: 'merged', mergeCommit: 'm' }],
])('%s is not offered (OWNERSHIP-6)', (_what, more) => {
  const mr = left(more)
  expect([unattended(mr), types(offer(mr))]).toEqual([false, []])
})

test('what a maintainer cancelled stays so on that head', () => {
  const mr = left()
  mr.send({ type: 'mr.command', command: 'cancel', by: 'maya', headSha: 's1' })
  expect([unattended(mr), types(offer(mr))]).toEqual([false, []])
  const owned = drive(mergeRequestMachine, 'default/lib-mr-7')
  owned.send({ type: 'mr.observed', facts })
  owned.send({ type: 'mr.owned', task })
  expect(types(owned.send({ type: 'mr.command', command: 'cancel', by: 'maya', headSha: 's1' }))).toEqual([
    'task<task.close',
  ])
  owned.send({ type: 'mr.released', task, reason: 'cancelled' })
  expect(unattended(owned)).toBe(false)
})
