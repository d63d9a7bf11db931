import { describe, expect, test } from 'vitest'
import { newIssue } from './context.ts'
import type { IssueFacts, StandingApproval, Withdrawal } from './events.ts'
import { issueDefinition } from './machine.ts'
import { approvalsOf, withdrawalsKnown, withdrawerOf } from './withdrawals.ts'

const max: Withdrawal = { commentId: 'c5', author: 'max', at: 5000 }

function approval(commentId: string, at: number): StandingApproval {
  return { commentId, author: 'maya', bodyHash: commentId, at }
}

/** What the mirror tells, as far as it speaks of decisions. */
function view(more: Partial<IssueFacts> = {}): IssueFacts {
  return { approvals: [], unclear: [], ...more } as unknown as IssueFacts
}

function told(...views: readonly IssueFacts[]): readonly Withdrawal[] {
  return views.reduce<readonly Withdrawal[]>(withdrawalsKnown, [])
}

describe('LAW-24: what an Issue knows to be withdrawn', () => {
  test.each<[string, readonly IssueFacts[], readonly Withdrawal[]]>([
    ['is what it was told', [view({ withdrawals: [max] })], [max]],
    ['is kept when a later telling names it no more', [view({ withdrawals: [max] }), view()], [max]],
    [
      'is kept when a later telling knows another',
      [view({ withdrawals: [max] }), view({ withdrawals: [{ ...max, commentId: 'c6' }] })],
      [max, { ...max, commentId: 'c6' }],
    ],
    ['ends when its author took it back himself', [view({ withdrawals: [max] }), view({ takenBack: ['c5'] })], []],
    ['is kept when another comment was taken back', [view({ withdrawals: [max] }), view({ takenBack: ['c4'] })], [max]],
    [
      'moves with its newest edit, and never back',
      [view({ withdrawals: [max] }), view({ withdrawals: [{ ...max, at: 9000 }] }), view({ withdrawals: [max] })],
      [{ ...max, at: 9000 }],
    ],
    ['is kept by a telling of an earlier version of the mirror', [view({ withdrawals: [max] }), view()], [max]],
  ])('%s', (_name, views, expected) => {
    expect(told(...views)).toEqual(expected)
  })

  test.each<[string, Partial<IssueFacts>, readonly string[], string | undefined]>([
    ['an older approval', { approvals: [approval('c1', 1000)] }, [], 'max'],
    ['one of its very moment', { approvals: [approval('c1', 5000)] }, [], 'max'],
    ['a newer one', { approvals: [approval('c1', 1000), approval('c9', 9000)] }, ['c9'], undefined],
    ['none', {}, [], 'max'],
    [
      'the view that names it, which judged its order',
      { approvals: [approval('c9', 5000)], withdrawals: [max] },
      ['c9'],
      undefined,
    ],
    ['the view that names another one as the newest word', { withdrawnBy: 'maya', withdrawals: [max] }, [], 'maya'],
  ])('answered by %s', (_name, more, approvals, withdrawnBy) => {
    const context = { ...newIssue('default/lib-1'), withdrawals: [max], facts: view(more) }
    expect(approvalsOf(context).map(({ commentId }) => commentId)).toEqual(approvals)
    expect(withdrawerOf(context)).toBe(withdrawnBy)
  })
})

test('R10: an Issue of version 2 knows of no withdrawal until the mirror tells it the next time', () => {
  const snapshot = issueDefinition.upgrades[2]!({ context: { id: 'default/lib-1' } })
  expect(snapshot).toEqual({ context: { id: 'default/lib-1', withdrawals: [] } })
})
