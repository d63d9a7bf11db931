import { expect, test } from 'vitest'
import type { ForgeComment } from '../port.ts'
import { isTakenBack } from './hands.ts'
import type { MirroredComment } from './records.ts'
import { standingWords } from './words.ts'

const place = { kind: 'mr', repository: 'library', number: 1 } as const
const people = { isMaintainer: () => true }

function row(comment: Partial<ForgeComment>, more: Partial<MirroredComment> = {}): MirroredComment {
  return {
    comment: {
      id: '1',
      sort: 'review',
      on: 'mr',
      number: 1,
      author: { login: 'maria', id: '1', bot: false },
      body: '',
      url: '',
      createdAt: 1000,
      updatedAt: comment.createdAt ?? 1000,
      ...comment,
    },
    bodyHash: '',
    told: true,
    heard: true,
    ...more,
  }
}

const hold = row({ id: '1', sort: 'comment', body: '/hold' })
const approval = row({ id: 'review-2', verdict: 'approved', createdAt: 2000 })
const revoked = { ...approval, deletedAt: 3000 }

function standing(...rows: readonly MirroredComment[]): readonly string[] {
  return standingWords([{ place, rows, people }]).map(({ commentId }) => commentId)
}

test('an approval by button lifts an older hold, and one that the forge lists no more lifts nothing (LAW-24, MIRROR-10)', () => {
  expect(standing(hold, approval)).toEqual([])
  expect(standing(hold, revoked)).toEqual(['1'])
})

test('a request for changes that the forge lists no more still withholds, until a newer approval (LAW-24, MIRROR-10)', () => {
  const request = row({ id: 'review-1', verdict: 'changesRequested' }, { deletedAt: 1500 })
  expect(standing(request)).toEqual(['review-1'])
  expect(standing(request, approval)).toEqual([])
})

test('an approval that the forge lists no more is taken back, and a comment is not that others deleted (APPROVAL-7, MIRROR-10)', () => {
  expect([approval, revoked].map(isTakenBack)).toEqual([false, true])
  expect(isTakenBack({ ...hold, deletedAt: 3000 })).toBe(false)
})
