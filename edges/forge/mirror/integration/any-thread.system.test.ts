/**
 * LAW-24 in any thread of the Task, end to end: the local forge, the edge, a real Issue, and the merge that asks. What a
 * maintainer says on a merge request counts as on the issue.
 */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { SUBJECT, mergeWhenKnown, openChange } from '../../outbound/testing/merges.ts'
import { withForgeEdge } from '../../testing/fixture.ts'
import { judgedThread } from '../facts/judged-thread.ts'
import { mirrorRules } from '../facts/rules.ts'
import { withApprovedIssue, type ApprovedIssue } from '../testing/approved-issue.ts'
import { testInside } from '../../../../testing/inside.ts'

const REPO = 'acme/library'

/** Forges date in whole seconds: a word of the same second lifts nothing. */
function nextSecond(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 })
}

afterEach(() => {
  vi.useRealTimers()
})

/** Says it on the merge request; resolves to what a later edit or dismissal names. */
type Say = (approved: ApprovedIssue, number: number, login?: string) => Promise<number>

const onLine = [{ path: 'src/mul.js', body: '/hold', line: 1, wholeFile: false }]

const reviewed =
  (event: 'APPROVE' | 'COMMENT' | 'REQUEST_CHANGES', body: string, comments: typeof onLine = []): Say =>
  async ({ fixture }, number, login = 'acme') =>
    (await fixture.forge.review(login, REPO, number, { event, body, comments })).id

const commented =
  (body: string): Say =>
  async ({ fixture }, number, login = 'acme') =>
    fixture.forge.comment(login, REPO, number, body).id

const requestChanges = reviewed('REQUEST_CHANGES', 'This must not be merged.')

const words: readonly (readonly [string, Say])[] = [
  ['a comment', commented('/hold')],
  ['the body of a review', reviewed('COMMENT', '/hold')],
  ['a comment on a line', reviewed('COMMENT', 'See below.', onLine)],
  ['a review that approves and withdraws', reviewed('APPROVE', 'Good, but:\n/hold')],
  ['a review that requests changes', requestChanges],
]
/** One of each kind: the places differ in how a word is read, not in what follows from it. */
const kinds = words.filter(([name]) => name === 'a comment' || name === 'a review that requests changes')

async function expectMerged(approved: ApprovedIssue): Promise<void> {
  expect(await approved.merge()).toEqual([])
  expect(approved.isMerged).toBe(true)
}

async function expectHeld(approved: ApprovedIssue): Promise<void> {
  expect(await approved.merge()).toHaveLength(1)
  expect(approved.isMerged).toBe(false)
}

const it = testInside(withApprovedIssue, {})

describe('a word on the merge request withholds the merge', () => {
  it.for(words)('LAW-24: %s, webhook delivered', async ([, say], approved) => {
    await approved.fixture.quiet(say(approved, (await approved.change()).number))
    await expectHeld(approved)
  })
  it.for(words)('LAW-24: %s, read by nobody but the merge (MERGE-11)', async ([, say], approved) => {
    const { number } = await approved.change()
    approved.loseWebhooks()
    await say(approved, number)
    await expectHeld(approved)
  })
  it('LAW-24: a /hold there takes the grant of the issue back (APPROVAL-17)', async (approved) => {
    const { number } = await approved.change()
    await approved.fixture.quiet(approved.fixture.forge.comment('acme', REPO, number, '/hold'))
    expect(approved.isGranted).toBe(false)
    expect(approved.facts).toMatchObject({ withdrawnBy: 'acme' })
  })
  it('LAW-24: what asks for changes quotes the review, and says who can let it go on (MERGE-11)', async (approved) => {
    await approved.fixture.quiet(requestChanges(approved, (await approved.change()).number))
    expect(await approved.merge()).toEqual([
      expect.stringMatching(
        /^acme requests changes: "This must not be merged\." \(http.*\); a newer `\/approve` .* by a maintainer/,
      ),
    ])
  })
  test('LAW-24: also where the Task owns no issue (MERGE-11)', async () => {
    await withForgeEdge({}, async (fixture) => {
      const change = await openChange(fixture)
      fixture.forge.comment('maintainer', REPO, change.number, '/hold')
      expect(await mergeWhenKnown(fixture, change)).toMatchObject([{ event: { type: 'mr.mergeRefused' } }])
      nextSecond()
      fixture.forge.comment('maintainer', REPO, change.number, '/approve')
      expect(await mergeWhenKnown(fixture, change)).toEqual([])
    })
  })
  test('LAW-24: a word on one merge request withholds the other ones of the Task (MERGE-11)', async () => {
    await withForgeEdge({}, async (fixture) => {
      const first = await openChange(fixture)
      const second = await openChange(fixture, 'platform/b', { 'src/div.js': 'export const div = (a, b) => a / b\n' })
      const { repository } = SUBJECT
      fixture.threads.push(...[first, second].map(({ number }) => ({ kind: 'mr', repository, number }) as const))
      fixture.forge.comment('maintainer', REPO, second.number, '/hold')
      expect(await mergeWhenKnown(fixture, first)).toMatchObject([{ event: { type: 'mr.mergeRefused' } }])
    })
  })
  it('LAW-24: a word that lets go and that the forge lists no more lets nothing go, from the first reading on', async (approved) => {
    const { number } = await approved.change()
    const { fixture } = approved
    fixture.forge.comment('acme', REPO, number, '/hold')
    nextSecond()
    const lift = fixture.forge.comment('maintainer', REPO, number, '/approve').id
    await fixture.quiet()
    approved.claim(approved.approval)
    expect(approved.isGranted).toBe(true)
    approved.loseWebhooks()
    approved.delete('maintainer', lift)
    expect(await approved.merge()).toEqual([expect.stringMatching(/^the forge does not list http.*issuecomment/)])
    fixture.clock.advance(2 * 60_000)
    expect(await approved.merge()).toEqual(['approval-revoked'])
    expect(approved.isMerged).toBe(false)
  })
  it.for(kinds)('%s by somebody who maintains nothing withholds nothing', async ([, say], approved) => {
    await approved.fixture.quiet(say(approved, (await approved.change()).number, 'stranger'))
    await expectMerged(approved)
  })
  test.each(kinds)('%s: with the wall taken down the bot merges', async (_name, say) => {
    const down = {
      ...mirrorRules,
      words: () => [],
      judged: (...[rows, people]: Parameters<typeof judgedThread>) => judgedThread(rows, people),
    }
    await withApprovedIssue({ rules: down }, async (approved) => {
      await approved.fixture.quiet(say(approved, (await approved.change()).number))
      await expectMerged(approved)
    })
  })
})

const withDoubt: typeof kinds = [...kinds, ['a doubt', commented('Hold on a second')]]

describe('who leaves the maintainers keeps what he withheld', () => {
  it.for(withDoubt)(
    'LAW-24: %s that was heard withholds on, and lifts and new words of his do not count',
    async ([, say], approved) => {
      const { number } = await approved.change()
      await approved.fixture.quiet(say(approved, number))
      ;(approved.fixture.project.scm.maintainerLogins as string[]).pop()
      nextSecond()
      await approved.fixture.quiet(approved.fixture.forge.comment('acme', REPO, number, '/approve'))
      await expectHeld(approved)
    },
  )
  it.for(['edits', 'deletes'])('LAW-24: a doubt stands too when he %s it afterwards', async (how, approved) => {
    const { fixture } = approved
    const { number } = await approved.change()
    const doubt = fixture.forge.comment('acme', REPO, number, 'Please hold off, legal has to look.').id
    await fixture.quiet()
    ;(fixture.project.scm.maintainerLogins as string[]).pop()
    nextSecond()
    if (how === 'edits') approved.edit('acme', doubt, 'never mind')
    else approved.delete('acme', doubt)
    await fixture.quiet()
    await expectHeld(approved)
  })
  it.for(withDoubt)('%s that he says afterwards withholds nothing', async ([, say], approved) => {
    const { number } = await approved.change()
    ;(approved.fixture.project.scm.maintainerLogins as string[]).pop()
    await approved.fixture.quiet(say(approved, number))
    await expectMerged(approved)
  })
})

describe('a doubt stops (WORDS-7)', () => {
  const doubts = ['@bot /hold', 'Please hold off, legal has to look at this first.', '🛑 /hold', '/hold—wait']
  it.for(doubts)(
    '%s on the issue, or on the merge request, withholds the merge until somebody says which',
    async (doubt, approved) => {
      const { number } = await approved.change()
      const place = doubt.startsWith('@') ? approved.number : number
      nextSecond()
      await approved.fixture.quiet(approved.fixture.forge.comment('acme', REPO, place, doubt))
      expect(approved.isGranted).toBe(true)
      expect(await approved.merge()).toEqual([expect.stringContaining(`acme wrote "${doubt}"`)])
      nextSecond()
      await approved.fixture.quiet(approved.fixture.forge.comment('maintainer', REPO, number, '/approve'))
      await expectMerged(approved)
    },
  )
  test('with the wall taken down the bot merges', async () => {
    const words: typeof mirrorRules.words = (threads) =>
      mirrorRules.words(threads).filter(({ kind }) => kind !== 'doubt')
    await withApprovedIssue({ rules: { ...mirrorRules, words } }, async (approved) => {
      const { number } = await approved.change()
      nextSecond()
      await approved.fixture.quiet(approved.fixture.forge.comment('acme', REPO, number, doubts[1]!))
      await expectMerged(approved)
    })
  })
})

describe('it is taken back', () => {
  const lifts: readonly (readonly [string, (approved: ApprovedIssue, number: number) => Promise<unknown>])[] = [
    [
      'by /approve of another maintainer on the merge request',
      (approved, number) => commented('/approve')(approved, number, 'maintainer'),
    ],
    [
      'by an approving review of another maintainer',
      (approved, number) => reviewed('APPROVE', '')(approved, number, 'maintainer'),
    ],
    ['by /approve on the issue', (approved) => approved.approve()],
  ]
  it.for(lifts)('%s, after a /hold (APPROVAL-17)', async ([, lift], approved) => {
    const { number } = await approved.change()
    await approved.fixture.quiet(approved.fixture.forge.comment('acme', REPO, number, '/hold'))
    nextSecond()
    await approved.fixture.quiet(lift(approved, number))
    expect(approved.isGranted).toBe(true)
    await expectMerged(approved)
  })
  it.for(lifts)('%s, after a request for changes', async ([, lift], approved) => {
    const { number } = await approved.change()
    await requestChanges(approved, number)
    nextSecond()
    await approved.fixture.quiet(lift(approved, number))
    await expectMerged(approved)
  })
  it('by its author’s own edit, and by its author’s own deletion', async (approved) => {
    const { number } = await approved.change()
    const [one, other] = ['/hold', '/hold'].map((text) => approved.fixture.forge.comment('acme', REPO, number, text).id)
    await approved.fixture.quiet()
    nextSecond()
    approved.edit('acme', one!, 'never mind')
    await approved.fixture.quiet(approved.delete('acme', other!))
    await expectMerged(approved)
  })
  it('by the dismissal of a maintainer (APPROVAL-18)', async (approved) => {
    const { number } = await approved.change()
    const review = await approved.fixture.quiet(requestChanges(approved, number))
    await dismiss(approved, 'maintainer', number, review)
    await expectMerged(approved)
  })
})

async function dismiss({ fixture }: ApprovedIssue, login: string, number: number, review: number): Promise<void> {
  await fixture
    .octokit(login)
    .pulls.dismissReview({ owner: 'acme', repo: 'library', pull_number: number, review_id: review, message: 'old' })
  await fixture.quiet()
}

describe('it is not taken back', () => {
  it.for(kinds)('LAW-24: %s, by a new head', async ([, say], approved) => {
    await say(approved, (await approved.change()).number)
    nextSecond()
    await approved.pushAgain()
    await expectHeld(approved)
  })
  it.for(['stranger', 'maintainer', 'bot'])('LAW-24: by an edit of %s', async (login, approved) => {
    const hold = approved.fixture.forge.comment('acme', REPO, (await approved.change()).number, '/hold').id
    await approved.fixture.quiet()
    nextSecond()
    await approved.fixture.quiet(approved.edit(login, hold, '/approve'))
    await expectHeld(approved)
  })
  it('LAW-24: by an approval of somebody who maintains nothing', async (approved) => {
    const { number } = await approved.change()
    await requestChanges(approved, number)
    nextSecond()
    await approved.fixture.forge.review('stranger', REPO, number, { event: 'APPROVE', body: '/approve' })
    await approved.fixture.quiet()
    await expectHeld(approved)
  })
  it('LAW-24: by the dismissal of somebody who maintains nothing, delivered or not (APPROVAL-18)', async (approved) => {
    const { number } = await approved.change()
    const review = await approved.fixture.quiet(requestChanges(approved, number))
    await dismiss(approved, 'stranger', number, review)
    await expectHeld(approved)
    await approved.resync()
    await expectHeld(approved)
  })
  it('LAW-24: by an approval that was dismissed (APPROVAL-18)', async (approved) => {
    const { number } = await approved.change()
    await requestChanges(approved, number)
    nextSecond()
    const approval = await approved.fixture.forge.review('maintainer', REPO, number, { event: 'APPROVE', body: '' })
    await approved.fixture.quiet()
    await dismiss(approved, 'stranger', number, approval.id)
    await expectHeld(approved)
  })
})
