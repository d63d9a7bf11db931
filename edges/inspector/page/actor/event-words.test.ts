import { expect, test } from 'vitest'
import { eventWords } from './event-words.ts'

function wordsOf(type: string, event: object, key = 'k'): string {
  return eventWords({ type, event, key })
}

test('events of one name are told apart by pod and turn, by what was decided, and by whom', () => {
  expect(wordsOf('turn.accepted', { at: 5, pod: 2, turn: 0, eventsUpTo: 3 })).toBe('pod 2, turn 0, events up to 3')
  expect(wordsOf('outcome', { pod: 2, kind: 'review', action: 'request_changes', digest: 'x' })).toBe(
    'pod 2, review, request_changes',
  )
  expect(wordsOf('verdict.posted', { task: 'default/a', sha: '0123456789abcdef', verdict: 'approve' })).toBe(
    'head 01234567, approve',
  )
  expect(wordsOf('pod.final', { pod: 3, cause: 'gone', reason: 'reviewing', residencyMs: 5 })).toBe(
    'pod 3, gone, reviewing',
  )
  expect(wordsOf('forge.event', { repository: 'lib', number: 7, author: 'mira', kind: 'labeled' })).toBe(
    'lib#7, labeled, mira',
  )
  expect(
    wordsOf('forge.event', { repository: 'lib', number: 3, kind: 'ci_failed' }, 'merge-request:default/lib-mr-3/5/0'),
  ).toBe('lib!3, ci_failed')
  expect(wordsOf('mr.headMoved', { repository: 'lib', number: 2, sha: 'abcdef0123456', base: 'main' })).toBe(
    'lib!2, head abcdef01',
  )
})

test('of what the forge showed they have its state and its checks', () => {
  const facts = { repository: 'lib', number: 2, state: 'open', ci: 'green', headSha: 'abcdef0123456', url: 'https://x' }
  expect(wordsOf('mr.observed', { facts })).toBe('lib!2, head abcdef01, open, checks green')
})

test('where nothing else does, the Task, the entry or the actor that sent it tells them apart', () => {
  expect(wordsOf('queue.release', { entry: 'default/implement-lib-1-x7k2p/1' })).toBe('implement-lib-1-x7k2p/1')
  expect(wordsOf('queue.opened', {}, 'project:default/demo/2/0')).toBe('from project demo')
  expect(wordsOf('queue.opened', {}, 'opened/1')).toBe('')
})

test('a long text is cut with a sign, and one of several lines shows the first', () => {
  const words = wordsOf('memory.held', { reason: `no ${'very '.repeat(30)}long\nline` })
  expect(words).toMatch(/^no very .*…$/)
  expect(words.length).toBeLessThanOrEqual(60)
})
