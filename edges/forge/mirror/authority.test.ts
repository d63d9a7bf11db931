/** Who may take a maintainer's word back, end to end: the local forge, the edge, a real Issue, and the merge that asks it. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { drive, type Drive } from '../../../machines/drive.ts'
import { grantHolds } from '../../../machines/issue/context.ts'
import type { IssueFacts } from '../../../machines/issue/events.ts'
import { issueMachine } from '../../../machines/issue/machine.ts'
import type { Delivery } from '../../../runtime/runtime.ts'
import { topicMarker, withMarkers } from '../marker.ts'
import { mergeWhenKnown, openChange } from '../outbound/testing.ts'
import { withForgeEdge, type EdgeRoom, type EdgeRoomOptions } from '../testing.ts'

const REPO = 'acme/library'
const TASK = 'default/implement-library-1-aaaaa'

/** `maintainer` and `acme` maintain; `stranger` may edit whatever anybody wrote, and maintains nothing; `reader` reads. */
const permissions = { maintainer: 'admin', bot: 'admin', stranger: 'admin', reader: 'read' } as const

type Hear = (event: { readonly type: string; readonly [field: string]: unknown }) => void

/** An issue whose plan `maintainer` approved, and that is granted; what comes after it is each test's own. */
class Scene {
  readonly room: EdgeRoom
  readonly issue: Drive
  readonly number: number
  readonly #hear: Hear
  #approval = 0

  constructor(room: EdgeRoom, issue: Drive, number: number, hear: Hear) {
    this.room = room
    this.issue = issue
    this.number = number
    this.#hear = hear
  }

  get approval(): number {
    return this.#approval
  }

  get facts(): IssueFacts {
    return this.issue.context.facts as IssueFacts
  }

  get isGranted(): boolean {
    return grantHolds(this.issue.context)
  }

  say(login: string, body: string): number {
    return this.room.forge.comment(login, REPO, this.number, body).id
  }

  /** Heard by the Issue before anything else happens. */
  async sayHeard(login: string, body: string): Promise<number> {
    const id = this.say(login, body)
    await this.room.quiet()
    return id
  }

  async approve(login = 'maintainer'): Promise<void> {
    this.#approval = await this.sayHeard(login, '/approve')
    this.claim(this.#approval)
  }

  claim(id: number): void {
    const approval = this.facts.approvals.find((one) => one.commentId === String(id))
    const words = { author: approval?.author ?? 'maintainer', quote: '/approve', span: '/approve' }
    const citation = { commentId: String(id), bodyHash: approval?.bodyHash ?? '', ...words }
    const claim = { issue: 'default/library-1', citation }
    this.#hear({ type: 'approval.claimed', task: TASK, planHash: 'p1', claim })
  }

  edit(login: string, id: number, body: string): void {
    this.room.forge.editComment(login, REPO, id, body)
  }

  delete(login: string, id: number): void {
    this.room.forge.deleteComment(login, REPO, id)
  }

  /** From now on no webhook of a comment arrives, and none can be had again. */
  loseWebhooks(): void {
    const { faults } = this.room.forge
    faults.inject({ kind: 'drop', event: 'issue_comment', times: 10_000 })
    faults.inject({
      kind: 'errorBeforeWrite',
      method: 'GET',
      path: `/repos/${REPO}/hooks/**`,
      status: 403,
      times: 10_000,
    })
  }

  async resync(): Promise<void> {
    this.room.clock.advance(30 * 60_000)
    await this.room.edge.handlers.resyncMirror.perform({ project: 'default/demo' }, this.room.context('resync'))
    await this.room.quiet()
  }

  /** What answers the merge; nothing: it is merged. */
  async merge(): Promise<readonly unknown[]> {
    const change = await openChange(this.room)
    const answers = await mergeWhenKnown(this.room, change, { grants: [`issue:default/library-${this.number}`] })
    return answers.map(({ event }) => event.reason)
  }

  merges(): number {
    return this.room.forge.audit().filter(({ action }) => action === 'pull.merge').length
  }
}

async function withScene(use: (scene: Scene) => Promise<void>): Promise<void> {
  const issue = drive(issueMachine, 'default/library-1')
  let grants = new Set<string>()
  const options: EdgeRoomOptions = {
    repository: { permissions },
    project: (given) => ({ ...given, scm: { ...given.scm, maintainerLogins: ['maintainer', 'acme'] } }),
    hears: ({ to, event }: Delivery) => {
      if (to === 'issue:default/library-1') hear(event)
    },
  }
  const hear: Hear = (event) => {
    issue.send(event)
    if (grantHolds(issue.context)) grants.add('issue:default/library-1')
    else grants.delete('issue:default/library-1')
  }
  await withForgeEdge(options, async (room) => {
    grants = room.grants
    await room.edge.handlers.checkProject.perform({ project: 'default/demo' }, room.context('check'))
    const { number } = room.forge.openIssue('reader', REPO, { title: 'Add mul', body: 'We need it.' })
    room.forge.addLabel('maintainer', REPO, number, 'platform')
    await room.quiet()
    hear({ type: 'issue.owned', task: TASK })
    hear({ type: 'plan.written', task: TASK, noteId: 'n1', planHash: 'p1', body: 'multiply' })
    const scene = new Scene(room, issue, number, hear)
    await scene.approve()
    expect(scene.isGranted).toBe(true)
    await use(scene)
  })
}

/** Forges date in whole seconds: an edit within the second of its comment shows no time of its own. */
function nextSecond(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 })
}

afterEach(() => {
  vi.useRealTimers()
})

async function expectHeld(scene: Scene): Promise<void> {
  expect(await scene.merge()).toEqual(['approval-revoked'])
  expect(scene.merges()).toBe(0)
  expect(scene.isGranted).toBe(false)
  // Whoever claims it once more is refused as well.
  scene.claim(scene.approval)
  expect(scene.isGranted).toBe(false)
}

async function expectMerged(scene: Scene): Promise<void> {
  expect(scene.isGranted).toBe(true)
  expect(await scene.merge()).toEqual([])
  expect(scene.merges()).toBe(1)
}

const others = [
  ['a collaborator', 'stranger'],
  ['another maintainer', 'maintainer'],
  ['the bot', 'bot'],
] as const

describe("law 24: a maintainer's /hold stands until a maintainer takes it back", () => {
  test.each(others)('edited by %s, webhook told', async (_name, login) => {
    await withScene(async (scene) => {
      const hold = await scene.sayHeard('acme', '/hold')
      scene.edit(login, hold, 'fine by me')
      await scene.room.quiet()
      await expectHeld(scene)
    })
  })
  test('edited by a collaborator who leaves it as it is but for a typo', async () => {
    await withScene(async (scene) => {
      const hold = await scene.sayHeard('acme', '/hold')
      scene.edit('stranger', hold, '/hold (typo fixed)')
      await scene.room.quiet()
      await expectHeld(scene)
    })
  })
  test('edited by a collaborator, webhook lost', async () => {
    await withScene(async (scene) => {
      const hold = await scene.sayHeard('acme', '/hold')
      scene.loseWebhooks()
      scene.edit('stranger', hold, 'fine by me')
      await scene.resync()
      await expectHeld(scene)
      expect(scene.facts.unclear).toEqual([String(hold)])
    })
  })
  test.each(others)('deleted by %s, webhook told', async (_name, login) => {
    await withScene(async (scene) => {
      const hold = await scene.sayHeard('acme', '/hold')
      scene.delete(login, hold)
      await scene.room.quiet()
      await expectHeld(scene)
    })
  })
  test('deleted by a collaborator, webhook lost', async () => {
    await withScene(async (scene) => {
      const hold = await scene.sayHeard('acme', '/hold')
      scene.loseWebhooks()
      scene.delete('stranger', hold)
      await scene.resync()
      await expectHeld(scene)
    })
  })
  test('edited and then deleted by a collaborator', async () => {
    await withScene(async (scene) => {
      const hold = await scene.sayHeard('acme', '/hold')
      scene.edit('stranger', hold, 'x')
      scene.delete('stranger', hold)
      await scene.room.quiet()
      await expectHeld(scene)
    })
  })
  test('heard of by nobody but the read before the merge', async () => {
    await withScene(async (scene) => {
      scene.loseWebhooks()
      scene.say('acme', '/hold')
      expect(await scene.merge()).toEqual(['approval-revoked'])
      expect(scene.merges()).toBe(0)
      expect(scene.isGranted).toBe(false)
    })
  })
  test('its own webhook lost, and edited by a collaborator whose webhook is told', async () => {
    await withScene(async (scene) => {
      scene.room.forge.faults.inject({ kind: 'drop', event: 'issue_comment', action: 'created', times: 1 })
      const hold = scene.say('acme', '/hold')
      scene.edit('stranger', hold, 'fine by me')
      await scene.room.quiet()
      await expectHeld(scene)
    })
  })
  test('edited into an approval by a collaborator', async () => {
    await withScene(async (scene) => {
      const hold = await scene.sayHeard('acme', '/hold')
      scene.edit('stranger', hold, '/approve')
      await scene.room.quiet()
      scene.claim(hold)
      await expectHeld(scene)
    })
  })
  test('with a pasted marker of the platform in it', async () => {
    await withScene(async (scene) => {
      await scene.sayHeard('acme', withMarkers('/hold', topicMarker('plan')))
      await expectHeld(scene)
    })
  })
  test('although the mirror lost its row', async () => {
    await withScene(async (scene) => {
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
    await withScene(async (scene) => {
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
    await withScene(async (scene) => {
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
    await withScene(async (scene) => {
      const hold = await scene.sayHeard('acme', '/hold')
      expect(scene.isGranted).toBe(false)
      scene.edit('acme', hold, 'I misread it.')
      await scene.room.quiet()
      await expectMerged(scene)
    })
  })
  test("by its author's own deletion", async () => {
    await withScene(async (scene) => {
      const hold = await scene.sayHeard('acme', '/hold')
      scene.delete('acme', hold)
      await scene.room.quiet()
      await expectMerged(scene)
    })
  })
  test("by its author's own edit whose webhook is sent again after a read had seen it", async () => {
    await withScene(async (scene) => {
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
    await withScene(async (scene) => {
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
  test('an approval that is first seen after an edit of nobody knows whom is asked about', async () => {
    await withScene(async (scene) => {
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
    await withScene(async (scene) => {
      scene.loseWebhooks()
      scene.edit('stranger', scene.approval, '/approve\n\nand whatever else you like')
      await scene.resync()
      await expectHeld(scene)
    })
  })
  test("a maintainer's own edit into /approve is his word", async () => {
    await withScene(async (scene) => {
      const remark = await scene.sayHeard('acme', 'I will look at it tomorrow.')
      scene.delete('maintainer', scene.approval)
      scene.edit('acme', remark, '/approve')
      await scene.room.quiet()
      expect(scene.facts.approvals).toMatchObject([{ commentId: String(remark), author: 'acme' }])
    })
  })
  test('/allow-ci-changes', async () => {
    await withScene(async (scene) => {
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
    await withScene(async (scene) => {
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
