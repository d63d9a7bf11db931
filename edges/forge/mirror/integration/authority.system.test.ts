/** Who may take a maintainer's word back, end to end: the local forge, the edge, a real Issue, and the merge that asks it. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { topicMarker, withMarkers } from '../../marker.ts'
import { withApprovedIssue, type ApprovedIssue } from '../testing/approved-issue.ts'

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

describe("LAW-24: a maintainer's /hold stands until a maintainer takes it back", () => {
  test.each(others)('edited by %s, webhook told', async (_name, login) => {
    await withApprovedIssue({}, async (approved) => {
      const hold = await approved.sayHeard('acme', '/hold')
      approved.edit(login, hold, 'fine by me')
      await approved.fixture.quiet()
      await expectHeld(approved)
    })
  })
  test('edited by a collaborator who leaves it as it is but for a typo', async () => {
    await withApprovedIssue({}, async (approved) => {
      const hold = await approved.sayHeard('acme', '/hold')
      approved.edit('stranger', hold, '/hold (typo fixed)')
      await approved.fixture.quiet()
      await expectHeld(approved)
    })
  })
  test('edited by a collaborator, webhook lost', async () => {
    await withApprovedIssue({}, async (approved) => {
      const hold = await approved.sayHeard('acme', '/hold')
      approved.loseWebhooks()
      approved.edit('stranger', hold, 'fine by me')
      await approved.resync()
      await expectHeld(approved)
      expect(approved.facts.unclear).toEqual([String(hold)])
    })
  })
  test.each(others)('deleted by %s, webhook told', async (_name, login) => {
    await withApprovedIssue({}, async (approved) => {
      const hold = await approved.sayHeard('acme', '/hold')
      approved.delete(login, hold)
      await approved.fixture.quiet()
      await expectHeld(approved)
    })
  })
  test('deleted by a collaborator, webhook lost', async () => {
    await withApprovedIssue({}, async (approved) => {
      const hold = await approved.sayHeard('acme', '/hold')
      approved.loseWebhooks()
      approved.delete('stranger', hold)
      await approved.resync()
      await expectHeld(approved)
    })
  })
  test('edited and then deleted by a collaborator', async () => {
    await withApprovedIssue({}, async (approved) => {
      const hold = await approved.sayHeard('acme', '/hold')
      approved.edit('stranger', hold, 'x')
      approved.delete('stranger', hold)
      await approved.fixture.quiet()
      await expectHeld(approved)
    })
  })
  test('heard of by nobody but the read before the merge (CLAIM-20)', async () => {
    await withApprovedIssue({}, async (approved) => {
      approved.loseWebhooks()
      approved.say('acme', '/hold')
      expect(await approved.merge()).toEqual(['approval-revoked'])
      expect(approved.isMerged).toBe(false)
      expect(approved.isGranted).toBe(false)
    })
  })
  test('its own webhook lost, and edited by a collaborator whose webhook is told', async () => {
    await withApprovedIssue({}, async (approved) => {
      approved.fixture.forge.faults.inject({ kind: 'drop', event: 'issue_comment', action: 'created', times: 1 })
      const hold = approved.say('acme', '/hold')
      approved.edit('stranger', hold, 'fine by me')
      await approved.fixture.quiet()
      await expectHeld(approved)
    })
  })
  test('edited into an approval by a collaborator', async () => {
    await withApprovedIssue({}, async (approved) => {
      const hold = await approved.sayHeard('acme', '/hold')
      approved.edit('stranger', hold, '/approve')
      await approved.fixture.quiet()
      approved.claim(hold)
      await expectHeld(approved)
    })
  })
  test('with a pasted marker of the platform in it', async () => {
    await withApprovedIssue({}, async (approved) => {
      await approved.sayHeard('acme', withMarkers('/hold', topicMarker('plan')))
      await expectHeld(approved)
    })
  })
  test('although the mirror lost its row', async () => {
    await withApprovedIssue({}, async (approved) => {
      const hold = await approved.sayHeard('acme', '/hold')
      approved.delete('stranger', hold)
      await approved.fixture.quiet()
      await approved.fixture.sql.query('delete from forge_comment where id = $1', [String(hold)])
      await approved.resync()
      expect(approved.facts.withdrawals).toEqual([])
      await expectHeld(approved)
    })
  })
  test('although its author maintains no more', async () => {
    await withApprovedIssue({}, async (approved) => {
      const hold = await approved.sayHeard('acme', '/hold')
      ;(approved.fixture.project.scm.maintainerLogins as string[]).pop()
      approved.edit('acme', hold, 'never mind')
      await approved.fixture.quiet()
      await expectHeld(approved)
    })
  })
})

describe('a withdrawal is taken back', () => {
  test('by a newer approval of any maintainer, and edits of others do not revive it', async () => {
    await withApprovedIssue({}, async (approved) => {
      const hold = await approved.sayHeard('acme', '/hold')
      await approved.approve()
      expect(approved.isGranted).toBe(true)
      approved.edit('stranger', hold, '/hold (typo fixed)')
      await approved.fixture.quiet()
      await approved.resync()
      await expectMerged(approved)
    })
  })
  test("by its author's own edit", async () => {
    await withApprovedIssue({}, async (approved) => {
      const hold = await approved.sayHeard('acme', '/hold')
      expect(approved.isGranted).toBe(false)
      approved.edit('acme', hold, 'I misread it.')
      await approved.fixture.quiet()
      await expectMerged(approved)
    })
  })
  test("by its author's own deletion", async () => {
    await withApprovedIssue({}, async (approved) => {
      const hold = await approved.sayHeard('acme', '/hold')
      approved.delete('acme', hold)
      await approved.fixture.quiet()
      await expectMerged(approved)
    })
  })
  test("by its author's own edit whose webhook is sent again after a read had seen it", async () => {
    await withApprovedIssue({}, async (approved) => {
      const hold = await approved.sayHeard('acme', '/hold')
      approved.fixture.forge.faults.inject({ kind: 'drop', event: 'issue_comment', action: 'edited', times: 1 })
      approved.edit('acme', hold, 'I misread it.')
      await approved.fixture.edge.mirror.refresh('demo', 'library', 'issue', approved.number)
      expect(approved.isGranted).toBe(false)
      await approved.resync()
      await expectMerged(approved)
    })
  })
})

describe("nobody's edit makes a comment a maintainer's word", () => {
  test.each([
    ['told', false],
    ['lost', true],
  ])('a comment edited into /approve by a collaborator, webhook %s', async (_name, isLost) => {
    await withApprovedIssue({}, async (approved) => {
      const remark = await approved.sayHeard('acme', 'I will look at it tomorrow.')
      approved.delete('maintainer', approved.approval)
      await approved.fixture.quiet()
      if (isLost) approved.loseWebhooks()
      approved.edit('stranger', remark, '/approve')
      await approved.fixture.quiet()
      if (isLost) await approved.resync()
      approved.claim(remark)
      await expectHeld(approved)
    })
  })
  test.each(['stranger', 'maintainer', 'bot'])(
    "a comment edited into /hold by %s stops nothing in its author's name",
    async (login) => {
      await withApprovedIssue({}, async (approved) => {
        const remark = await approved.sayHeard('acme', 'I will look at it tomorrow.')
        approved.edit(login, remark, '/hold')
        await approved.fixture.quiet()
        await expectMerged(approved)
      })
    },
  )
  test('an approval that is first seen after an edit of nobody knows whom is asked about', async () => {
    await withApprovedIssue({}, async (approved) => {
      approved.delete('maintainer', approved.approval)
      await approved.fixture.quiet()
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
  })
  test('an approval that was edited by nobody knows whom stands no more', async () => {
    await withApprovedIssue({}, async (approved) => {
      approved.loseWebhooks()
      approved.edit('stranger', approved.approval, '/approve\n\nand whatever else you like')
      await approved.resync()
      await expectHeld(approved)
    })
  })
  test("a maintainer's own edit into /approve is his word", async () => {
    await withApprovedIssue({}, async (approved) => {
      const remark = await approved.sayHeard('acme', 'I will look at it tomorrow.')
      approved.delete('maintainer', approved.approval)
      approved.edit('acme', remark, '/approve')
      await approved.fixture.quiet()
      expect(approved.facts.approvals).toMatchObject([{ commentId: String(remark), author: 'acme' }])
    })
  })
  test('/allow-ci-changes', async () => {
    await withApprovedIssue({}, async (approved) => {
      const said = async (): Promise<number> => {
        const { mirror } = approved.fixture.edge
        return (await mirror.maintainerSaidAt('demo', 'library', 'issue', approved.number, 'allow-ci-changes')).length
      }
      const remark = await approved.sayHeard('acme', 'I will look at the workflow tomorrow.')
      await approved.sayHeard('reader', '/allow-ci-changes')
      approved.edit('stranger', remark, '/allow-ci-changes')
      await approved.fixture.quiet()
      expect(await said()).toBe(0)
      const own = await approved.sayHeard('acme', '/allow-ci-changes')
      expect(await said()).toBe(1)
      approved.edit('stranger', own, '/allow-ci-changes please')
      await approved.fixture.quiet()
      expect(await said()).toBe(0)
    })
  })
  test.each(['/cancel', '/retry', '/budget +2M'])('%s that another wrote in his name is words', async (text) => {
    await withApprovedIssue({}, async (approved) => {
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
  test.each(['stranger', 'reader', 'bot'])('edited by %s, webhook told', async (login) => {
    await withApprovedIssue({}, async (approved) => {
      await approved.rewriteHeard(login, theirs)
      await expectHeld(approved)
    })
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
  test('edited by a collaborator, webhook lost, and then its title by a maintainer, webhook told', async () => {
    await withApprovedIssue({}, async (approved) => {
      approved.fixture.forge.faults.inject({ kind: 'drop', event: 'issues', action: 'edited', times: 1 })
      approved.rewrite('stranger', theirs)
      await approved.rewriteHeard('maintainer', { title: 'Add mul, please' })
      await expectHeld(approved)
    })
  })
  test('edited by a collaborator, and then by a maintainer before the Issue heard of either', async () => {
    await withApprovedIssue({}, async (approved) => {
      approved.fixture.failing = 1
      await approved.rewriteHeard('stranger', theirs)
      await approved.rewriteHeard('maintainer', { title: 'Add mul, please' })
      approved.fixture.clock.advance(60 * 60_000)
      await approved.resync()
      await expectHeld(approved)
    })
  })
  test('edited by a collaborator before the Issue heard of the approval', async () => {
    await withApprovedIssue({}, async (approved) => {
      approved.fixture.forge.faults.inject({ kind: 'drop', event: 'issue_comment', times: 1 })
      const older = approved.say('acme', '/approve')
      await approved.fixture.quiet()
      nextSecond()
      await approved.rewriteHeard('stranger', theirs)
      await approved.resync()
      approved.claim(older)
      await expectHeld(approved)
      expect(approved.facts).toMatchObject({ approvals: [], unclear: [String(approved.approval), String(older)] })
    })
  })
  test('edited back to what a maintainer had taken out', async () => {
    await withApprovedIssue({}, async (approved) => {
      const { body } = approved.fixture.forge.issue('acme/library', approved.number)
      nextSecond()
      await approved.rewriteHeard('maintainer', { body: 'Only mul.' })
      expect(approved.isGranted).toBe(true)
      await approved.rewriteHeard('stranger', { body: body! })
      await expectHeld(approved)
    })
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
  test.each(['maintainer', 'acme'])('by %s, webhook told', async (login) => {
    await withApprovedIssue({}, async (approved) => {
      await approved.rewriteHeard(login, { title: 'Add mul, please', body: 'We need it soon.' })
      await expectMerged(approved)
    })
  })
  test('that a read saw first, once its webhook names a maintainer after all', async () => {
    await withApprovedIssue({}, async (approved) => {
      approved.loseNextEdit()
      nextSecond()
      approved.rewrite('maintainer', { title: 'Add mul, please' })
      await approved.fixture.edge.mirror.refresh('demo', 'library', 'issue', approved.number)
      expect(approved.isGranted).toBe(false)
      await approved.resync()
      await expectMerged(approved)
    })
  })
  test('when a maintainer approves what others left, and maintainers edit it further', async () => {
    await withApprovedIssue({}, async (approved) => {
      await approved.rewriteHeard('stranger', { body: 'And a test of it.' })
      nextSecond()
      await approved.approve('acme')
      await approved.rewriteHeard('maintainer', { title: 'Add mul, please' })
      await expectMerged(approved)
    })
  })
})
