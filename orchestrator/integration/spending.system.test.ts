/**
 * A Project with a `spending` block, over the whole orchestrator: each turn reserves before it begins and settles after
 * it, a Task whose limit leaves no room for another turn is held, and a maintainer's raise lets it go on. One story.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountsOf, type LedgerContext } from '../../machines/ledger/context.ts'
import type { Account } from '../../machines/rules/spending.ts'
import { scriptedModelKey } from '../../machines/why/cost.ts'
import { people } from '../../standins/people.ts'
import { projectWith, repository, startOrchestratorFixture, type OrchestratorFixture } from '../testing/fixture.ts'
import { openTask, type TaskStory } from '../testing/task-story.ts'

const spending = { tokensPerTurn: 1000, tokensPerTask: 2500, maxRaisePerDay: 5000 }
const timeout = 120_000

let fixture: OrchestratorFixture
let story: TaskStory

beforeAll(async () => {
  fixture = await startOrchestratorFixture({ modelKey: `${scriptedModelKey}test` })
  await applyWith({ spending })
  await fixture.until('the ledger knows its limits', async () => (await ledger())?.limits.tokensPerTask === 2500)
  story = await openTask(fixture)
}, timeout)
afterAll(() => fixture?.stop(), 30_000)

async function applyWith(spec: object): Promise<void> {
  const body = projectWith(fixture.forge, spec)
  const answer = await fixture.call('/resources', { method: 'PUT', token: await fixture.operatorToken(), body })
  expect([answer.status, answer.body]).toMatchObject([200, {}])
}

async function ledger(): Promise<LedgerContext | undefined> {
  return (await fixture.runtime.read('ledger:default/demo'))?.context as LedgerContext | undefined
}

async function ofTask(): Promise<Account> {
  return accountsOf((await ledger())!, `default/${story.name}`).find(({ name }) => name === 'task')!
}

async function turnRuns(address: `turn:${string}`): Promise<void> {
  await fixture.until(`${address} runs`, async () =>
    (await fixture.runtime.read(address))?.path.startsWith('open.running'),
  )
}

async function why(): Promise<Readonly<Record<string, unknown>>> {
  const { body } = await fixture.call(`/operations/why?task=${story.name}`, { token: await fixture.operatorToken() })
  return body
}

function comments(): readonly string[] {
  return [...fixture.forge.issue(repository, story.issue).comments.values()].map(({ body }) => body)
}

describe('spending over the whole orchestrator', { timeout }, () => {
  test('a turn is reserved for before it begins, as large as a turn may get', async () => {
    expect(await ofTask()).toEqual({ name: 'task', limit: 2500, spent: 0, reserved: 1000 })
  })

  test('and settled after it by what it used; the next one reserves again', async () => {
    await story.first.endTurn('thinking', 800)
    await turnRuns(`turn:${story.first.id}/1`)
    expect(await ofTask()).toEqual({ name: 'task', limit: 2500, spent: 800, reserved: 1000 })
  })

  test('story and board of a scripted model show that nothing is spent, and the story what moves the Task on (INSPECTOR-6)', async () => {
    const token = await fixture.operatorToken()
    const read = async (path: string): Promise<unknown> =>
      (await fixture.call(`/inspector/api/${path}`, { token })).body
    expect(await read(`story?address=task:default/${story.name}`)).toMatchObject({
      why: {
        rows: expect.arrayContaining([
          { name: 'cost', text: '1 turn; no model is asked, and nothing is spent' },
          { name: 'spent', text: 'task: 800, 1,000 reserved of 2,500 tokens' },
        ]),
        way: { title: expect.stringMatching(/^The shortest way to delivered, \d+ events:$/) },
      },
    })
    expect(await read('board')).toMatchObject({ isScripted: true })
  })

  test('where no room for another turn is left the Task is held, with its state and the reason, and it is said once', async () => {
    await story.first.endTurn('still thinking', 900)
    await fixture.until('held', async () => (await fixture.task())?.stage.reason === 'budget')
    await fixture.until('its pod has ended', async () => (await fixture.task())?.pod.alive === false)
    await fixture.quiet()
    expect(await fixture.task()).toMatchObject({ stage: { name: 'awaiting-human', parkedFrom: 'implementing' } })
    expect(await ofTask()).toEqual({ name: 'task', limit: 2500, spent: 1700, reserved: 0 })
    expect(await why()).toMatchObject({
      resting: { reason: 'task/awaiting-human/budget', owner: 'maintainer' },
      spending: [{ name: 'task', limit: 2500, spent: 1700, reserved: 0 }, {}, {}],
    })
    expect(comments().filter((body) => body.includes('token budget of this Task is used up'))).toHaveLength(1)
  })

  test('nobody else raises it', async () => {
    await story.says(people.reporter, '/budget +2000')
    expect(await fixture.task()).toMatchObject({ stage: { name: 'awaiting-human', reason: 'budget' } })
  })

  test('a maintainer raises it: the work goes on in another pod, and what was spent stays counted', async () => {
    fixture.forge.comment(people.maintainer, repository, story.issue, '/budget +2000')
    const second = await fixture.podOf(story.name, 2)
    expect(await fixture.task()).toMatchObject({ stage: { name: 'implementing' }, forge: { budgetRaised: 2000 } })
    expect(await ofTask()).toEqual({ name: 'task', limit: 4500, spent: 1700, reserved: 1000 })
    await second.endTurn('done', 10)
    await turnRuns(`turn:${second.id}/1`)
    expect((await ofTask()).spent).toBe(1710)
  })
})
