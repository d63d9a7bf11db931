import { expect, test } from 'vitest'
import type { AuditEntry } from '../local/standins.ts'
import { mergedWhileWithheld, maintainerComments } from './maintainer-comments.ts'

const second = 1_000
/** Seconds apart, in the order in which they are written. */
function auditOf(...entries: readonly Partial<AuditEntry>[]): readonly AuditEntry[] {
  return entries.map((more, index) => ({
    at: new Date(index * 10 * second).toISOString(),
    actor: 'maria',
    action: 'comment.create',
    repository: 'acme/a',
    number: 1,
    ...more,
  }))
}

const comment = (body: string, more: Partial<AuditEntry> = {}): Partial<AuditEntry> => ({
  detail: { comment: 7, body },
  ...more,
})
const review = (event: string, body: string, lines: readonly string[] = []): Partial<AuditEntry> => ({
  action: 'review.create',
  number: 2,
  detail: { review: 8, event, body, comments: lines.map((text, index) => ({ comment: 90 + index, body: text })) },
})
const merge: Partial<AuditEntry> = { action: 'pull.merge', actor: 'statewright-bot', number: 2 }
const hold = comment('/hold\n\nI want to look at this first.')
const approve = comment('/approve')

/** The merge request is 2, the issue is 1. */
const onMergeRequest = { number: 2 }
const withheld: readonly (readonly [string, readonly Partial<AuditEntry>[], readonly string[]])[] = [
  ['a /hold on the issue', [approve, hold], ['#1: /hold']],
  ['a /hold on the merge request', [approve, comment('/hold', onMergeRequest)], ['#2: /hold']],
  ['a doubt', [comment('Please hold off, legal has to look.')], ['#1: Please hold off, legal has to look.']],
  [
    'a review that requests changes',
    [approve, review('REQUEST_CHANGES', 'The position, too.')],
    ['#2: The position, too.'],
  ],
  [
    'one without words, as every one is on GitLab',
    [approve, review('REQUEST_CHANGES', '')],
    ['#2: a request for changes'],
  ],
  ['a /hold in the body of a review', [review('COMMENT', '/hold')], ['#2: /hold']],
  ['a /hold on a line', [review('COMMENT', '', ['/hold'])], ['#2: /hold']],
  ['an approving review that says /hold', [review('APPROVE', '/hold')], ['#2: /hold']],
  ['each of two words', [hold, comment('please hold off')], ['#1: /hold', '#1: please hold off']],
  ['a /hold and an /approve of somebody else', [hold, { ...approve, actor: 'sam' }], ['#1: /hold']],
  ['a /hold and a question', [hold, comment('Fine now?')], ['#1: /hold']],
  ['a newer /approve', [hold, approve], []],
  ['a newer /approve in another thread', [hold, comment('/approve', onMergeRequest)], []],
  ['an approving review', [review('REQUEST_CHANGES', 'x'), review('APPROVE', '')], []],
  ['nothing that withheld', [comment('The names read well.')], []],
  ['a /hold of somebody else', [{ ...hold, actor: 'sam' }], []],
]

test.each(withheld)('a merge after %s is a fault exactly if a maintainer withholds it', (_what, words, faults) => {
  const found = faults.map((fault) => `#2 was merged while maria withheld it on ${fault}`)
  expect(mergedWhileWithheld(auditOf(...words, merge))).toEqual(found)
  expect(mergedWhileWithheld(auditOf(...words, merge, approve))).toEqual(found)
})

test.each([
  [5_500, 0],
  [4_500, 0],
  [3_900, 1],
])('a word after the forge was asked for the merge, or within the second before, is too late: %d', (at, faults) => {
  const asked = { ...merge, detail: { askedAt: new Date(5_000).toISOString() } }
  expect(mergedWhileWithheld(auditOf({ ...hold, at: new Date(at).toISOString() }, asked))).toHaveLength(faults)
})

test('comments, reviews and comments on lines have the ids that the platform gives them', () => {
  const said = maintainerComments(auditOf(hold, review('COMMENT', 'Well.', ['Here.', 'There.']), review('APPROVE', '')))
  const inReview = ['review-8', 'inline-90', 'inline-91', 'review-8'].map((id) => [id, 2])
  expect(said.map(({ id, number }) => [id, number])).toEqual([['7', 1], ...inReview])
})
