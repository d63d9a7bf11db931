/**
 * An agent that does its work honestly, before the whole orchestrator with the local forge: what becomes of it when the
 * approval is taken back, in each way that there is, before code is written and right before the merge; and in what order
 * its work is merged. `npm run test:tools` follows each way to its merge.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { people } from '../../standins/people.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import { addRepository, setMaintainers, statusOf, Work } from './honest.ts'
import { repositoryName } from './home.ts'
import { openScene, type Scene } from './scene.ts'

const dialects = ['github', 'gitlab'] as const
type Dialect = (typeof dialects)[number]

const scenes = new Map<Dialect, Scene>()
beforeAll(async () => {
  for (const dialect of dialects) scenes.set(dialect, await openScene(dialect))
}, 300_000)
afterAll(async () => {
  for (const scene of scenes.values()) await scene.close()
}, 60_000)

function sceneOf(dialect: Dialect): Scene {
  return scenes.get(dialect)!
}

/** Takes back what the maintainer said in this comment; gives who may approve anew. */
type TakenBack = (work: Work, comment: number) => Promise<string>

const ways: readonly (readonly [string, string, TakenBack])[] = [
  [
    'a maintainer withdraws it',
    'withdrawn',
    async (work) => {
      await work.says(people.maintainer, '/hold')
      return people.maintainer
    },
  ],
  [
    'its comment is edited',
    'comment-approves',
    async ({ scene: { forge, home, quiet } }, comment) => {
      forge.editComment(people.maintainer, home.repository, comment, 'Let me think about it.')
      await quiet()
      return people.maintainer
    },
  ],
  [
    'its comment is deleted',
    'comment-approves',
    async ({ scene: { forge, home, quiet } }, comment) => {
      forge.deleteComment(people.maintainer, home.repository, comment)
      await quiet()
      return people.maintainer
    },
  ],
  [
    'its author is a maintainer no longer',
    'comment-approves',
    async ({ scene }) => {
      await setMaintainers(scene, [people.owner])
      return people.owner
    },
  ],
]

const timeout = 300_000
/**
 * Every pod is time: the ordinary run tries each way on one forge, in turn; right before the merge it takes the first way and
 * the last, and follows the first to its end.
 */
const isWhole = process.env['PROTOCOL_PEERS'] !== undefined

type Case = readonly [Dialect, ...(typeof ways)[number]]

const cases: readonly Case[] = ways.flatMap((way, at) =>
  dialects.filter((_, which) => isWhole || (at + which) % 2 === 0).map((dialect): Case => [dialect, ...way]),
)
const late = isWhole ? cases : [cases[0]!, cases.at(-1)!]

/** A new approval: it is claimed, and the work is handed in, reviewed and merged. */
async function goOn(work: Work, by: string): Promise<void> {
  const { scene } = work
  const said = await work.says(by, scene.home.written('/approve'))
  await work.nextPod('implement')
  await work.claim(by, said)
  await scene.until('the grant', async () => (await work.context()).forge.issues.every(({ grant }) => grant !== null))
  await work.toReview()
  await work.ci('success')
  await work.toMerging()
  await work.stageIs('delivered')
}

/** What the agent's next turn is told of. */
function textsOf({ journal: { pending } }: TaskContext): readonly (string | undefined)[] {
  return pending.map(({ text }) => text)
}

describe('before code is written, an approval falls when', { timeout }, () => {
  it.each(cases)('on %s, %s, and a new one goes on (CLAIM-19)', async (dialect, _what, reason, takeBack) => {
    const scene = sceneOf(dialect)
    const work = await Work.begin(scene)
    await work.plan('1. Tidy up.')
    const next = await takeBack(work, await work.approve())
    const {
      stage: { name: stage },
      forge: { issues },
    } = await work.context()
    expect([stage, issues.map(({ grant }) => grant)]).toEqual(['implementing', [null]])
    const pushed = await work.push()
    expect([pushed.code === 0, pushed.said]).toEqual([false, expect.stringContaining('approves the plan')])
    const [handedIn, opened] = [await work.handIn(), await work.openMergeRequest()]
    expect([handedIn.status, opened.status]).toEqual([409, 409])
    for (const { body } of [handedIn, opened])
      expect(JSON.parse(body)).toMatchObject({
        code: 'approval-required',
        issues: [{ number: work.issue, guidance: expect.any(String) as string }],
      })
    expect(textsOf(await work.context())).toContain(`approval withdrawn: ${reason}`)
    await work.approve(next)
    expect((await work.push()).code).toBe(0)
    expect((await work.handIn()).status).toBe(200)
    await setMaintainers(scene, [people.maintainer])
  })
})

describe('before code is written, a plan', { timeout }, () => {
  it('that was swapped after its approval pushes nothing, until it is approved itself (CLAIM-16, CLAIM-17)', async () => {
    const scene = sceneOf('github')
    const work = await Work.begin(scene)
    await work.plan('1. Tidy up.')
    await work.approve()
    await work.plan('1. Rewrite everything.')
    const pushed = await work.push()
    expect([pushed.code === 0, pushed.said]).toEqual([false, expect.stringContaining('approves the plan')])
    expect((await work.handIn()).status).toBe(409)
    await work.approve()
    expect((await work.push()).code).toBe(0)
  })
})

describe('right before the merge, an approval falls when', { timeout }, () => {
  it.each(late)(
    'on %s, %s: nothing is merged until a new one stands (CLAIM-19)',
    async (dialect, _what, reason, takeBack) => {
      const scene = sceneOf(dialect)
      const work = await Work.begin(scene)
      await work.plan('1. Tidy up.')
      const comment = await work.approve()
      await work.toReview()
      await work.ci('pending')
      await work.toMerging()
      await work.stageIs('merging')
      await scene.quiet()
      const before = work.merges()
      const next = await takeBack(work, comment)
      const parked = await work.stageIs('awaiting-human')
      expect(parked).toMatchObject({ stage: { reason: 'approval-revoked' }, forge: { verdict: null } })
      expect(await statusOf(scene, work.agent.task)).toMatchObject({
        stage: 'awaiting-human',
        stageReason: 'approval-revoked',
      })
      await work.ci('success')
      await scene.quiet()
      expect(work.merges()).toBe(before)
      expect(textsOf(parked)).toContain(`approval withdrawn: ${reason}`)

      if (isWhole || takeBack === ways[0]?.[2]) {
        await goOn(work, next)
        expect(work.merges()).toBe(before + 1)
      }
      await setMaintainers(scene, [people.maintainer])
    },
  )

  // Its merge backs off for a minute by the real clock.
  it.each(isWhole ? dialects : dialects.slice(0, 1))(
    'on %s, nobody told us: the forge is asked itself before the merge (CLAIM-20)',
    async (dialect) => {
      const scene = sceneOf(dialect)
      const work = await Work.begin(scene)
      await work.plan('1. Tidy up.')
      const comment = await work.approve()
      await work.toReview()
      await work.says(people.reporter, 'Thanks.')
      await work.ci('pending')
      await work.toMerging()
      await work.stageIs('merging')
      const before = work.merges()
      const hears = scene.forge.faults.inject({ kind: 'drop', times: 1000 })
      try {
        scene.forge.deleteComment(people.maintainer, scene.home.repository, comment)
        await work.ci('success')
        expect(await work.stageIs('awaiting-human')).toMatchObject({ stage: { reason: 'approval-revoked' } })
        expect(work.merges()).toBe(before)
      } finally {
        hears()
      }
    },
  )
})

describe('a Task', { timeout }, () => {
  it('that was cancelled takes no outcome of the pod that is still there: task-terminal (OUTCOME-7)', async () => {
    const scene = sceneOf('github')
    const work = await Work.begin(scene)
    await work.says(people.maintainer, '/cancel')
    await work.stageIs('rejected')
    const { status, body } = await work.submit({ action: 'discuss', reason: 'What about months?' })
    expect([status, JSON.parse(body)]).toEqual([409, expect.objectContaining({ code: 'task-terminal' })])
  })

  it('that writes more than its row holds loses no note: the bundle names the call that brings all (AGENT-API-13, TOOL-TASK-8, TOOL-TASK-9)', async () => {
    const scene = sceneOf('github')
    const work = await Work.begin(scene)
    const bodies = Array.from({ length: 20 }, (_, n) => `${n}:`.padEnd(32_000, 'x'))
    for (const body of bodies) await work.note('note', body)
    const held = (await work.context()).journal.notes.map(({ body }) => body)
    expect(held.join('').length).toBeLessThanOrEqual(512 * 1024)
    expect([held[0], held.at(-1)]).toEqual(['', bodies.at(-1)])
    const [recent, all] = [await work.bundle('recent'), await work.bundle('all')]
    expect(recent).toContain(`fetch="task_context(task=${work.agent.task}, notes=all)"`)
    expect(recent.length).toBeLessThan(100_000)
    expect(all).toContain('<notes total="20" rendered="20" elided="0">')
    for (const body of bodies) expect(all.includes(body)).toBe(true)
  })

  it('over two repositories says which is merged first, and that is how they are merged (OUTCOME-18, OUTCOME-19)', async () => {
    const scene = sceneOf('github')
    const second = 'console'
    await addRepository(scene, second)
    const work = await Work.byHand(scene, 'tidy-two', 'documentation', [repositoryName, second])
    for (const into of [repositoryName, second]) expect((await work.push(into)).code).toBe(0)
    await work.endTurn([repositoryName, second])
    await scene.quiet()
    for (const more of [{}, { merge_order: [second] }, { merge_order: [second, second] }]) {
      const { status, body } = await work.handIn(more)
      expect([more, status >= 400, (JSON.parse(body) as { code: string }).code]).toEqual([
        more,
        true,
        expect.stringMatching(/^(merge-order-required|invalid-input)$/),
      ])
    }
    expect((await work.handIn({ merge_order: [second, repositoryName] })).status).toBe(200)
    await work.endTurn()
    await work.nextPod('review')
    await work.ci('success')
    await work.toMerging()
    await work.stageIs('delivered')
    const merged = scene.forge.audit().filter(({ action }) => action === 'pull.merge')
    expect(merged.slice(-2).map((entry) => entry.repository)).toEqual([
      `${scene.home.owner}/${second}`,
      scene.home.repository,
    ])
  })
})
