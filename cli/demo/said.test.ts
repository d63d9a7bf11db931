import { describe, expect, test } from 'vitest'
import type { AuditEntry } from '../local/standins.ts'
import { mergedWhileWithheld, saidByMaintainers } from './said.ts'

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

describe('a merge while a maintainer withholds it is a fault', () => {
  test.each([
    ['a /hold on the issue', hold],
    ['a /hold on the merge request', comment('/hold', { number: 2 })],
    ['a doubt', comment('Please hold off, legal has to look.')],
    ['a review that requests changes', review('REQUEST_CHANGES', 'The position, too.')],
    ['a /hold in the body of a review', review('COMMENT', '/hold')],
    ['a /hold on a line', review('COMMENT', '', ['/hold'])],
    ['an approving review that says /hold', review('APPROVE', '/hold')],
  ])('%s', (_what, word) => {
    expect(mergedWhileWithheld(auditOf(approve, word, merge))).toEqual([
      expect.stringMatching(/^#2 was merged while maria withheld it on #[12]: /),
    ])
  })

  test('a request for changes without words, as every one is on GitLab', () => {
    expect(mergedWhileWithheld(auditOf(approve, review('REQUEST_CHANGES', ''), merge))).toEqual([
      '#2 was merged while maria withheld it on #2: a request for changes',
    ])
  })

  test('and each word that stood is named', () => {
    expect(mergedWhileWithheld(auditOf(hold, comment('please hold off'), merge))).toHaveLength(2)
  })

  test('and what was said before it lifts nothing, nor what others said', () => {
    const byOther = { ...approve, actor: 'sam' }
    expect(mergedWhileWithheld(auditOf(approve, hold, merge))).toHaveLength(1)
    expect(mergedWhileWithheld(auditOf(hold, byOther, merge))).toHaveLength(1)
    expect(mergedWhileWithheld(auditOf(hold, comment('Fine now?'), merge))).toHaveLength(1)
    expect(mergedWhileWithheld(auditOf(hold, merge, approve))).toHaveLength(1)
  })
})

describe('a merge stands', () => {
  test.each([
    ['a newer /approve', [hold, approve]],
    ['a newer /approve in another thread', [hold, comment('/approve', { number: 2 })]],
    ['an approving review', [review('REQUEST_CHANGES', 'x'), review('APPROVE', '')]],
    ['nothing that withheld', [comment('The names read well.')]],
    ['a /hold of somebody else', [{ ...hold, actor: 'sam' }]],
  ])('after %s', (_what, words) => {
    expect(mergedWhileWithheld(auditOf(...words, merge))).toEqual([])
  })

  test('against a word that came after the forge was asked for it, or within the second before', () => {
    const asked = (ms: number): Partial<AuditEntry> => ({ ...merge, detail: { askedAt: new Date(ms).toISOString() } })
    expect(mergedWhileWithheld(auditOf({ ...hold, at: new Date(5_500).toISOString() }, asked(5_000)))).toEqual([])
    expect(mergedWhileWithheld(auditOf({ ...hold, at: new Date(4_500).toISOString() }, asked(5_000)))).toEqual([])
    expect(mergedWhileWithheld(auditOf({ ...hold, at: new Date(3_900).toISOString() }, asked(5_000)))).toHaveLength(1)
  })
})

test('comments, reviews and comments on lines have the ids that the platform gives them', () => {
  const said = saidByMaintainers(auditOf(hold, review('COMMENT', 'Well.', ['Here.', 'There.']), review('APPROVE', '')))
  expect(said.map(({ id, on, number }) => [id, on, number])).toEqual([
    ['7', 'comment', 1],
    ['review-8', 'review', 2],
    ['inline-90', 'line', 2],
    ['inline-91', 'line', 2],
    ['review-8', 'review', 2],
  ])
})
