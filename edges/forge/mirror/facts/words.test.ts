import { describe, expect, test } from 'vitest'
import type { ForgeComment } from '../../port.ts'
import { isTakenBack, withTelling, type CommentHint } from './hands.ts'
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
    notified: true,
    heard: true,
    ...more,
  }
}

const hold = row({ id: '1', sort: 'comment', body: '/hold' })
const approval = row({ id: 'review-2', verdict: 'approved', createdAt: 2000 })
const revoked = { ...approval, deletedAt: 3000 }

function standing(...rows: readonly MirroredComment[]): readonly string[] {
  return standingWords([{ threadRef: place, rows, people }]).map(({ commentId }) => commentId)
}

test('an approval by button lifts an older hold, and one that the forge lists no more lifts nothing (LAW-24, MIRROR-10)', () => {
  expect(standing(hold, approval)).toEqual([])
  expect(standing(hold, revoked)).toEqual(['1'])
})

test('a no that an edit renewed is as new as the edit, whoever the forge says it was (WORDS-4)', () => {
  const edited = { ...hold.comment, body: '/hold\n\nThere is a hole in it.', updatedAt: 3000 }
  const renewed = withTelling(hold, edited, { action: 'read', news: false }, 0)!
  expect([standing(hold, approval), standing(renewed, approval)]).toEqual([[], ['1']])
})

test('in one second an edit into a no comes after an approval, whatever their ids (LAW-24)', () => {
  const lift = row({ id: '9', sort: 'comment', body: '/approve', createdAt: 2000 })
  const edited = row({ id: '1', sort: 'comment', body: '/hold', updatedAt: 2000 })
  const written = row({ id: '8', sort: 'comment', body: '/hold', createdAt: 2000 })
  expect([standing(lift, edited), standing(lift, written)]).toEqual([['1'], []])
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

/** Every kind of word that withholds, by its text. */
const withholding = [
  ['a hold', '/hold', 'hold'],
  ['a withdrawing phrase', 'Stop.', 'hold'],
  ['a doubt', 'Please hold off, legal has to look at this first.', 'doubt'],
  ['a command within a line', '@statewright-bot /hold', 'doubt'],
] as const

const fine = 'fine by me'
const mike = { login: 'maria', id: '1', bot: false }
const other = { login: 'sam', id: '2', bot: false }

/** Its words after each of these tellings of one comment. */
function wordsAfter(text: string, ...tellings: readonly (readonly [string, CommentHint])[]): readonly string[] {
  const { comment } = row({ sort: 'comment', body: text })
  const last = tellings.reduce<MirroredComment | undefined>(
    (now, [body, hint], minute) =>
      withTelling(now, { ...comment, body, updatedAt: 1000 + minute * 60_000 }, hint, 5000) ?? now,
    undefined,
  )
  return standingWords([{ threadRef: place, rows: [last!], people }]).map((word) => word.kind)
}

describe.each(withholding)('LAW-24: %s', (_name, text, kind) => {
  const created = [text, { action: 'created', by: mike, news: true }] as const
  const read = { action: 'read', news: false } as const
  test.each<[string, readonly (readonly [string, CommentHint])[]]>([
    ['the edit of another', [created, [fine, { action: 'edited', by: other, news: false }]]],
    ['an edit that only a reading shows', [created, [fine, read]]],
    ['the deletion by another', [created, [text, { action: 'deleted', by: other, news: false }]]],
    ['a deletion by nobody knows whom', [created, [text, { action: 'deleted', news: false }]]],
    [
      'an edit and then the deletion by others',
      [created, [fine, read], [fine, { action: 'deleted', by: other, news: false }]],
    ],
  ])('outlives %s', (_how, tellings) => {
    expect(wordsAfter(text, ...tellings)).toEqual([kind])
  })
  test('ends by its author’s own edit or deletion', () => {
    expect(wordsAfter(text, created, [fine, { action: 'edited', by: mike, news: false }])).toEqual([])
    expect(wordsAfter(text, created, [text, { action: 'deleted', by: mike, news: false }])).toEqual([])
  })
})

test('a hold that perhaps its author made of his doubt is a hold, whoever writes over it (LAW-24)', () => {
  const [doubt, read] = ['Hm, hold off for now?', { action: 'read', news: false } as const]
  const created = [doubt, { action: 'created', by: mike, news: true }] as const
  expect(wordsAfter(doubt, created, ['/hold', read])).toEqual(['hold'])
  expect(wordsAfter(doubt, created, ['/hold', read], [fine, read])).toEqual(['hold'])
})
