import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bodyHash } from '../../hash.ts'
import type { ForgeAccount, ForgeComment } from '../../port.ts'
import {
  isDeletedByAuthor,
  isOwnText,
  isTakenBack,
  isUnproven,
  withTelling,
  writerOf,
  type CommentHint,
} from './hands.ts'
import type { MirroredComment } from './records.ts'

const mike: ForgeAccount = { login: 'mike', id: '1', bot: false }
const maria: ForgeAccount = { login: 'maria', id: '2', bot: false }
const written = 1_800_000_000_000

function comment(body: string, editedAt = written, author = mike): ForgeComment {
  const place = { id: '7', sort: 'comment', on: 'issue', number: 1, url: '' } as const
  return { ...place, author, body, createdAt: written, updatedAt: editedAt }
}

type Telling = readonly [body: string, minute: number, action: CommentHint['action'], by?: ForgeAccount, from?: string]

function told(...tellings: readonly Telling[]): MirroredComment | undefined {
  return tellings.reduce<MirroredComment | undefined>((row, [body, minute, action, by, from]) => {
    const hint = { action, news: false, ...(by ? { by } : {}), ...(from === undefined ? {} : { from }) }
    return withTelling(row, comment(body, written + minute * 60_000), hint, written) ?? row
  }, undefined)
}

/** What the comment still withdraws, and whether what it says there is its author's. */
function standing(row: MirroredComment | undefined): object {
  if (row === undefined) return { withdraws: undefined }
  const own = !isDeletedByAuthor(row) && writerOf(row) !== 'other' ? row.comment.body : undefined
  const withdraws = row.withdrawal?.text ?? (own?.startsWith('/hold') ? own : undefined)
  return { withdraws, isOwn: isOwnText(row), isTakenBack: isTakenBack(row) }
}

const held = { withdraws: '/hold', isOwn: false, isTakenBack: false }
const free = { withdraws: undefined, isTakenBack: true }

describe('a withdrawal', () => {
  test.each<[string, readonly Telling[], object]>([
    ['stands as it was written', [['/hold', 0, 'created', mike]], { ...held, isOwn: true }],
    ['stands when it is only read', [['/hold', 0, 'read']], { ...held, isOwn: true }],
    [
      'outlives the edit of another',
      [
        ['/hold', 0, 'created', mike],
        ['ok', 1, 'edited', maria],
      ],
      held,
    ],
    [
      'outlives an edit that only a read shows',
      [
        ['/hold', 0, 'created', mike],
        ['ok', 1, 'read'],
      ],
      held,
    ],
    [
      'outlives an edit of the very second that only a read shows',
      [
        ['/hold', 0, 'read'],
        ['ok', 0, 'read'],
      ],
      held,
    ],
    [
      'outlives the deletion by another',
      [
        ['/hold', 0, 'created', mike],
        ['/hold', 0, 'deleted', maria],
      ],
      held,
    ],
    [
      'outlives the edit and then the deletion by others',
      [
        ['/hold', 0, 'created', mike],
        ['ok', 1, 'read'],
        ['ok', 1, 'deleted', maria],
      ],
      held,
    ],
    [
      'ends by its author’s own edit',
      [
        ['/hold', 0, 'created', mike],
        ['ok', 1, 'edited', mike],
      ],
      { ...free, isOwn: true },
    ],
    [
      'ends by its author’s own deletion',
      [
        ['/hold', 0, 'created', mike],
        ['/hold', 0, 'deleted', mike],
      ],
      { ...free, isOwn: false },
    ],
    [
      'ends by his own edit although others wrote over it first',
      [
        ['/hold', 0, 'created', mike],
        ['ok', 1, 'edited', maria],
        ['never mind', 2, 'edited', mike],
      ],
      { ...free, isOwn: true },
    ],
    [
      'ends once the lost event of his own edit comes after all',
      [
        ['/hold', 0, 'created', mike],
        ['ok', 1, 'read'],
        ['ok', 1, 'edited', mike],
      ],
      { ...free, isOwn: true },
    ],
    [
      'ends once the lost event of his own deletion comes after all',
      [
        ['/hold', 0, 'created', mike],
        ['/hold', 0, 'deleted'],
        ['/hold', 0, 'deleted', mike],
      ],
      { ...free, isOwn: false },
    ],
    [
      'does not end by the same login under another id',
      [
        ['/hold', 0, 'created', mike],
        ['ok', 1, 'edited', { ...mike, id: '99' }],
      ],
      held,
    ],
    [
      'is heard although its own event comes after the edit of another',
      [
        ['ok', 1, 'edited', maria],
        ['/hold', 0, 'created', mike],
      ],
      held,
    ],
    ['is known from what an edit says stood before', [['ok', 1, 'edited', maria, '/hold']], held],
    [
      'is heard although its own event comes after the deletion',
      [
        ['ok', 1, 'read'],
        ['ok', 1, 'deleted', maria],
        ['/hold', 0, 'created', mike],
      ],
      held,
    ],
    ['is known from its deletion alone', [['/hold', 0, 'deleted', maria]], held],
    [
      'stands in an edit of nobody knows whom',
      [
        ['ok', 0, 'created', mike],
        ['/hold', 1, 'read'],
      ],
      held,
    ],
    [
      'is nobody’s when another wrote it in his name',
      [
        ['ok', 0, 'created', mike],
        ['/hold', 1, 'edited', maria],
      ],
      { withdraws: undefined, isOwn: false, isTakenBack: false },
    ],
    [
      'stands again when its author writes it anew',
      [
        ['/hold', 0, 'created', mike],
        ['ok', 1, 'edited', mike],
        ['/hold', 2, 'edited', mike],
      ],
      { ...held, isOwn: true },
    ],
  ])('%s', (_name, tellings, expected) => {
    expect(standing(told(...tellings))).toEqual(expected)
  })
})

describe('an author’s own text', () => {
  test.each<[string, readonly Telling[], boolean]>([
    ['is what he wrote', [['/approve', 0, 'created', mike]], true],
    [
      'is what he edited himself',
      [
        ['hm', 0, 'created', mike],
        ['/approve', 1, 'edited', mike],
      ],
      true,
    ],
    [
      'is not what another edited',
      [
        ['hm', 0, 'created', mike],
        ['/approve', 1, 'edited', maria],
      ],
      false,
    ],
    [
      'is not what a read shows changed',
      [
        ['hm', 0, 'created', mike],
        ['/approve', 1, 'read'],
      ],
      false,
    ],
    ['is not what is seen first after an edit', [['/approve', 1, 'read']], false],
    [
      'is again what another edited and he then edited himself',
      [
        ['hm', 0, 'created', mike],
        ['x', 1, 'edited', maria],
        ['/approve', 2, 'edited', mike],
      ],
      true,
    ],
    [
      'is no more what was deleted',
      [
        ['/approve', 0, 'created', mike],
        ['/approve', 0, 'deleted', maria],
      ],
      false,
    ],
    [
      'is not what two hands wrote in one second, whichever event comes last',
      [
        ['hm', 0, 'created', mike],
        ['x', 1, 'edited', maria],
        ['/approve', 1, 'edited', mike],
      ],
      false,
    ],
    [
      'stays his when he is only told again',
      [
        ['/approve', 0, 'created', mike],
        ['/approve', 0, 'created', mike],
        ['/approve', 0, 'read'],
      ],
      true,
    ],
  ])('%s', (_name, tellings, expected) => {
    expect(isOwnText(told(...tellings)!)).toBe(expected)
  })
  test('is not what was read when its creation, told later, says another text', () => {
    expect(isOwnText(told(['/approve', 0, 'read'], ['hm', 0, 'created', mike])!)).toBe(false)
  })
  test('is not what a reading shows as unedited, but that differs from what was told: the edit was in the same millisecond', () => {
    const told = withTelling(undefined, comment('hm'), { action: 'created', by: mike, news: true }, written)!
    const read = { ...comment('/approve'), edited: false }
    expect(isOwnText(withTelling(told, read, { action: 'read', news: false }, written)!)).toBe(false)
  })
  test('is not what its forge says was edited within its first second', () => {
    const edited = { ...comment('/approve'), edited: true }
    const read = { action: 'read', news: false } as const
    const creation = { action: 'created', by: mike, news: true } as const
    const first = withTelling(undefined, edited, read, written)!
    expect(isOwnText(first)).toBe(false)
    expect(isOwnText(withTelling(first, comment('/approve'), creation, written) ?? first)).toBe(false)
    const heard = withTelling(undefined, comment('/approve'), creation, written)!
    expect(isOwnText(withTelling(heard, edited, read, written)!)).toBe(false)
    const untouched = { ...comment('/approve'), edited: false }
    expect(isOwnText(withTelling(undefined, untouched, read, written)!)).toBe(true)
  })
  test.each(['/approve', 'lgtm', '/allow-ci-changes', '/retry', '/budget +5', '/takeover'])(
    'is not known to be %s that is only read: another may have written it over within its second',
    (body) => {
      const read = withTelling(undefined, comment(body), { action: 'read', news: false }, written)!
      expect([isOwnText(read), isUnproven(read)]).toEqual([false, true])
      const creation = { action: 'created', by: mike, news: true } as const
      expect(isOwnText(withTelling(read, comment(body), creation, written)!)).toBe(true)
      const untouched = { ...comment(body), edited: false }
      expect(isOwnText(withTelling(read, untouched, { action: 'read', news: false }, written)!)).toBe(true)
    },
  )
  test.each(['/approve', 'Looks fine.'])(
    'of a review that is only read is not known: it carries no time of its edit (FORGE-FACT-3): %s',
    (body) => {
      const review = { ...comment(body), sort: 'review' } as const
      expect(isOwnText(withTelling(undefined, review, { action: 'read', news: false }, written)!)).toBe(false)
      expect(isOwnText(withTelling(undefined, review, { action: 'created', by: mike, news: false }, written)!)).toBe(
        true,
      )
    },
  )
})

test('LAW-24: in whatever order, as often and with whatever loss it is told, other hands never end a withdrawal (MIRROR-2)', () => {
  const body = fc.constantFrom('/hold', 'ok', '/approve', '/hold (typo)')
  const theirs = fc.tuple(
    body,
    fc.integer({ min: 1, max: 3 }),
    fc.constantFrom('edited', 'read', 'deleted', 'other'),
    fc.constantFrom(maria, undefined),
  )
  fc.assert(
    fc.property(fc.array(theirs, { maxLength: 6 }), fc.nat(6), (others, place) => {
      const tellings = others.map(([text, minute, action, by]): Telling => [
        text,
        minute,
        action as CommentHint['action'],
        by,
      ])
      const all: Telling[] = tellings.toSpliced(Math.min(place, tellings.length), 0, ['/hold', 0, 'created', mike])
      const row = told(...all)!
      expect(isTakenBack(row)).toBe(false)
      const text = row.withdrawal?.text ?? (writerOf(row) === 'other' ? '' : row.comment.body)
      expect(text).toMatch(/^\/hold/)
    }),
    { numRuns: 500, seed: 20261122 },
  )
})

test('a row knows the hash of the text that stands there', () => {
  expect(told(['/hold', 0, 'created', mike], ['ok', 1, 'edited', maria])?.bodyHash).toBe(bodyHash('ok'))
})
