/** Who may take a maintainer's word back, end to end: the local forge, the edge, a real Issue, and the merge that asks it. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { topicMarker, withMarkers } from '../marker.ts'
import { withScene, type Scene } from './testing.ts'

/** Forges date in whole seconds: an edit within the second of its comment shows no time of its own. */
function nextSecond(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 })
}

afterEach(() => {
  vi.useRealTimers()
})

async function expectHeld(scene: Scene): Promise<void> {
  expect(await scene.merge()).toEqual(['approval-revoked'])
  expect(scene.isMerged).toBe(false)
  expect(scene.isGranted).toBe(false)
  // Whoever claims it once more is refused as well.
  scene.claim(scene.approval)
  expect(scene.isGranted).toBe(false)
}

async function expectMerged(scene: Scene): Promise<void> {
  expect(scene.isGranted).toBe(true)
  expect(await scene.merge()).toEqual([])
  expect(scene.isMerged).toBe(true)
}

const others = [
  ['a collaborator', 'stranger'],
  ['another maintainer', 'maintainer'],
  ['the bot', 'bot'],
] as const

describe("LAW-24: a maintainer's /hold stands until a maintainer takes it back", () => {
  test.each(others)('edited by %s, webhook told', async (_name, login) => {
    await withScene({}, async (scene) => {
      const hold = await scene.sayHeard('acme', '/hold')
      scene.edit(login, hold, 'fine by me')
      await scene.room.quiet()
      await expectHeld(scene)
    })
  })
  test('edited by a collaborator who leaves it as it is but for a typo', async () => {
    await withScene({}, async (scene) => {
      const hold = await scene.sayHeard('acme', '/hold')
      scene.edit('stranger', hold, '/hold (typo fixed)')
      await scene.room.quiet()
      await expectHeld(scene)
    })
  })
  test('edited by a collaborator, webhook lost', async () => {
    await withScene({}, async (scene) => {
      const hold = await scene.sayHeard('acme', '/hold')
      scene.loseWebhooks()
      scene.edit('stranger', hold, 'fine by me')
      await scene.resync()
      await expectHeld(scene)
      expect(scene.facts.unclear).toEqual([String(hold)])
    })
  })
  test.each(others)('deleted by %s, webhook told', async (_name, login) => {
    await withScene({}, async (scene) => {
      const hold = await scene.sayHeard('acme', '/hold')
      scene.delete(login, hold)
      await scene.room.quiet()
      await expectHeld(scene)
    })
  })
  test('deleted by a collaborator, webhook lost', async () => {
    await withScene({}, async (scene) => {
      const hold = await scene.sayHeard('acme', '/hold')
      scene.loseWebhooks()
      scene.delete('stranger', hold)
      await scene.resync()
      await expectHeld(scene)
    })
  })
  test('edited and then deleted by a collaborator', async () => {
    await withScene({}, async (scene) => {
      const hold = await scene.sayHeard('acme', '/hold')
      scene.edit('stranger', hold, 'x')
      scene.delete('stranger', hold)
      await scene.room.quiet()
      await expectHeld(scene)
    })
  })
  test('heard of by nobody but the read before the merge (CLAIM-20)', async () => {
    await withScene({}, async (scene) => {
      scene.loseWebhooks()
      scene.say('acme', '/hold')
      expect(await scene.merge()).toEqual(['approval-revoked'])
      expect(scene.isMerged).toBe(false)
      expect(scene.isGranted).toBe(false)
    })
  })
  test('its own webhook lost, and edited by a collaborator whose webhook is told', async () => {
    await withScene({}, async (scene) => {
      scene.room.forge.faults.inject({ kind: 'drop', event: 'issue_comment', action: 'created', times: 1 })
      const hold = scene.say('acme', '/hold')
      scene.edit('stranger', hold, 'fine by me')
      await scene.room.quiet()
      await expectHeld(scene)
    })
  })
  test('edited into an approval by a collaborator', async () => {
    await withScene({}, async (scene) => {
      const hold = await scene.sayHeard('acme', '/hold')
      scene.edit('stranger', hold, '/approve')
      await scene.room.quiet()
      scene.claim(hold)
      await expectHeld(scene)
    })
  })
  test('with a pasted marker of the platform in it', async () => {
    await withScene({}, async (scene) => {
      await scene.sayHeard('acme', withMarkers('/hold', topicMarker('plan')))
      await expectHeld(scene)
    })
  })
  test('although the mirror lost its row', async () => {
    await withScene({}, async (scene) => {
      const hold = await scene.sayHeard('acme', '/hold')
      scene.delete('stranger', hold)
      await scene.room.quiet()
      await scene.room.sql.query('delete from forge_comment where id = $1', [String(hold)])
      await scene.resync()
      expect(scene.facts.withdrawals).toEqual([])
      await expectHeld(scene)
    })
  })
  test('although its author maintains no more', async () => {
    await withScene({}, async (scene) => {
      const hold = await scene.sayHeard('acme', '/hold')
      ;(scene.room.project.scm.maintainerLogins as string[]).pop()
      scene.edit('acme', hold, 'never mind')
      await scene.room.quiet()
      await expectHeld(scene)
    })
  })
})

describe('a withdrawal is taken back', () => {
  test('by a newer approval of any maintainer, and edits of others do not revive it', async () => {
    await withScene({}, async (scene) => {
      const hold = await scene.sayHeard('acme', '/hold')
      await scene.approve()
      expect(scene.isGranted).toBe(true)
      scene.edit('stranger', hold, '/hold (typo fixed)')
      await scene.room.quiet()
      await scene.resync()
      await expectMerged(scene)
    })
  })
  test("by its author's own edit", async () => {
    await withScene({}, async (scene) => {
      const hold = await scene.sayHeard('acme', '/hold')
      expect(scene.isGranted).toBe(false)
      scene.edit('acme', hold, 'I misread it.')
      await scene.room.quiet()
      await expectMerged(scene)
    })
  })
  test("by its author's own deletion", async () => {
    await withScene({}, async (scene) => {
      const hold = await scene.sayHeard('acme', '/hold')
      scene.delete('acme', hold)
      await scene.room.quiet()
      await expectMerged(scene)
    })
  })
  test("by its author's own edit whose webhook is sent again after a read had seen it", async () => {
    await withScene({}, async (scene) => {
      const hold = await scene.sayHeard('acme', '/hold')
      scene.room.forge.faults.inject({ kind: 'drop', event: 'issue_comment', action: 'edited', times: 1 })
      scene.edit('acme', hold, 'I misread it.')
      await scene.room.edge.mirror.refresh('demo', 'library', 'issue', scene.number)
      expect(scene.isGranted).toBe(false)
      await scene.resync()
      await expectMerged(scene)
    })
  })
})

describe("nobody's edit makes a comment a maintainer's word", () => {
  test.each([
    ['told', false],
    ['lost', true],
  ])('a comment edited into /approve by a collaborator, webhook %s', async (_name, isLost) => {
    await withScene({}, async (scene) => {
      const remark = await scene.sayHeard('acme', 'I will look at it tomorrow.')
      scene.delete('maintainer', scene.approval)
      await scene.room.quiet()
      if (isLost) scene.loseWebhooks()
      scene.edit('stranger', remark, '/approve')
      await scene.room.quiet()
      if (isLost) await scene.resync()
      scene.claim(remark)
      await expectHeld(scene)
    })
  })
  test.each(['stranger', 'maintainer', 'bot'])(
    "a comment edited into /hold by %s stops nothing in its author's name",
    async (login) => {
      await withScene({}, async (scene) => {
        const remark = await scene.sayHeard('acme', 'I will look at it tomorrow.')
        scene.edit(login, remark, '/hold')
        await scene.room.quiet()
        await expectMerged(scene)
      })
    },
  )
  test('an approval that is first seen after an edit of nobody knows whom is asked about', async () => {
    await withScene({}, async (scene) => {
      scene.loseWebhooks()
      scene.delete('maintainer', scene.approval)
      const remark = scene.say('acme', 'hm')
      nextSecond()
      scene.edit('acme', remark, '/approve')
      await scene.resync()
      expect(scene.facts).toMatchObject({ approvals: [], unclear: [String(remark)] })
    })
  })
  test('an approval that was edited by nobody knows whom stands no more', async () => {
    await withScene({}, async (scene) => {
      scene.loseWebhooks()
      scene.edit('stranger', scene.approval, '/approve\n\nand whatever else you like')
      await scene.resync()
      await expectHeld(scene)
    })
  })
  test("a maintainer's own edit into /approve is his word", async () => {
    await withScene({}, async (scene) => {
      const remark = await scene.sayHeard('acme', 'I will look at it tomorrow.')
      scene.delete('maintainer', scene.approval)
      scene.edit('acme', remark, '/approve')
      await scene.room.quiet()
      expect(scene.facts.approvals).toMatchObject([{ commentId: String(remark), author: 'acme' }])
    })
  })
  test('/allow-ci-changes', async () => {
    await withScene({}, async (scene) => {
      const said = async (): Promise<number> => {
        const { mirror } = scene.room.edge
        return (await mirror.maintainerSaidAt('demo', 'library', 'issue', scene.number, 'allow-ci-changes')).length
      }
      const remark = await scene.sayHeard('acme', 'I will look at the workflow tomorrow.')
      await scene.sayHeard('reader', '/allow-ci-changes')
      scene.edit('stranger', remark, '/allow-ci-changes')
      await scene.room.quiet()
      expect(await said()).toBe(0)
      const own = await scene.sayHeard('acme', '/allow-ci-changes')
      expect(await said()).toBe(1)
      scene.edit('stranger', own, '/allow-ci-changes please')
      await scene.room.quiet()
      expect(await said()).toBe(0)
    })
  })
  test.each(['/cancel', '/retry', '/budget +2M'])('%s that another wrote in his name is words', async (text) => {
    await withScene({}, async (scene) => {
      scene.loseWebhooks()
      const remark = scene.say('acme', 'hm')
      nextSecond()
      scene.edit('stranger', remark, text)
      await scene.resync()
      const told = scene.room.delivered.filter(({ event }) => event.type.startsWith('issue.com'))
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
    await withScene({ author }, async (scene) => {
      scene.loseWebhooks()
      scene.rewrite('stranger', theirs)
      await scene.resync()
      await expectHeld(scene)
    })
  })
  test.each(['stranger', 'reader'])('edited by %s, webhook told', async (login) => {
    await withScene({}, async (scene) => {
      await scene.rewriteHeard(login, theirs)
      await expectHeld(scene)
    })
  })
  test('edited by a collaborator, webhook lost, and then its title by a maintainer, webhook told', async () => {
    await withScene({}, async (scene) => {
      scene.room.forge.faults.inject({ kind: 'drop', event: 'issues', action: 'edited', times: 1 })
      scene.rewrite('stranger', theirs)
      await scene.rewriteHeard('maintainer', { title: 'Add mul, please' })
      await expectHeld(scene)
    })
  })
  test('edited by a collaborator, and then by a maintainer before the Issue heard of either', async () => {
    await withScene({}, async (scene) => {
      scene.room.failing = 1
      await scene.rewriteHeard('stranger', theirs)
      await scene.rewriteHeard('maintainer', { title: 'Add mul, please' })
      scene.room.clock.advance(60 * 60_000)
      await scene.resync()
      await expectHeld(scene)
    })
  })
  test('edited by a collaborator before the Issue heard of the approval', async () => {
    await withScene({}, async (scene) => {
      scene.room.forge.faults.inject({ kind: 'drop', event: 'issue_comment', times: 1 })
      const older = scene.say('acme', '/approve')
      await scene.room.quiet()
      nextSecond()
      await scene.rewriteHeard('stranger', theirs)
      await scene.resync()
      scene.claim(older)
      await expectHeld(scene)
      expect(scene.facts).toMatchObject({ approvals: [], unclear: [String(scene.approval), String(older)] })
    })
  })
  test('edited back to what a maintainer had taken out', async () => {
    await withScene({}, async (scene) => {
      const { body } = scene.room.forge.issue('acme/library', scene.number)
      nextSecond()
      await scene.rewriteHeard('maintainer', { body: 'Only mul.' })
      expect(scene.isGranted).toBe(true)
      await scene.rewriteHeard('stranger', { body: body! })
      await expectHeld(scene)
    })
  })
  test("edited by a collaborator where the platform itself proposed it: it is no proposal of the platform's any more", async () => {
    await withScene({ author: 'bot' }, async (scene) => {
      expect(scene.facts.selfProposed).toBe(true)
      await scene.rewriteHeard('stranger', theirs)
      expect(scene.facts.selfProposed).toBe(false)
      await scene.rewriteHeard('maintainer', { title: 'Add mul, please' })
      expect(scene.facts.selfProposed).toBe(false)
    })
  })
})

describe('an approval outlives an edit of the issue', () => {
  test.each(['maintainer', 'acme', 'bot'])('by %s, webhook told', async (login) => {
    await withScene({}, async (scene) => {
      await scene.rewriteHeard(login, { title: 'Add mul, please', body: 'We need it soon.' })
      await expectMerged(scene)
    })
  })
  test('that a read saw first, once its webhook names a maintainer after all', async () => {
    await withScene({}, async (scene) => {
      scene.loseNextEdit()
      nextSecond()
      scene.rewrite('maintainer', { title: 'Add mul, please' })
      await scene.room.edge.mirror.refresh('demo', 'library', 'issue', scene.number)
      expect(scene.isGranted).toBe(false)
      await scene.resync()
      await expectMerged(scene)
    })
  })
  test('when a maintainer approves what others left, and maintainers edit it further', async () => {
    await withScene({}, async (scene) => {
      await scene.rewriteHeard('stranger', { body: 'And a test of it.' })
      nextSecond()
      await scene.approve('acme')
      await scene.rewriteHeard('maintainer', { title: 'Add mul, please' })
      await expectMerged(scene)
    })
  })
})
