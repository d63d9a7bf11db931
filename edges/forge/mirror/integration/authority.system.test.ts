/** Who may take a maintainer's word back, end to end: the local forge, the edge, a real Issue, and the merge that asks it. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { topicMarker, withMarkers } from '../../marker.ts'
import { withApprovedIssue, type ApprovedIssue } from '../testing/approved-issue.ts'
import { testInside } from '../../../../testing/inside.ts'

/** Forges date in whole seconds: an edit within the second of its comment shows no time of its own. */
function nextSecond(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 })
}

afterEach(() => {
  vi.useRealTimers()
})

async function expectHeld(approved: ApprovedIssue): Promise<void> {
  expect(await approved.merge()).toEqual(['approval-revoked'])
  expect(approved.isMerged).toBe(false)
  expect(approved.isGranted).toBe(false)
  // Whoever claims it once more is refused as well.
  approved.claim(approved.approval)
  expect(approved.isGranted).toBe(false)
}

async function expectMerged(approved: ApprovedIssue): Promise<void> {
  expect(approved.isGranted).toBe(true)
  expect(await approved.merge()).toEqual([])
  expect(approved.isMerged).toBe(true)
}

const others = [
  ['a collaborator', 'stranger'],
  ['another maintainer', 'maintainer'],
  ['the bot', 'bot'],
] as const

const it = testInside(withApprovedIssue, {})

/** What becomes of a comment of `acme`. */
type Deed = readonly [how: string, deed: (approved: ApprovedIssue, comment: number) => unknown]

describe("LAW-24: a maintainer's /hold stands until a maintainer takes it back", () => {
  const deeds: readonly Deed[] = [
    ...others.flatMap(([name, login]): Deed[] => [
      [`edited by ${name}`, (approved, hold) => approved.edit(login, hold, 'fine by me')],
      [`deleted by ${name}`, (approved, hold) => approved.delete(login, hold)],
    ]),
    [
      'left as it is by a collaborator but for a typo',
      (approved, hold) => approved.edit('stranger', hold, '/hold (typo fixed)'),
    ],
    [
      'edited and then deleted by a collaborator',
      (approved, hold) => {
        approved.edit('stranger', hold, 'x')
        approved.delete('stranger', hold)
      },
    ],
    [
      'edited by its author, who maintains no more',
      (approved, hold) => {
        ;(approved.fixture.project.scm.maintainerLogins as string[]).pop()
        approved.edit('acme', hold, 'never mind')
      },
    ],
  ]
  it.for(deeds)('%s, webhook told', async ([, deed], approved) => {
    const hold = await approved.sayHeard('acme', '/hold')
    await approved.fixture.quiet(deed(approved, hold))
    await expectHeld(approved)
  })
  it.for<Deed>([
    ['edited', (approved, hold) => approved.edit('stranger', hold, 'fine by me')],
    ['deleted', (approved, hold) => approved.delete('stranger', hold)],
  ])('%s by a collaborator, webhook lost', async ([how, deed], approved) => {
    const hold = await approved.sayHeard('acme', '/hold')
    approved.loseWebhooks()
    deed(approved, hold)
    await approved.resync()
    await expectHeld(approved)
    if (how === 'edited') expect(approved.facts.unclear).toEqual([String(hold)])
  })
  it('heard of by nobody but the read before the merge (CLAIM-20)', async (approved) => {
    approved.loseWebhooks()
    approved.say('acme', '/hold')
    expect(await approved.merge()).toEqual(['approval-revoked'])
    expect(approved.isMerged).toBe(false)
    expect(approved.isGranted).toBe(false)
  })
  it('its own webhook lost, and edited by a collaborator whose webhook is told', async (approved) => {
    approved.fixture.forge.faults.inject({ kind: 'drop', event: 'issue_comment', action: 'created', times: 1 })
    await approved.fixture.quiet(approved.edit('stranger', approved.say('acme', '/hold'), 'fine by me'))
    await expectHeld(approved)
  })
  it('edited into an approval by a collaborator', async (approved) => {
    const hold = await approved.sayHeard('acme', '/hold')
    await approved.fixture.quiet(approved.edit('stranger', hold, '/approve'))
    approved.claim(hold)
    await expectHeld(approved)
  })
  it('with a pasted marker of the platform in it', async (approved) => {
    await approved.sayHeard('acme', withMarkers('/hold', topicMarker('plan')))
    await expectHeld(approved)
  })
  it('although the mirror lost its row', async (approved) => {
    const hold = await approved.sayHeard('acme', '/hold')
    await approved.fixture.quiet(approved.delete('stranger', hold))
    await approved.fixture.sql.query('delete from forge_comment where id = $1', [String(hold)])
    await approved.resync()
    expect(approved.facts.withdrawals).toEqual([])
    await expectHeld(approved)
  })
})

describe('a withdrawal is taken back', () => {
  it('by a newer approval of any maintainer, and edits of others do not revive it', async (approved) => {
    const hold = await approved.sayHeard('acme', '/hold')
    await approved.approve()
    expect(approved.isGranted).toBe(true)
    await approved.fixture.quiet(approved.edit('stranger', hold, '/hold (typo fixed)'))
    await approved.resync()
    await expectMerged(approved)
  })
  it.for<Deed>([
    ['edit', (approved, hold) => approved.edit('acme', hold, 'I misread it.')],
    ['deletion', (approved, hold) => approved.delete('acme', hold)],
  ])("by its author's own %s", async ([, deed], approved) => {
    const hold = await approved.sayHeard('acme', '/hold')
    expect(approved.isGranted).toBe(false)
    await approved.fixture.quiet(deed(approved, hold))
    await expectMerged(approved)
  })
  it("by its author's own edit whose webhook is sent again after a read had seen it", async (approved) => {
    const hold = await approved.sayHeard('acme', '/hold')
    approved.fixture.forge.faults.inject({ kind: 'drop', event: 'issue_comment', action: 'edited', times: 1 })
    approved.edit('acme', hold, 'I misread it.')
    await approved.fixture.edge.mirror.refresh('demo', 'library', 'issue', approved.number)
    expect(approved.isGranted).toBe(false)
    await approved.resync()
    await expectMerged(approved)
  })
})

describe("nobody's edit makes a comment a maintainer's word", () => {
  it.for([
    ['told', false],
    ['lost', true],
  ])('a comment edited into /approve by a collaborator, webhook %s', async ([, isLost], approved) => {
    const remark = await approved.sayHeard('acme', 'I will look at it tomorrow.')
    await approved.fixture.quiet(approved.delete('maintainer', approved.approval))
    if (isLost) approved.loseWebhooks()
    approved.edit('stranger', remark, '/approve')
    await approved.fixture.quiet()
    if (isLost) await approved.resync()
    approved.claim(remark)
    await expectHeld(approved)
  })
  it.for(['stranger', 'maintainer', 'bot'])(
    "a comment edited into /hold by %s stops nothing in its author's name",
    async (login, approved) => {
      const remark = await approved.sayHeard('acme', 'I will look at it tomorrow.')
      await approved.fixture.quiet(approved.edit(login, remark, '/hold'))
      await expectMerged(approved)
    },
  )
  it('an approval that is first seen after an edit of nobody knows whom is asked about', async (approved) => {
    await approved.fixture.quiet(approved.delete('maintainer', approved.approval))
    approved.loseWebhooks()
    const remark = approved.say('acme', 'hm')
    nextSecond()
    approved.edit('acme', remark, '/approve')
    const unsaid = { kind: 'errorBeforeWrite', path: '/graphql', status: 403, times: 100 } as const
    const allow = approved.fixture.forge.faults.inject(unsaid)
    await approved.resync()
    expect(approved.facts).toMatchObject({ approvals: [], unclear: [String(remark)] })
    allow()
    await approved.resync()
    expect(approved.facts.approvals).toMatchObject([{ commentId: String(remark), author: 'acme' }])
  })
  it('an approval that was edited by nobody knows whom stands no more', async (approved) => {
    approved.loseWebhooks()
    approved.edit('stranger', approved.approval, '/approve\n\nand whatever else you like')
    await approved.resync()
    await expectHeld(approved)
  })
  it("a maintainer's own edit into /approve is his word", async (approved) => {
    const remark = await approved.sayHeard('acme', 'I will look at it tomorrow.')
    approved.delete('maintainer', approved.approval)
    await approved.fixture.quiet(approved.edit('acme', remark, '/approve'))
    expect(approved.facts.approvals).toMatchObject([{ commentId: String(remark), author: 'acme' }])
  })
  it('/allow-ci-changes', async (approved) => {
    const said = async (): Promise<number> => {
      const { mirror } = approved.fixture.edge
      return (await mirror.maintainerCommandTimes('demo', 'library', 'issue', approved.number, 'allow-ci-changes'))
        .length
    }
    const remark = await approved.sayHeard('acme', 'I will look at the workflow tomorrow.')
    await approved.sayHeard('reader', '/allow-ci-changes')
    await approved.fixture.quiet(approved.edit('stranger', remark, '/allow-ci-changes'))
    expect(await said()).toBe(0)
    const own = await approved.sayHeard('acme', '/allow-ci-changes')
    expect(await said()).toBe(1)
    await approved.fixture.quiet(approved.edit('stranger', own, '/allow-ci-changes please'))
    expect(await said()).toBe(0)
  })
  it.for(['/cancel', '/retry', '/budget +2M'])('%s that another wrote in his name is words', async (text, approved) => {
    approved.loseWebhooks()
    const remark = approved.say('acme', 'hm')
    nextSecond()
    approved.edit('stranger', remark, text)
    await approved.resync()
    const told = approved.fixture.delivered.filter(({ event }) => event.type.startsWith('issue.com'))
    expect(told.at(-1)?.event).toMatchObject({ type: 'issue.commented', author: 'acme', maintainer: false, text })
    expect(told.filter(({ event }) => event.type === 'issue.command')).toEqual([])
  })
})

describe("LAW-24: nobody's edit makes a title or body what a maintainer approved", () => {
  const theirs = { body: 'We need it, and a way in for me.' }
  test.each([
    ['a reporter', 'reader'],
    ['a maintainer', 'maintainer'],
    ['the bot', 'bot'],
  ])('edited by a collaborator where %s wrote it, webhook lost', async (_name, author) => {
    await withApprovedIssue({ author }, async (approved) => {
      approved.loseWebhooks()
      approved.rewrite('stranger', theirs)
      await approved.resync()
      await expectHeld(approved)
    })
  })
  it.for(['stranger', 'reader', 'bot'])('edited by %s, webhook told', async (login, approved) => {
    await approved.rewriteHeard(login, theirs)
    await expectHeld(approved)
  })
  test('edited by an agent between the approval and its claim, whether the webhook is told in time or late', async () => {
    for (const isLate of [false, true])
      await withApprovedIssue({}, async (approved) => {
        nextSecond()
        const newest = await approved.sayHeard('acme', '/approve')
        if (isLate) approved.loseNextEdit()
        await approved.rewriteHeard('bot', theirs)
        nextSecond()
        await approved.rewriteHeard('maintainer', { title: 'Add mul, please' })
        await approved.resync()
        approved.claim(newest)
        await expectHeld(approved)
        expect(approved.facts.approvals).toEqual([])
      })
  })
  it('edited by a collaborator, webhook lost, and then its title by a maintainer, webhook told', async (approved) => {
    approved.fixture.forge.faults.inject({ kind: 'drop', event: 'issues', action: 'edited', times: 1 })
    approved.rewrite('stranger', theirs)
    await approved.rewriteHeard('maintainer', { title: 'Add mul, please' })
    await expectHeld(approved)
  })
  it('edited by a collaborator, and then by a maintainer before the Issue heard of either', async (approved) => {
    approved.fixture.failing = 1
    await approved.rewriteHeard('stranger', theirs)
    await approved.rewriteHeard('maintainer', { title: 'Add mul, please' })
    approved.fixture.clock.advance(60 * 60_000)
    await approved.resync()
    await expectHeld(approved)
  })
  it('edited by a collaborator before the Issue heard of the approval', async (approved) => {
    approved.fixture.forge.faults.inject({ kind: 'drop', event: 'issue_comment', times: 1 })
    const older = await approved.fixture.quiet(approved.say('acme', '/approve'))
    nextSecond()
    await approved.rewriteHeard('stranger', theirs)
    await approved.resync()
    approved.claim(older)
    await expectHeld(approved)
    expect(approved.facts).toMatchObject({ approvals: [], unclear: [String(approved.approval), String(older)] })
  })
  it('edited back to what a maintainer had taken out', async (approved) => {
    const { body } = approved.fixture.forge.issue('acme/library', approved.number)
    nextSecond()
    await approved.rewriteHeard('maintainer', { body: 'Only mul.' })
    expect(approved.isGranted).toBe(true)
    await approved.rewriteHeard('stranger', { body: body! })
    await expectHeld(approved)
  })
  test('edited by an agent where the platform itself proposed it: it stays a proposal of the platform', async () => {
    await withApprovedIssue({ author: 'bot' }, async (approved) => {
      await approved.rewriteHeard('bot', theirs)
      expect(approved.facts).toMatchObject({ selfProposed: true, approvals: [] })
    })
  })
  test("edited by a collaborator where the platform itself proposed it: it is no proposal of the platform's any more", async () => {
    await withApprovedIssue({ author: 'bot' }, async (approved) => {
      expect(approved.facts.selfProposed).toBe(true)
      await approved.rewriteHeard('stranger', theirs)
      expect(approved.facts.selfProposed).toBe(false)
      await approved.rewriteHeard('maintainer', { title: 'Add mul, please' })
      expect(approved.facts.selfProposed).toBe(false)
    })
  })
})

describe('an approval outlives an edit of the issue', () => {
  it.for(['maintainer', 'acme'])('by %s, webhook told', async (login, approved) => {
    await approved.rewriteHeard(login, { title: 'Add mul, please', body: 'We need it soon.' })
    await expectMerged(approved)
  })
  it('that a read saw first, once its webhook names a maintainer after all', async (approved) => {
    approved.loseNextEdit()
    nextSecond()
    approved.rewrite('maintainer', { title: 'Add mul, please' })
    await approved.fixture.edge.mirror.refresh('demo', 'library', 'issue', approved.number)
    expect(approved.isGranted).toBe(false)
    await approved.resync()
    await expectMerged(approved)
  })
  it('when a maintainer approves what others left, and maintainers edit it further', async (approved) => {
    await approved.rewriteHeard('stranger', { body: 'And a test of it.' })
    nextSecond()
    await approved.approve('acme')
    await approved.rewriteHeard('maintainer', { title: 'Add mul, please' })
    await expectMerged(approved)
  })
})
