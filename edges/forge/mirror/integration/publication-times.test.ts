/** GitHub dates a comment on a line when it is drafted, and a review when it is submitted: neither when it was said last (WORDS-4). */
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ForgeComment } from '../../port.ts'
import { withTelling, type CommentHint } from '../facts/hands.ts'
import type { MirroredComment } from '../facts/records.ts'
import { withApprovedIssue } from '../testing/approved-issue.ts'
import { standingWords } from '../facts/words.ts'

const REPO = 'acme/library'
const place = { kind: 'mr', repository: 'library', number: 1 } as const
const mike = { login: 'mike', id: '1', bot: false }
const read: CommentHint = { action: 'read', news: false }
const created: CommentHint = { action: 'created', by: mike, news: true }

function edited(from: string): CommentHint {
  return { action: 'edited', by: mike, from, news: false }
}

function comment(sort: ForgeComment['sort'], id: string, body: string, at: number): ForgeComment {
  return { id, sort, on: 'mr', number: 1, author: mike, body, url: '', createdAt: at, updatedAt: at }
}

type Telling = readonly [body: string, hint: CommentHint, heardAt: number]

/** A review of the moment 1000, which is the only time that its forge has of it. */
function review(...tellings: readonly Telling[]): MirroredComment {
  return tellings.reduce<MirroredComment | undefined>(
    (row, [body, hint, now]) => withTelling(row, comment('review', 'review-5', body, 1000), hint, now) ?? row,
    undefined,
  )!
}

function plain(body: string, at: number): MirroredComment {
  return withTelling(undefined, comment('comment', '9', body, at), created, at)!
}

function standing(...rows: readonly MirroredComment[]): readonly string[] {
  return standingWords([{ threadRef: place, rows, people: { isMaintainer: () => true } }]).map(
    ({ commentId }) => commentId,
  )
}

describe('a review', () => {
  test.each<[string, readonly Telling[]]>([
    [
      'and it was heard',
      [
        ['Nice.', created, 1000],
        ['/hold', edited('Nice.'), 3000],
      ],
    ],
    [
      'and only a reading shows it',
      [
        ['Nice.', created, 1000],
        ['/hold', read, 3000],
      ],
    ],
    ['and nothing was heard of it before', [['/hold', edited('Nice.'), 3000]]],
    [
      'and a reading was faster than its delivery',
      [
        ['/hold', read, 3000],
        ['/hold', edited('Nice.'), 3001],
      ],
    ],
    [
      'and it is told and read again',
      [
        ['Nice.', created, 1000],
        ['/hold', edited('Nice.'), 3000],
        ['Nice.', created, 5000],
        ['/hold', read, 6000],
      ],
    ],
  ])('that its author edits into a /hold after an approval withholds, %s (WORDS-4)', (_how, tellings) => {
    expect(standing(plain('/approve', 2000), review(...tellings))).toEqual(['review-5'])
    expect(standing(plain('/approve', 4000), review(...tellings))).toEqual([])
  })
  test('keeps a /hold that was heard when an older edit of it is delivered again (WORDS-4)', () => {
    const heard = [
      ['Nice.', created, 1000],
      ['/hold', edited('Nice, but.'), 3000],
    ] as const
    const again = [...heard, ['Nice, but.', edited('Nice.'), 4000]] as const
    expect(standing(review(...again))).toEqual(['review-5'])
    expect(standing(review(...again, ['Fine by me.', read, 5000]))).toEqual(['review-5'])
    expect(standing(review(...again, ['Fine by me.', edited('/hold'), 5000]))).toEqual([])
  })
  test('that is read first long after it was lifted stays lifted', () => {
    expect(standing(plain('/approve', 2000), review(['/hold', read, 9000]))).toEqual([])
    expect(standing(plain('/approve', 2000), review(['/hold', read, 9000], ['/hold', created, 9001]))).toEqual([])
  })
  test('that its author edits into an /approve lifts no /hold that is newer than the review (WORDS-4)', () => {
    const approving = review(['Nice.', created, 1000], ['/approve', edited('Nice.'), 3000])
    expect(standing(plain('/hold', 2000), approving)).toEqual(['9'])
  })
})

test('an /approve on a line that was drafted before a /hold lifts nothing, whenever it was submitted', () => {
  const line = { ...comment('inline', 'inline-3', '/approve', 1000), publishedAt: 3000 }
  expect(standing(plain('/hold', 2000), withTelling(undefined, line, created, 3000)!)).toEqual(['9'])
})

describe('a /hold of a review', () => {
  afterEach(() => void vi.useRealTimers())
  function later(): void {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
  }
  test('on a line that was drafted before an approval and submitted after it stands (LAW-24)', async () => {
    await withApprovedIssue({}, async (approved) => {
      const { fixture } = approved
      const { number } = await approved.change()
      const at = { owner: 'acme', repo: 'library', pull_number: number }
      later()
      const { pulls } = fixture.octokit('acme')
      const comments = [{ path: 'src/mul.js', line: 1, body: '/hold\n\nThis overflows.' }]
      const { data } = await pulls.createReview({ ...at, comments })
      later()
      await fixture.quiet(fixture.forge.comment('maintainer', REPO, number, '/approve'))
      later()
      await fixture.quiet(pulls.submitReview({ ...at, review_id: data.id, event: 'COMMENT', body: 'See below.' }))
      expect(await approved.merge()).toEqual(['approval-revoked'])
      expect(approved.isMerged).toBe(false)
    })
  })
})
